"""Reads tables by their metadata files with PyIceberg, which knows nothing of our catalog.

Standard input: {"properties": {...}, "locations": [...]}. Prints, by location, the rows as [id, key, generation].
"""
import json
import sys

from pyiceberg.table import StaticTable

asked = json.load(sys.stdin)
found = {}
for location in asked["locations"]:
    table = StaticTable.from_metadata(location, asked["properties"])
    rows = table.scan(selected_fields=("id", "key", "generation")).to_arrow()
    found[location] = [list(row) for row in zip(*(rows[name].to_pylist() for name in ("id", "key", "generation")))]
print(json.dumps(found))
