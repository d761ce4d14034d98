"""What a user of dlt writes to load a table of Postgres into an Iceberg table: load_postgres.py <url> <table> <folder>."""

import json
import os
import shutil
import sys

import dlt
from dlt.sources.sql_database import sql_table

url, table, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["NORMALIZE__PARQUET_NORMALIZER__ADD_DLT_LOAD_ID"] = "false"
pipeline = dlt.pipeline(
    pipeline_name="bench",
    pipelines_dir=os.path.join(folder, "pipelines"),
    destination=dlt.destinations.filesystem(bucket_url="file://" + os.path.join(folder, "out")),
    dataset_name="bench",
)
rows = sql_table(
    credentials=url.replace("postgresql://", "postgresql+psycopg2://"),
    table=table,
    backend="connectorx",
    backend_kwargs={"conn": url},
)
pipeline.run(rows, table_format="iceberg", loader_file_format="parquet", write_disposition="replace")
print(json.dumps({"rows": pipeline.last_trace.last_normalize_info.row_counts[table]}))
