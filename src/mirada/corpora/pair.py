"""Pairs: a sentence and its translation, with the place they came from."""

from __future__ import annotations

from dataclasses import dataclass, field


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
class Said:
    """What one text of a file says in its source, line by line.

    Pairs that are read from the same text share it, those of a second translation too: it was said once.
    """

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A source text and its translation; `context` are the sources before it, where documents are read as such.

    `said` is the text that the pair was read from, where that may hold several, and `line` the one that it begins with.
    """

    source: str
    target: str
    place: Place
    context: tuple[str, ...] = ()  # the oldest first
    document: str = field(default="", compare=False)  # which one of its file, as far as the file tells
    said: Said | None = field(default=None, compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """A unit that was read and cannot be used, with the reason: nothing is lost in silence."""

    place: Place
    reason: str
    text: str


class Blank(Fault):
    """A line of a table with nothing on it: no pair, and the end of a document where those are read."""


@dataclass(frozen=True, slots=True)
class Passed(Fault):
    """A unit that is no pair and ends no document: what its source says, if it is used, stands before the next."""

    said: Said | None = field(default=None, compare=False)
    document: str = field(default="", compare=False)  # which one of its file, as far as the file tells


Unit = Pair | Fault
