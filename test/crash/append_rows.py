"""Appends rows to a table through PyIceberg's own catalog, as another engine beside us would.

Arguments: catalog uri, table name, ids. TABLE_PROPERTIES may say as JSON how files are reached.
"""
import json
import os
import sys

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import text

URI, NAME, IDS = sys.argv[1], sys.argv[2], [int(given) for given in sys.argv[3:]]
catalog = SqlCatalog("weir", uri=URI, init_catalog_tables="false", **json.loads(os.environ.get("TABLE_PROPERTIES", "{}")))
with catalog.engine.connect() as connection:
    named = connection.execute(text("select table_namespace from iceberg_tables where table_name = :name"), {"name": NAME})
    namespace = named.scalar_one()
table = catalog.load_table(f"{namespace}.{NAME}")
schema = table.schema().as_arrow()
rows = {field.name: [None] * len(IDS) for field in schema}
rows["id"] = IDS
for name, value in (("_errors", []), ("_run_id", "elsewhere")):
    if name in rows:
        rows[name] = [value] * len(IDS)
if "_extracted_at" in rows:
    import datetime

    rows["_extracted_at"] = [datetime.datetime.now(datetime.timezone.utc)] * len(IDS)
table.append(pa.table(rows, schema=schema))
