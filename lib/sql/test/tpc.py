"""Prints the queries and tables of TPC-H and TPC-DS, and the sources of each output column as sqlglot sees them."""
import importlib
import json
import os

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.lineage import lineage
from sqlglot.optimizer.qualify import qualify


def benchmark(name, fill):
    folder = os.path.dirname(importlib.import_module(f"duckdb_extension_{name}").__file__)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"load '{folder}/extensions/v{duckdb.__version__}/{name}.duckdb_extension'")
    connection.execute(f"call {fill}(sf = 0)")
    tables = dict(
        connection.execute(
            "select table_name, list(column_name order by column_index) from duckdb_columns() where not internal group by 1"
        ).fetchall()
    )
    queries = [sql for _, sql in connection.execute(f"from {name}_queries() order by query_nr").fetchall()]
    return {"name": name, "tables": tables, "queries": [read(sql, tables) for sql in queries]}


def read(sql, tables):
    schema = {table: {column: "INT" for column in columns} for table, columns in tables.items()}
    tree = qualify(sqlglot.parse_one(sql, dialect="duckdb"), schema=schema, dialect="duckdb")
    return {"sql": sql, "columns": [sources(item.alias_or_name, tree, schema) for item in tree.selects]}


def sources(column, tree, schema):
    found = set()
    for node in lineage(column, tree.copy(), schema=schema, dialect="duckdb").walk():
        if isinstance(node.expression, exp.Table):
            found.add(node.expression.name.lower() + "." + node.name.split(".")[-1].strip('"').lower())
    return sorted(found)


print(json.dumps([benchmark("tpch", "dbgen"), benchmark("tpcds", "dsdgen")]))
