"""What the programs that write golden tables share: where they write, and how what they wrote is told."""
import glob
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from shown import shown  # noqa: E402

# Tables hold absolute locations, so they are written here wherever the checkout is; the tests map this folder.
PREFIX = "/tmp/weir-golden"
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")


def keep(writer, tables):
    """Keeps the files of one writer as fixtures; `tables` are the metadata location and the rows of each by name."""
    target = os.path.join(FIXTURES, writer)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(f"{PREFIX}/{writer}", target, ignore=shutil.ignore_patterns("*.crc", "*.db", "_SUCCESS"))
    told = {name: {"metadata": metadata, "rows": shown(rows)} for name, (metadata, rows) in sorted(tables.items())}
    with open(os.path.join(target, "tables.json"), "w", encoding="utf-8") as file:
        json.dump(told, file, indent=1, sort_keys=True)
        file.write("\n")
    shutil.rmtree(f"{PREFIX}/{writer}")


def newest_metadata(folder):
    return max(glob.glob(f"{folder}/metadata/*.metadata.json"), key=os.path.getmtime)
