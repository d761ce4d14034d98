"""What a user of dlt or PyAirbyte writes to load rows.

load.py <dlt|dlt-data|dlt-csv|dlt-arrow|airbyte> <folder> <file> [json schema], or airbyte-connector <folder> <program> <configuration>.
"""

import json
import os
import shutil
import sys


def dlt_lines(file, folder, _):
    """JSON lines to Parquet: orjson, lists of 10,000 rows, one level, no schema given, as dlt's guide on speed has it."""
    import dlt
    import orjson

    @dlt.resource(name="rows", max_table_nesting=0)
    def rows():
        batch = []
        with open(file, "rb") as lines:
            for line in lines:
                message = orjson.loads(line)
                if message["type"] == "RECORD":
                    batch.append(message["record"]["data"])
                if len(batch) == 10_000:
                    yield batch
                    batch = []
        yield batch

    return dlt_run(rows(), folder)


def dlt_data(file, folder, _):
    """The same for lines that are rows themselves."""
    import dlt
    import orjson
    from itertools import islice

    @dlt.resource(name="rows", max_table_nesting=0)
    def rows():
        with open(file, "rb") as lines:
            while batch := [orjson.loads(line) for line in islice(lines, 10_000)]:
                yield batch

    return dlt_run(rows(), folder)


def dlt_csv(file, folder, _):
    """CSV as Arrow's reader types it, which is the fastest that dlt is given."""
    import dlt
    import pyarrow
    import pyarrow.csv as csv

    @dlt.resource(name="rows")
    def rows():
        for batch in csv.open_csv(file):
            yield pyarrow.Table.from_batches([batch])

    return dlt_run(rows(), folder)


def dlt_arrow(file, folder, _):
    """Arrow tables, typed beforehand, to Parquet: no JSON is read."""
    import dlt
    import pyarrow
    import pyarrow.parquet as parquet

    @dlt.resource(name="rows")
    def rows():
        for group in parquet.ParquetFile(file).iter_batches(batch_size=122_880):
            yield pyarrow.Table.from_batches([group])

    return dlt_run(rows(), folder)


def dlt_run(rows, folder):
    import dlt

    os.environ["NORMALIZE__PARQUET_NORMALIZER__ADD_DLT_LOAD_ID"] = "false"
    pipeline = dlt.pipeline(
        pipeline_name="bench",
        pipelines_dir=os.path.join(folder, "pipelines"),
        destination=dlt.destinations.filesystem(bucket_url="file://" + os.path.join(folder, "out")),
        dataset_name="bench",
    )
    pipeline.run(rows, loader_file_format="parquet")
    counts = pipeline.last_trace.last_normalize_info.row_counts
    return counts["rows"]


def airbyte(file, folder, columns):
    """The same protocol lines from a local source into PyAirbyte's own store, a DuckDB file."""
    executable = os.path.join(os.path.dirname(__file__), "airbyte_source.py")
    return airbyte_read("source-bench", executable, {"file": file, "columns": columns}, folder)


def airbyte_connector(executable, folder, config):
    """A connector that stands in another environment, all of its streams, into the same store."""
    return airbyte_read(os.path.basename(executable), executable, json.loads(config), folder)


def airbyte_read(name, executable, config, folder):
    import airbyte

    source = airbyte.get_source(
        name, local_executable=executable, config=config, streams="*", install_if_missing=False
    )
    cache = airbyte.caches.DuckDBCache(db_path=os.path.join(folder, "cache.duckdb"))
    return source.read(cache=cache, force_full_refresh=True).processed_records


if __name__ == "__main__":
    tool, folder, file, *columns = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tools = {"dlt": dlt_lines, "dlt-data": dlt_data, "dlt-csv": dlt_csv, "dlt-arrow": dlt_arrow, "airbyte": airbyte, "airbyte-connector": airbyte_connector}
    run = tools[tool]
    print(json.dumps({"rows": run(file, folder, columns[0] if columns else "")}))
