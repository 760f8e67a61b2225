"""What schemathesis does not know by itself: ids that exist, and a body of lines."""

import json
import os
import urllib.parse
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation

LONGEST_QUERY = 3_000
KNOWN = json.loads(os.environ["FUZZ_KNOWN"])


@schemathesis.hook
def filter_query(context, query):
    """A request line of more than 4 KiB is refused by the HTTP server itself, as no operation says."""
    encoded = urllib.parse.urlencode(query or {}, doseq=True, errors="replace")
    return len(encoded) < LONGEST_QUERY


@schemathesis.hook
def before_call(context, case, kwargs):
    """Half of the ids become those of things that exist: odd ones alone end in a 404."""
    # What was made bad on purpose stays so: the answer is judged by it.
    if case.path_parameters and not (case.meta and case.meta.is_negative_at(ParameterLocation.PATH)):
        case.path_parameters = {
            name: existing(name, case.operation.path, value)
            for name, value in case.path_parameters.items()
        }


def existing(name, path, value):
    if name == "key" and "/api-keys/" in path:
        name = "api key"
    if name not in KNOWN or "/signals/{" + name in path:
        return value
    # A function of the value, so that a seed makes the run again.
    number = zlib.crc32(repr(value).encode())
    known = KNOWN[name]
    return known[number // 2 % len(known)] if number % 2 else value


@schemathesis.serializer("application/x-ndjson")
def one_line(ctx, value):
    return json.dumps(value, default=str).encode() + b"\n"


@schemathesis.deserializer("application/x-ndjson")
def its_answer(ctx, response):
    return json.loads(response.content)
