"""Pairs: a sentence and its translation, with the place they came from."""

from __future__ import annotations

from dataclasses import dataclass


class CorpusError(ValueError):
    """A file that cannot serve as a corpus: what was found, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a unit stands: the file, and the number of its line or unit, counted from 1."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


@dataclass(frozen=True, slots=True)
class Pair:
    """A source text and its translation."""

    source: str
    target: str
    place: Place


@dataclass(frozen=True, slots=True)
class Fault:
    """A unit that was read and cannot be used, with the reason: nothing is lost in silence."""

    place: Place
    reason: str
    text: str


Unit = Pair | Fault
