"""Writes the tables of TPC-H as Parquet files into a folder; prints the queries with the answers that are published for them."""
import importlib
import json
import os
import sys

import duckdb

folder, scale = sys.argv[1], float(sys.argv[2])
extension = os.path.dirname(importlib.import_module("duckdb_extension_tpch").__file__)
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(f"load '{extension}/extensions/v{duckdb.__version__}/tpch.duckdb_extension'")
connection.execute(f"call dbgen(sf = {scale})")
tables = [name for (name,) in connection.execute("select table_name from duckdb_tables() order by 1").fetchall()]
for name in tables:
    connection.execute(f"copy {name} to '{folder}/{name}.parquet' (format parquet)")
queries = connection.execute(
    """select query, answer from tpch_queries() join tpch_answers() using (query_nr)
       where scale_factor = ? order by query_nr""",
    [scale],
).fetchall()
print(json.dumps({"tables": tables, "queries": [{"sql": sql, "answer": answer} for sql, answer in queries]}))
