"""What schemathesis does not know by itself: a body of lines is sent as one line."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def one_line(ctx, value):
    return json.dumps(value, default=str).encode() + b"\n"
