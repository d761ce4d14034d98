"""Reads streams by the reference interpreter of declarative manifests; prints its protocol messages."""

import json
import sys

from airbyte_cdk.entrypoint import AirbyteEntrypoint
from airbyte_cdk.models import ConfiguredAirbyteCatalogSerializer
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
catalog = given["catalog"]
state = None
if given["state"]:
    from airbyte_cdk.models import AirbyteStateMessageSerializer

    state = [AirbyteStateMessageSerializer.load(one) for one in given["state"]]
config_path, catalog_path, state_path = (f"{sys.argv[1]}.{name}" for name in ("config", "catalog", "state"))
for path, value in ((config_path, given["config"]), (catalog_path, catalog), (state_path, given["state"])):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
source = ConcurrentDeclarativeSource(
    source_config=given["manifest"],
    config=given["config"],
    catalog=ConfiguredAirbyteCatalogSerializer.load(catalog),
    state=state,
)
arguments = ["read", "--config", config_path, "--catalog", catalog_path]
if state:
    arguments += ["--state", state_path]
for message in AirbyteEntrypoint(source).run(AirbyteEntrypoint.parse_args(arguments)):
    print(message)
