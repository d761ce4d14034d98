"""Writes the golden tables of PyIceberg: `python write_with_pyiceberg.py`, with the Python of the tests."""
import datetime
import decimal
import os
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform, DayTransform, HourTransform, IdentityTransform, MonthTransform, TruncateTransform, YearTransform,
)
from pyiceberg.types import (
    BinaryType, BooleanType, DateType, DecimalType, DoubleType, FixedType, FloatType, IntegerType, ListType, LongType,
    MapType, NestedField, StringType, StructType, TimestampType, TimestamptzType, TimeType, UUIDType,
)

from golden import PREFIX, keep

HOME = f"{PREFIX}/pyiceberg"
UTC = datetime.timezone.utc
PLAIN = Schema(
    NestedField(1, "id", IntegerType()), NestedField(2, "s", StringType()),
    NestedField(3, "m", DecimalType(9, 2)), NestedField(4, "at", TimestamptzType()),
)
TYPES = Schema(*[
    NestedField(at, name, kind) for at, (name, kind) in enumerate({
        "id": IntegerType(), "b": BooleanType(), "l": LongType(), "f": FloatType(), "d": DoubleType(),
        "m4": DecimalType(9, 2), "m16": DecimalType(38, 10), "day": DateType(), "tod": TimeType(), "ts": TimestampType(),
        "tz": TimestamptzType(), "s": StringType(), "u": UUIDType(), "fix": FixedType(3), "bin": BinaryType(),
    }.items(), 1)
])
NESTED = Schema(
    NestedField(1, "id", IntegerType()),
    NestedField(2, "st", StructType(NestedField(3, "a", LongType()), NestedField(4, "b", StringType()))),
    NestedField(5, "li", ListType(6, StructType(NestedField(7, "x", DoubleType())), element_required=False)),
    NestedField(8, "ma", MapType(9, IntegerType(), 10, ListType(11, StringType(), element_required=False), value_required=False)),
)
MOMENT = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456)
TYPED = [
    {"id": 1, "b": True, "l": 2**63 - 1, "f": 1.5, "d": 0.1, "m4": decimal.Decimal("9999999.99"),
     "m16": decimal.Decimal("9999999999999999999999999999.9999999999"), "day": MOMENT.date(), "tod": MOMENT.time(),
     "ts": MOMENT, "tz": MOMENT.replace(tzinfo=UTC), "s": "\U0010ffff" * 17, "u": uuid.UUID(int=2**128 - 1).bytes,
     "fix": b"abc", "bin": b"\x00\xff"},
    {"id": 2, "f": float("nan"), "d": float("inf"), "m4": decimal.Decimal("-0.01"), "fix": b"\x00\x00\x00",
     "u": uuid.UUID(int=1).bytes, "s": ""},
    {"id": 3},
]


def plain(*ids):
    return [{"id": id, "s": f"text {id}", "m": decimal.Decimal(f"{id}.25"),
             "at": MOMENT.replace(day=id % 28 + 1, hour=id % 24, tzinfo=UTC)} for id in ids]


def main():
    os.makedirs(HOME)
    catalog = SqlCatalog("g", uri=f"sqlite:///{HOME}/c.db", warehouse=f"file://{HOME}")
    catalog.create_namespace("n")
    made = {}

    def make(name, schema, *batches, spec=PartitionSpec(), **properties):
        table = catalog.create_table(f"n.{name}", schema, location=f"file://{HOME}/{name}", partition_spec=spec,
                                     properties={key.replace("_", "-"): value for key, value in properties.items()})
        made[name] = table
        for rows in batches:
            table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
        return table

    def by(name, transform, source):
        spec = PartitionSpec(PartitionField(source, 1000, transform, "part"))
        make(name, PLAIN, plain(1, 2, 3), [*plain(4, 30), {"id": 50}], spec=spec)

    identity = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "s"))
    make("v1", PLAIN, plain(1, 2), plain(10), spec=identity, format_version="1")
    for codec in ("null", "deflate", "zstandard"):
        schema, rows = PLAIN, [plain(1, 2), plain(3)]
        make(f"avro_{codec}", schema, *rows, **{"write.avro.compression-codec": codec.replace("zstandard", "zstd")})
    make("gzip", PLAIN, plain(1), **{"write.metadata.compression-codec": "gzip"})
    make("types", TYPES, TYPED)
    make("nested", NESTED, [
        {"id": 1, "st": {"a": 1, "b": "b"}, "li": [{"x": 0.5}, {"x": None}], "ma": [(1, ["a", None]), (2, None)]},
        {"id": 2, "st": None, "li": [], "ma": []},
    ])
    for name, transform, source in [
        ("by_bucket", BucketTransform(4), 1), ("by_truncate", TruncateTransform(6), 2), ("by_year", YearTransform(), 4),
        ("by_month", MonthTransform(), 4), ("by_day", DayTransform(), 4), ("by_hour", HourTransform(), 4),
        ("by_decimal", TruncateTransform(10), 3),
    ]:
        by(name, transform, source)
    changed = make("changed", PLAIN, plain(1, 2))
    with changed.update_schema() as update:
        update.rename_column("s", "t")
        update.delete_column("m")
        update.add_column("m", StringType())
        update.update_column("id", LongType())
    with changed.update_schema() as update:
        update.move_first("m")
    changed.append(pa.Table.from_pylist([{"id": 2**40, "t": "t", "m": "new"}], schema=changed.schema().as_arrow()))
    changed.delete("id = 1")
    names = make("names_only", PLAIN)
    pq.write_table(pa.Table.from_pylist(plain(5, 6), schema=pa.schema(
        [("id", pa.int32()), ("s", pa.string()), ("m", pa.decimal128(9, 2)), ("at", pa.timestamp("us", "UTC"))])),
        f"{HOME}/names.parquet")
    names.add_files([f"file://{HOME}/names.parquet"])
    make("empty", PLAIN)
    kept = {}
    for name in made:
        table = catalog.load_table(f"n.{name}")
        rows = [list(row.values()) for row in table.scan().to_arrow().to_pylist()]
        kept[name] = (table.metadata_location, rows)
    keep("pyiceberg", kept)


main()
