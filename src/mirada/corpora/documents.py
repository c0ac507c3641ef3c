"""Documents: running text from files, divided into contiguous parts and stored as one stream of ids.

A file is a document. Its last lines are held out, first those of the development set, then those of the test set, so
that no part stands between two pieces of another and every file is represented in all three.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.music import own_parts, pieces
from mirada.corpora.opening import Meter
from mirada.corpora.pair import Fault
from mirada.corpora.running import running
from mirada.corpora.store import Store, StoreWriter
from mirada.text.units import Units

LINE_BYTES = 1 << 20  # a paragraph may be a line; more than this is no text
CHUNK = 1_000  # lines that are encoded together


@dataclass(frozen=True, slots=True)
class Document:
    """A file, and which of its lines are meant: from `first` on, `count` of them."""

    path: Path
    first: int
    count: int
    music: bool = False  # whether its lines are pieces

    def __iter__(self) -> Iterator[str]:
        return islice(readable(self.path, music=self.music), self.first, self.first + self.count)


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What was found in a file: the characters of each readable line with its end, and the lines that are no text."""

    path: Path
    lengths: NDArray[np.int32]
    faults: int
    first_fault: Fault | None
    music: bool = False
    parts: tuple[int, ...] | None = None  # lines that the file itself means for training, development and test

    @property
    def characters(self) -> int:
        """How many characters can be read, with the ends of lines."""
        return int(self.lengths.sum(dtype=np.int64))

    def divided(self, shares: Sequence[float]) -> list[Document]:
        """The document in parts of these shares of its characters; what they leave goes to the last one."""
        ends = np.cumsum(self.lengths, dtype=np.int64)
        # Half a character more, so that shares that add up to one but for rounding leave no last line behind.
        wanted = np.cumsum(shares)[:-1] * self.characters + 0.5
        borders = np.searchsorted(ends, wanted, side="right").tolist()
        if self.parts is not None and len(shares) == len(self.parts) and sum(shares[1:]) > 0 and all(shares):
            borders = np.cumsum(self.parts)[:-1].tolist()
        starts = [0, *borders]
        return [
            Document(self.path, start, end - start, self.music)
            for start, end in zip(starts, [*borders, len(self.lengths)], strict=True)
        ]


def readable(path: Path, meter: Meter | None = None, music: bool = False) -> Iterator[str]:
    """The lines of a file that are text, or pieces."""
    found = pieces(path) if music else running(path, meter, LINE_BYTES)
    return (line for line in found if isinstance(line, str))


def survey(path: Path, music: bool = False) -> Survey:
    """Read a file once."""
    lengths, faults, first = array("i"), 0, None
    for line in pieces(path) if music else running(path, limit=LINE_BYTES):
        if isinstance(line, str):
            lengths.append(len(line) + 1)
        else:
            faults, first = faults + 1, first or line
    parts = own_parts(path) if music and not faults else None
    return Survey(path, np.array(lengths, dtype=np.int32), faults, first, music, parts)


def characters_of(documents: Sequence[Document]) -> set[str]:
    """The different characters of documents."""
    found: set[str] = set()
    for document in documents:
        for line in document:
            found.update(line)
    return found


def build_stream(documents: Sequence[Document], units: Units, folder: Path, made_from: str) -> tuple[Store, int]:
    """The token store of documents, one behind another on its source side, and how many characters it stands for."""
    characters = 0
    nothing = np.zeros(0, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    with StoreWriter(folder, made_from, units.size) as writer:
        for document in documents:
            for chunk in _chunks(document):
                ids = units.encode(chunk)
                characters += units.characters_in(chunk)
                writer.add([(ids, np.array([len(ids)], dtype=np.int64))], [nothing])
    return Store.open(folder), characters


def build_lines(documents: Sequence[Document], units: Units, folder: Path, made_from: str) -> tuple[Store, int]:
    """The token store of documents line by line on its source side, and how many characters it stands for.

    A line without words has no ids: it ends a document, as the end of a file does.
    """
    characters = 0
    with StoreWriter(folder, made_from, units.size) as writer:
        for document in documents:
            for chunk in _chunks(document):
                ids = units.encode(chunk)
                characters += units.characters_in(chunk)
                _add_lines(writer, ids, units.line_end)
            _add_lines(writer, np.array([units.line_end], dtype=np.uint32), units.line_end)
    return Store.open(folder), characters


def _add_lines(writer: StoreWriter, ids: NDArray[np.uint32], line_end: int) -> None:
    """Add lines that stand one behind another; the end of one that has nothing else is left out."""
    ends = np.flatnonzero(ids == line_end)
    lengths = np.diff(ends, prepend=-1)
    empty = lengths == 1
    nothing = np.zeros(0, dtype=np.uint32), np.zeros(len(lengths), dtype=np.int64)
    writer.add([(np.delete(ids, ends[empty]), np.where(empty, 0, lengths))], [nothing])


def _chunks(document: Document) -> Iterator[list[str]]:
    waiting = iter(document)
    while chunk := list(islice(waiting, CHUNK)):
        yield chunk
