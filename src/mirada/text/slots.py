"""Slots: placeholders hidden behind numbered marks, so that a model carries over symbols that it has never seen.

    You have %(count)d <b>new</b> mails   ⇄   You have ① ②new③ mails,   symbols = ("%(count)d", "<b>", "</b>")

A mark is one subword, whatever stands behind it: who can copy ① can copy every placeholder. Marks are numbered in the
order in which their symbols first appear in the source, and the same symbol has the same mark each time. Formats that
take their values in turn are told apart by their turn: in "%s of %s" the second is another one, so a translation may
swap them, and is then written "%2$s … %1$s". `show` undoes `hide` to the letter.

The marks are characters that Unicode promises never to use. `normalise` leaves these few in place, and `hide` takes
out those that stood in a text before, so a mark in a hidden text is always one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mirada.text.placeholders import Span, find, in_turn, takes_turn

FIRST = 0xFDD1
COUNT = 12  # of 20,000 units of a memory of software documentation 8 have a thirteenth inline tag
MARKS = tuple(chr(FIRST + number) for number in range(COUNT))

MARK = re.compile(f"[{MARKS[0]}-{MARKS[-1]}]")
SPACED_MARK = re.compile(f"( ?)({MARK.pattern})")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A text with marks in place of its symbols, and the symbol behind each mark, by number."""

    text: str
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a mark may stand for, where it is, and what it is: alike things of two texts have one name."""

    span: Span
    name: str


def hide(text: str, most: int = COUNT) -> Hidden:
    """A text with its protected symbols hidden: the first `most` different ones, the others stay as they are."""
    text = without_marks(text)
    found = findings(text) if most else []
    if not found:
        return Hidden(text)
    numbers = numbered((one.name for one in found), most)
    return Hidden(replaced(text, found, numbers), symbols_of(text, found, numbers))


def show(text: str, symbols: Sequence[str]) -> str:
    """A text with the symbols in place of their marks; a mark without a symbol goes, and the space before it."""
    if not holds_marks(text):
        return text
    said = [number for number in map(_number, MARK.findall(text)) if number < len(symbols)]
    turns = [number for number in said if takes_turn(symbols[number])]
    written = symbols if all(one < other for one, other in pairwise(turns)) else in_turn(symbols)

    def symbol(mark: re.Match[str]) -> str:
        number = _number(mark[2])
        return mark[1] + written[number] if number < len(written) else ""

    return SPACED_MARK.sub(symbol, text)


def without_marks(text: str) -> str:
    """A text from outside, with no mark in it."""
    return text if text.isascii() else MARK.sub("", text)


def holds_marks(text: str) -> bool:
    """Whether a text has a mark in it."""
    return not text.isascii() and MARK.search(text) is not None


def findings(text: str) -> list[Found]:
    """The symbols of a text, in order."""
    spans = find(text)
    if not spans:
        return []
    names = in_turn([text[span.start : span.end] for span in spans])
    return [Found(span, name) for span, name in zip(spans, names, strict=True)]


def numbered(names: Iterable[str], most: int = COUNT) -> dict[str, int]:
    """The number of each different name, counted as they come: the first `most`."""
    return {name: number for number, name in enumerate(list(dict.fromkeys(names))[:most])}


def replaced(text: str, found: Sequence[Found], numbers: dict[str, int]) -> str:
    """A text with marks in place of what was found in it, as far as that has a number."""
    parts, place = [], 0
    for one in found:
        if one.name in numbers:
            parts += [text[place : one.span.start], MARKS[numbers[one.name]]]
            place = one.span.end
    return "".join([*parts, text[place:]])


def symbols_of(text: str, found: Sequence[Found], numbers: dict[str, int]) -> tuple[str, ...]:
    """What stands behind each mark of a text, by number."""
    written = {one.name: text[one.span.start : one.span.end] for one in found}
    return tuple(written[name] for name in numbers)


def _number(mark: str) -> int:
    return ord(mark) - FIRST
