"""Values as texts that every engine can agree on, whatever it holds them in."""
import base64
import datetime
import decimal
import json
import math
import os
import sys
import uuid


def moment(value):
    text = value.strftime("%H:%M:%S")
    micros = value.microsecond
    if micros == 0:
        return text
    # As many digits as it needs, by threes.
    return f"{text}.{micros // 1000:03d}" if micros % 1000 == 0 else f"{text}.{micros:06d}"


def shown(value):
    """Integers and decimals as digits, times as ISO 8601, bytes as base64, structs as lists, maps as lists of pairs."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        zone = "" if value.tzinfo is None else "Z"
        utc = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc)
        return f"{utc:%Y-%m-%d}T{moment(utc)}{zone}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return moment(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    return [shown(one) for one in (value.values() if isinstance(value, dict) else value)]


def serve(engine):
    """Answers each line, a request, with a line: of each table that it names `rows`, or `error`, what came of it."""
    answers = os.fdopen(os.dup(1), "w")
    # What a library prints is no answer.
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        work = engine(request)
        answer = {}
        for table in request["tables"]:
            try:
                answer[table["name"]] = {key: shown(rows) for key, rows in work(table).items()}
            except Exception as error:
                answer[table["name"]] = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
