"""JSON of what a database returns."""

import json
from datetime import date, time
from decimal import Decimal
from uuid import UUID


def to_json(value: object) -> str:
    return json.dumps(value, default=_convert)


def _convert(value: object) -> str:
    # A datetime is a date too. Give times a zone: datetime.now(timezone.utc).
    if isinstance(value, (date, time)):
        return value.isoformat()
    # As text a Decimal keeps its digits, and the hub sorts it as a number if the type of the field is "number".
    if isinstance(value, (Decimal, UUID)):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
