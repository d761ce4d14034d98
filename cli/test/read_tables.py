"""Opens the demo's tables with PyIceberg through its SQL catalog and compares them with the files they came from.

Arguments: catalog name, catalog uri, warehouse folder, data folder. Prints one JSON object; `faults` is empty when every
schema, count, value and column statistic agrees.
"""
import json
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from pyiceberg.catalog import load_catalog
from pyiceberg.conversions import from_bytes

NAME, URI, WAREHOUSE, DATA = sys.argv[1:5]
META = ["_extracted_at", "_run_id", "_errors", "_extra", "_file"]
# So many rows of a table are looked through for marks of errors.
FIRST_ROWS = 10_000
catalog = load_catalog(NAME, type="sql", uri=URI, warehouse=f"file://{WAREHOUSE}", init_catalog_tables="false")
faults, counts = [], {}


def figures(column):
    """What does not depend on the order of rows: nulls, least, greatest, and the sum of whole numbers modulo 2^64."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("us", tz=None)).cast(pa.int64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    elif pa.types.is_integer(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_floating(kind):
        column = column.cast(pa.float64())
    found = {"nulls": column.null_count}
    if pa.types.is_boolean(column.type):
        return {**found, "sum": pc.sum(column).as_py()}
    found.update({k: v for k, v in pc.min_max(column).as_py().items()})
    if pa.types.is_integer(column.type):
        found["sum"] = pc.sum(column).as_py()
    return found


def compare(table, file, read):
    source = read(f"{DATA}/{file}")
    iceberg = catalog.load_table(f"bronze.demo.{table}")
    landed = iceberg.scan(selected_fields=tuple(source.column_names)).to_arrow()
    counts[table] = landed.num_rows
    expected = source.column_names + META
    if [f.name for f in iceberg.schema().fields] != expected:
        faults.append(f"{table}: columns {[f.name for f in iceberg.schema().fields]}")
    if [f.field_id for f in iceberg.schema().fields] != sorted({f.field_id for f in iceberg.schema().fields}):
        faults.append(f"{table}: field ids are not unique and rising")
    after = {name: figures(landed[name]) for name in source.column_names}
    for name in source.column_names:
        before = figures(source[name])
        if before != after[name]:
            faults.append(f"{table}.{name}: {before} became {after[name]}")
    first = iceberg.scan(selected_fields=("_errors",), limit=FIRST_ROWS).to_arrow()
    if any(len(errors) for errors in first["_errors"].to_pylist()):
        faults.append(f"{table}: rows with errors")
    statistics(table, iceberg, landed, after)


def statistics(table, iceberg, landed, after):
    """Bounds and counts of the data files, put together, against the rows themselves."""
    files = [task.file for task in iceberg.scan().plan_files()]
    for field in iceberg.schema().fields:
        if field.name in META or not field.field_type.is_primitive:
            continue
        values = sum(f.value_counts[field.field_id] for f in files)
        nulls = sum(f.null_value_counts[field.field_id] for f in files)
        if values != landed.num_rows or nulls != landed[field.name].null_count:
            faults.append(f"{table}.{field.name}: {values} values and {nulls} nulls by statistics")
        if pa.types.is_string(landed[field.name].type) or pa.types.is_large_string(landed[field.name].type):
            continue
        found = after[field.name]
        low = [from_bytes(field.field_type, f.lower_bounds[field.field_id]) for f in files if field.field_id in f.lower_bounds]
        high = [from_bytes(field.field_type, f.upper_bounds[field.field_id]) for f in files if field.field_id in f.upper_bounds]
        if "min" in found and low and (min(low), max(high)) != (found["min"], found["max"]):
            faults.append(f"{table}.{field.name}: bounds {min(low)}..{max(high)}, rows {found['min']}..{found['max']}")


compare("vega__flights_3m", "flights-3m.parquet", pyarrow.parquet.read_table)
compare("vega__airports", "airports.csv", pyarrow.csv.read_csv)
compare("vega__seattle_weather", "seattle-weather.csv", pyarrow.csv.read_csv)
print(json.dumps({"counts": counts, "faults": faults}))
