"""Forms: bodies as HTML forms and LibreTranslate's own client send them, turned into the JSON that is read here."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

from mirada.serving.problem import Problem

FORM = "application/x-www-form-urlencoded"
NUMBERS = frozenset({"alternatives", "beam", "count", "n", "seed", "temperature", "tokens", "top_k", "top_p"})
WHOLE, DECIMAL = re.compile(r"[0-9]{1,19}"), re.compile(r"[0-9]{1,19}\.[0-9]{1,19}")
MOST_FIELDS = 1_000

_Value = str | int | float


def as_json(body: bytes) -> bytes:
    """A form as a JSON object; a field that stands there several times is a list."""
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        raise Problem.wrong(f"the body is no form in UTF-8 of at most {MOST_FIELDS:,} fields") from None
    found: dict[str, list[_Value]] = {}
    for name, value in fields:
        found.setdefault(name, []).append(_typed(name, value))
    return json.dumps({name: values[0] if len(values) == 1 else values for name, values in found.items()}).encode()


def _typed(name: str, value: str) -> _Value:
    """A number where one belongs; what is none is refused as it would be in JSON."""
    if name not in NUMBERS:
        return value
    if WHOLE.fullmatch(value):
        return int(value)
    return float(value) if DECIMAL.fullmatch(value) else value
