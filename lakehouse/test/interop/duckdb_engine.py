"""DuckDB with its iceberg extension: it reads by metadata files, and writes through a REST catalog."""
import glob
import importlib
import os

import duckdb

from shown import serve

SYMBOLS = {"eq": "=", "ge": ">=", "lt": "<"}
ROWS_TO_APPEND = 2


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def condition(column, op, text=None, **_):
    if op == "is_null":
        return f"{quoted(column)} IS NULL"
    return f"{quoted(column)} {SYMBOLS[op]} {literal(text)}"


def connect(names):
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'; SET autoinstall_known_extensions = false")
    for name in names:
        package = importlib.import_module(f"duckdb_extension_{name}")
        pattern = os.path.join(os.path.dirname(package.__file__), "**", "*.duckdb_extension")
        connection.execute(f"LOAD {literal(glob.glob(pattern, recursive=True)[0])}")
    return connection


def values(relation):
    return [list(row.values()) for row in relation.to_arrow_table().to_pylist()]


def engine(request):
    if not request["append"]:
        connection = connect(["avro", "iceberg"])

        def read(asked):
            path = asked["metadata_location"].removeprefix("file://")
            rows = f"SELECT * FROM iceberg_scan({literal(path)})"
            answer = {"rows": values(connection.sql(rows))}
            for at, one in enumerate(asked["conditions"]):
                answer[str(at)] = values(connection.sql(f"{rows} WHERE {condition(**one)}"))
            return answer

        return read

    connection = connect(["avro", "httpfs", "iceberg"])
    options = f"TYPE iceberg, ENDPOINT {literal(request['rest'])}, AUTHORIZATION_TYPE 'none'"
    connection.execute(f"ATTACH 'weir' AS lake ({options})")

    def append(asked):
        table = f"lake.{quoted(request['namespace'])}.{quoted(asked['name'])}"
        rows = values(connection.sql(f"SELECT * FROM {table} LIMIT {ROWS_TO_APPEND}"))
        if rows:
            connection.execute(f"INSERT INTO {table} SELECT * FROM {table} LIMIT {ROWS_TO_APPEND}")
        else:
            nulls = ", ".join("NULL" for _ in connection.sql(f"SELECT * FROM {table}").columns)
            connection.execute(f"INSERT INTO {table} VALUES ({nulls})")
            rows = [[None for _ in connection.sql(f"SELECT * FROM {table}").columns]]
        return {"rows": rows}

    return append


serve(engine)
