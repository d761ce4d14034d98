"""Rows of golden tables as PyIceberg reads them, files being kept elsewhere than where they were written."""
import json
import os
import sys

from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import StaticTable

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from shown import shown  # noqa: E402

WRITTEN_AT, FOLDER = sys.argv[1:3]


def mapped(location):
    return location.replace(WRITTEN_AT, FOLDER, 1)


class MappedFileIO(PyArrowFileIO):
    def new_input(self, location):
        return super().new_input(mapped(location))


def rows(location):
    files = MappedFileIO({})
    metadata = FromInputFile.table_metadata(files.new_input(location))
    table = StaticTable(("golden", "table"), metadata, location, files, None)
    return [list(row.values()) for row in table.scan().to_arrow().to_pylist()]


def main():
    answers = {}
    for location in sys.argv[3:]:
        try:
            answers[location] = {"rows": shown(rows(location))}
        except Exception as error:
            answers[location] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answers))


main()
