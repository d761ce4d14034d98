"""Reads tables by their metadata files with PyIceberg, which knows nothing of our catalog.

Standard input: {"properties": {...}, "locations": [...], "fields": [...]}. Prints, by location, the rows as lists;
times are in microseconds and dates in days since 1970, as Python has none after the year 9999, and what JSON has no
number for is text.
"""
import json
import math
import sys

import pyarrow as pa
from pyiceberg.table import StaticTable


def values(column):
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    elif pa.types.is_date(column.type):
        column = column.cast(pa.int32())
    return [str(value) if isinstance(value, float) and not math.isfinite(value) else value for value in column.to_pylist()]


asked = json.load(sys.stdin)
fields = tuple(asked["fields"])
found = {}
for location in asked["locations"]:
    table = StaticTable.from_metadata(location, asked["properties"])
    rows = table.scan(selected_fields=fields).to_arrow()
    found[location] = [list(row) for row in zip(*(values(rows[name]) for name in fields))]
print(json.dumps(found, default=str))
