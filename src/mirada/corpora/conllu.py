"""CoNLL-U: treebanks of ten columns, read sentence by sentence and written again byte for byte but for one column.

A line of a sentence is a comment (`# …`), a word (its id a number), a range that shows how words are written together
(`1-2`), or an empty node (`1.1`). Only words have labels here; everything else is kept as it is.
https://universaldependencies.org/format.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mirada.corpora.lines import LINE_BYTES, decoded, shown
from mirada.corpora.opening import opened, unpacked_name
from mirada.corpora.pair import CorpusError, Fault, Place

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
ID, FORM, HEAD = (COLUMNS.index(name) for name in ("id", "form", "head"))
WORD, BESIDE = re.compile(rb"[1-9]\d{0,8}"), re.compile(rb"\d{1,9}[-.]\d{1,9}")
MOST_LINES = 100_000  # of one sentence
NOTHING = "_"  # what stands where nothing is said


@dataclass(frozen=True, slots=True)
class Sentence:
    """The lines of a sentence with their ends, and which of them are words."""

    lines: tuple[bytes, ...]
    words: tuple[int, ...]  # the numbers of their lines, from 0
    place: Place  # of the first line

    def column(self, number: int) -> list[str]:
        """A column of the words."""
        return [self.lines[line].rstrip(b"\r\n").split(b"\t")[number].decode() for line in self.words]

    @property
    def forms(self) -> list[str]:
        """The words as they are written."""
        return self.column(FORM)

    @property
    def heads(self) -> list[int]:
        """The word that each word depends on, counted from 0; −1 for the root, and where nothing is said."""
        numbers = {word: number for number, word in enumerate(self.column(ID))}
        return [numbers.get(head, -1) for head in self.column(HEAD)]

    def filled(self, number: int, values: Sequence[str]) -> Sentence:
        """The sentence with other values in a column of its words, and else byte for byte as it was."""
        lines = list(self.lines)
        for line, value in zip(self.words, values, strict=True):
            bare = lines[line].rstrip(b"\r\n")
            cells = bare.split(b"\t")
            cells[number] = value.encode()
            lines[line] = b"\t".join(cells) + lines[line][len(bare) :]
        return replace(self, lines=tuple(lines))


def column_of(name: str) -> int:
    """The number of a column from 0: by its name, or by its number from 1."""
    wanted = name.strip().lower()
    number = int(wanted) - 1 if wanted.isdecimal() and len(wanted) < 4 else -1
    if wanted in COLUMNS:
        number = COLUMNS.index(wanted)
    if number not in range(FORM + 1, len(COLUMNS)):
        known = ", ".join(COLUMNS[FORM + 1 :])
        raise ValueError(f"data.column = {name!r} is no column that can be learnt; use {known}, or 3 to 10")
    return number


def is_conllu(path: Path) -> bool:
    """Whether a file's name says that it is a treebank."""
    return unpacked_name(path).lower().endswith((".conllu", ".conll", ".conllx"))


def read_conllu(path: Path) -> Iterator[Sentence | Fault]:
    """The sentences of a file in order; one that is no CoNLL-U is a Fault, and the next one is read."""
    return (sentence for _, sentence in read_blocks(path))


def read_blocks(path: Path) -> Iterator[tuple[list[bytes], Sentence | Fault]]:
    """The same, each with its lines as they stand in the file: all of them together are the file."""
    name, first = str(path), 1
    for lines in _blocks(path):
        yield lines, _sentence(lines, Place(name, first))
        first += len(lines)


def _blocks(path: Path) -> Iterator[list[bytes]]:
    """The lines between two empty ones, each block with the empty lines after it."""
    block: list[bytes] = []
    ended = False
    with opened(path) as stream:
        while line := stream.readline(LINE_BYTES):
            if not line.endswith(b"\n") and len(line) == LINE_BYTES:
                raise CorpusError(f"{path}, line {len(block) + 1} of a sentence, has more than {LINE_BYTES:,} bytes")
            empty = not line.strip()
            if ended and not empty:
                yield block
                block, ended = [], False
            ended = ended or (empty and bool(block))
            block.append(line)
            if len(block) > MOST_LINES:
                raise CorpusError(
                    f"{path}: a sentence has more than {MOST_LINES:,} lines; an empty line ends a sentence"
                )
    if block:
        yield block


def _sentence(lines: list[bytes], place: Place) -> Sentence | Fault:
    words = []
    for number, line in enumerate(lines):
        bare = line.rstrip(b"\r\n")
        if not bare.strip() or bare.startswith(b"#"):
            continue
        here = Place(place.file, place.number + number)
        text = decoded(bare, here)
        if isinstance(text, Fault):
            return text
        cells = bare.split(b"\t")
        if len(cells) != len(COLUMNS):
            return Fault(here, f"{len(cells)} columns, where CoNLL-U has {len(COLUMNS)}", shown(text))
        if WORD.fullmatch(cells[0]):
            words.append(number)
        elif not BESIDE.fullmatch(cells[0]):
            return Fault(here, f"the id {text.split(chr(9))[0][:20]!r} is no number, range or empty node", shown(text))
    return Sentence(tuple(lines), tuple(words), place)
