"""What Schemathesis must be told of this API: which pattern is installed, and what must not stop every run."""

import os
import sys

import schemathesis

DATA = os.environ["WEIR_FUZZ_DATA"]
PATTERN_BODIES = {"POST /api/v1/sources", "POST /api/v1/sources/discover"}


@schemathesis.hook
def map_body(context, body):
    """Names the installed pattern where any would do."""
    if not isinstance(body, dict) or context.operation.label not in PATTERN_BODIES:
        return body
    if isinstance(body.get("pattern_id"), str):
        return {**body, "pattern_id": "files", "source_config": {"path": DATA}}
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leaves the switch open that would stop every run, and the tenants without a limit that would; names the call, so that a hang is seen where it is."""
    print(case.operation.label, file=sys.stderr, flush=True)
    if case.operation.label == "PUT /api/v1/admission" and isinstance(case.body, dict) and case.body.get("open") is False:
        case.body = {**case.body, "open": True}
    if case.operation.label == "PUT /api/v1/tenants/{alias}/limits" and isinstance(case.body, dict):
        case.body = {name: 0 if type(value) is int and value > 0 else value for name, value in case.body.items()}
