"""Sequences of a view: tokens with the words that they belong to, and the marks among them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence, Sized
from itertools import groupby
from typing import Literal

from mirada.text.words import words_of_pieces
from mirada.viewing import contract

MOST_TOKENS = 512  # of a sequence; the maps of 6 + 6 layers with 8 heads then take 50 MB


def sequence_of(
    labels: Sequence[str], text: str, marks: Mapping[int, contract.Mark] | None = None, language: str = ""
) -> contract.Sequence:
    """Tokens with their words; a mark is a word of its own."""
    marks = dict(marks or {})
    words: list[int] = []
    for marked, run in groupby(range(len(labels)), lambda place: place in marks):
        places = list(run)
        first = words[-1] + 1 if words else 0
        inside = list(range(len(places))) if marked else words_of_pieces([labels[place] for place in places])
        words += [first + word for word in inside]
    return contract.Sequence(
        language=language, direction=direction(text), labels=tuple(labels), words=tuple(words), marks=marks
    )


def require_short(tokens: int, longest: int, what: str) -> None:
    """Refuse what a model cannot read, or nobody could look at."""
    most = min(longest, MOST_TOKENS)
    if tokens > most:
        raise ValueError(f"{what} has {tokens:,} tokens, and {most:,} can be looked at; give a shorter one")


def require_words(read: Sized) -> None:
    """Refuse a text of which nothing is read: an empty one, or one of characters that no reader sees."""
    if not read:
        raise ValueError("there is no text to look at; give one with words")


def require_no_reference(reference: str | None) -> None:
    """Refuse a reference where there is nobody to say it."""
    if reference is not None:
        raise ValueError(
            "a reference is what a translator or a captioner is made to say, and this is neither; leave it out"
        )


def direction(text: str) -> Literal["ltr", "rtl"]:
    """Where a text goes: where its first letter with a direction goes."""
    for character in text:
        match unicodedata.bidirectional(character):
            case "R" | "AL":
                return "rtl"
            case "L":
                return "ltr"
    return "ltr"
