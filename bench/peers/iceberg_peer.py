"""Does on Iceberg tables, at the word of its parent, what our service does, and says how long each action took.

A line of JSON in (`{"action": ..., ...}`), a line of JSON out (`{"ms": ..., "rows": ...}`). What has to be done once in
the life of a process, imports and connections, is not in the times.
"""

import json
import os
import sys
import time

import duckdb
import pyarrow
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import And, EqualTo, GreaterThanOrEqual, LessThan
from pyiceberg.table import StaticTable

settings = json.loads(sys.argv[1])
properties = settings.get("s3", {})
connection = duckdb.connect(config={"threads": 2, "autoinstall_known_extensions": False})
for extension in settings.get("extensions", []):
    module = __import__(f"duckdb_extension_{extension}")
    folder = os.path.join(list(module.__path__)[0], "extensions", f"v{duckdb.__version__}")
    connection.execute(f"LOAD '{folder}/{extension}.duckdb_extension'")
for statement in settings.get("setup", []):
    connection.execute(statement)
appended = None


def append(request):
    """One row into a table of PyIceberg's own, in a catalog on the same Postgres."""
    global appended
    rows = pyarrow.table({"id": [request["id"]], "name": ["one"]})
    if appended is None:
        catalog = SqlCatalog("bench", uri=settings["catalog"], warehouse="file://" + settings["warehouse"])
        catalog.create_namespace_if_not_exists("bench")
        appended = catalog.create_table("bench.appended", schema=rows.schema)
    begun = time.perf_counter()
    appended.append(rows)
    return begun, 1


def pyiceberg_scan(request):
    shape = request["shape"]
    begun = time.perf_counter()
    table = StaticTable.from_metadata(request["metadata"], properties)
    if shape == "preview":
        rows = table.scan(limit=request["limit"]).to_arrow()
    elif shape == "point":
        rows = table.scan(row_filter=EqualTo("id", request["id"])).to_arrow()
    elif shape == "range":
        rows = table.scan(
            row_filter=And(GreaterThanOrEqual("id", request["id"]), LessThan("id", request["id"] + request["rows"])),
            selected_fields=("id", "name"),
        ).to_arrow()
    else:
        rows = table.scan(selected_fields=("city",)).to_arrow().group_by("city").aggregate([([], "count_all")])
    return begun, rows.num_rows


def duckdb_scan(request):
    shape, source = request["shape"], f"iceberg_scan('{request['metadata']}')"
    statement = {
        "preview": f"SELECT * FROM {source} LIMIT {request.get('limit')}",
        "point": f"SELECT * FROM {source} WHERE id = {request.get('id')}",
        "range": f"SELECT id, name FROM {source} WHERE id >= {request.get('id')} AND id < {request.get('id', 0) + request.get('rows', 0)}",
        "group": f"SELECT city, count(*) FROM {source} GROUP BY city",
    }[shape]
    begun = time.perf_counter()
    rows = connection.execute(statement).to_arrow_table()
    return begun, rows.num_rows


actions = {"append": append, "pyiceberg": pyiceberg_scan, "duckdb": duckdb_scan}
for line in sys.stdin:
    request = json.loads(line)
    begun, rows = actions[request["action"]](request)
    print(json.dumps({"ms": (time.perf_counter() - begun) * 1000, "rows": rows}), flush=True)
