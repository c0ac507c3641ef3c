"""The text of a pattern, such as `window(8, 0) & strided(4)`, read back to the pattern."""

from __future__ import annotations

import ast
from dataclasses import fields

from mirada.attention.pattern.base import Pattern, PatternError, require
from mirada.attention.pattern.kinds import Causal, Fixed, Full, Grid, Strided, Window

TEXT_LIMIT = 1_000  # characters of a pattern's text; parsing is recursive, and text comes from outside
NUMBER_LIMIT = 1_000_000_000  # of places; products of two stay far inside 64 bits
WORDS: dict[str, type[Pattern]] = {
    "full": Full,
    "causal": Causal,
    "window": Window,
    "strided": Strided,
    "fixed": Fixed,
    "grid": Grid,
}
FORMS = "full, causal, window(left, right), strided(stride), fixed(block, summary), grid(height, width, radius)"


def parse(text: str) -> Pattern:
    """Read a pattern from text such as `window(8, 0) & strided(4) | fixed(8, 2)`; & binds tighter than |."""
    require(
        len(text) <= TEXT_LIMIT,
        f"the pattern's text has {len(text)} characters; at most {TEXT_LIMIT} are read",
    )
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        place = getattr(error, "offset", None)
        where = f" at character {place}" if place else ""
        raise PatternError(f"cannot read the pattern {text!r}{where}; known: {FORMS}, joined by & and |") from None
    return _read(tree.body, text)


def _read(node: ast.expr, text: str) -> Pattern:
    match node:
        case ast.BinOp(left=one, op=ast.BitAnd(), right=other):
            return _read(one, text) & _read(other, text)
        case ast.BinOp(left=one, op=ast.BitOr(), right=other):
            return _read(one, text) | _read(other, text)
        case ast.Name(id=name):
            return _make(name, [], {})
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            names = [keyword.arg or "**" for keyword in keywords]
            require(
                len(set(names)) == len(names), f"{name}(…) in the pattern {text!r} names a number twice; name it once"
            )
            named = {name: _number(keyword.value, text) for name, keyword in zip(names, keywords, strict=True)}
            return _make(name, [_number(argument, text) for argument in arguments], named)
    part = ast.get_source_segment(text.strip(), node) or text
    raise PatternError(f"{part!r} is no pattern; known: {FORMS}, joined by & and |")


def _number(node: ast.expr, text: str) -> int:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool) and number <= NUMBER_LIMIT:
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number  # for the pattern itself to refuse, in its own words
    part = ast.get_source_segment(text.strip(), node) or text
    raise PatternError(f"{part!r} in the pattern {text!r} is no whole number up to {NUMBER_LIMIT:,}")


def _make(name: str, numbers: list[int], named: dict[str, int]) -> Pattern:
    kind = WORDS.get(name.lower())
    if kind is None:
        raise PatternError(f"{name!r} is no pattern; known: {FORMS}")
    try:
        return kind(*numbers, **named)
    except TypeError:
        wanted = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]
        given = ", ".join([*map(str, numbers), *(f"{key}={value}" for key, value in named.items())])
        raise PatternError(f"{name}({given}): the numbers wanted are ({wanted})") from None
