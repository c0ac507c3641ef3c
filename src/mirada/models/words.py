"""The vocabularies of attention as words of a config: `bilinear`, `shaw(16)`, `rotary(base=500.0)`, `window(8, 8)`.

A word is the lower-case name of a spec with its fields in brackets; `write` and the readers are each other's inverse.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from mirada.attention import (
    Additive,
    Bilinear,
    Collaborative,
    Cosine,
    Dot,
    Free,
    Learned,
    Pattern,
    Rotary,
    ScaledDot,
    Score,
    Shaw,
    Sinusoidal,
    Static,
    Uniform,
    parse,
)

SCORES: Mapping[str, type] = {
    "dot": Dot,
    "scaled_dot": ScaledDot,
    "cosine": Cosine,
    "bilinear": Bilinear,
    "additive": Additive,
    "collaborative": Collaborative,
    "static": Static,
    "uniform": Uniform,
    "free": Free,
}
RECURRENT_SCORES: Mapping[str, type] = {**SCORES, "mean": Uniform}  # the lecture's word for it
ENTERED: Mapping[str, type] = {"sinusoidal": Sinusoidal, "learned": Learned}
INSIDE: Mapping[str, type] = {"shaw": Shaw, "rotary": Rotary}
NOTHING = "none"
LONGEST = 200  # characters of a word with its numbers


def read_word(text: str, words: Mapping[str, type], what: str) -> object:
    """The spec that a word such as `shaw(16, values=False)` names."""
    known = f"{what} is one of {', '.join(map(_form, words.items()))}"
    call = _parsed(text)
    if call is None or call[0] not in words:
        raise ValueError(f"{text[:LONGEST]!r} is not known; {known}")
    name, values, named = call
    try:
        return words[name](*values, **named)
    except TypeError:
        raise ValueError(f"{text!r} does not fit {_form((name, words[name]))}") from None


def write_word(spec: object) -> str:
    """The word of a spec, without the fields that have their usual value."""
    if spec is None:
        return NOTHING
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(spec).__name__).lower()
    said = [f"{field.name}={getattr(spec, field.name)!r}" for field in _fields(type(spec)) if _unusual(spec, field)]
    return f"{name}({', '.join(said)})" if said else name


def _unusual(spec: object, field: Field[Any]) -> bool:
    return field.default is MISSING or getattr(spec, field.name) != field.default


def _fields(kind: Any) -> tuple[Field[Any], ...]:
    return fields(kind)


def _form(word: tuple[str, type]) -> str:
    name, kind = word
    wanted = ", ".join(field.name for field in _fields(kind))
    return f"{name}({wanted})" if wanted else name


def _parsed(text: str) -> tuple[str, list[object], dict[str, object]] | None:
    """The name, the values and the named values of a word, if it is one."""
    if len(text) > LONGEST:
        return None
    try:
        match ast.parse(text.strip(), mode="eval").body:
            case ast.Name(id=name):
                return name.lower(), [], {}
            case ast.Call(func=ast.Name(id=name), args=values, keywords=keywords):
                named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in keywords if keyword.arg}
                return name.lower(), [ast.literal_eval(value) for value in values], named
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return None


def _reader(words: Mapping[str, type], what: str, optional: bool = False) -> BeforeValidator:
    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        return None if optional and value.strip().lower() == NOTHING else read_word(value, words, what)

    return BeforeValidator(read)


def _read_pattern(value: object) -> object:
    return parse(value) if isinstance(value, str) else value


PatternWord = Annotated[Pattern, BeforeValidator(_read_pattern), PlainSerializer(str, return_type=str)]
ScoreWord = Annotated[Score, _reader(SCORES, "a score"), PlainSerializer(write_word, return_type=str)]
RecurrentScoreWord = Annotated[
    Score | None,
    _reader(RECURRENT_SCORES, "a score", optional=True),
    PlainSerializer(write_word, return_type=str),
]
EnteredWord = Annotated[
    Sinusoidal | Learned | None,
    _reader(ENTERED, "a position at the embedding", optional=True),
    PlainSerializer(write_word, return_type=str),
]
InsideWord = Annotated[
    Shaw | Rotary | None,
    _reader(INSIDE, "a position within attention", optional=True),
    PlainSerializer(write_word, return_type=str),
]
