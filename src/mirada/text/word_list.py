"""Words: what a line of text is divided into where words, and not subwords, are the units."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mirada.text.normalise import normalise

WordKind = Literal["letters", "spaces"]
INNER = "'’-"  # may stand within a word, and is taken from its ends
MOST_WORDS = 20_000_000
LONGEST = 1_000  # characters of a word


class _Borders(dict[int, str]):
    """What each character is within a word: itself, or a space where it ends one; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        ends = unicodedata.category(character)[0] in "PSZC" and character not in INNER
        self[code] = " " if ends else character
        return self[code]


_BORDERS = _Borders()
_ASCII_BORDERS = "".join(map(_BORDERS.__getitem__, range(128))).encode().ljust(256)


def words_in(line: str, kind: WordKind, lower: bool) -> list[str]:
    """The words of a line: runs of letters, digits and their marks (an apostrophe or a hyphen within), or of no space.

    Combining marks belong to the letters that they stand on, so that words of every script stay whole.
    """
    text = normalise(line.lower() if lower else line)
    if kind == "spaces":
        return text.split(" ") if text else []
    text = text.encode().translate(_ASCII_BORDERS).decode() if text.isascii() else text.translate(_BORDERS)
    found = text.split()
    if any(mark in text for mark in INNER):
        found = [word for word in (one.strip(INNER) for one in found) if word]
    return found


class Words:
    """Known words, the most frequent first, and how often each was met; a line ends with an id after the last."""

    def __init__(
        self, words: Sequence[str], counts: Sequence[int], kind: WordKind = "spaces", lower: bool = False
    ) -> None:
        if len(words) != len(counts) or not 1 <= len(words) <= MOST_WORDS:
            raise ValueError(f"{len(words):,} words with {len(counts):,} counts; use 1 to {MOST_WORDS:,} of both")
        self.words, self.counts = tuple(words), np.asarray(counts, dtype=np.int64)
        self.kind: WordKind = kind
        self.lower = lower

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each word; of a word that is there twice, the first."""
        return {word: number for number, word in reversed(list(enumerate(self.words)))}

    def find(self, word: str) -> int | None:
        """The number of a word as it is written, or in small letters."""
        found = self.index.get(word)
        return self.index.get(word.lower()) if found is None else found

    @property
    def size(self) -> int:
        """How many ids there are."""
        return len(self.words) + 1

    @property
    def line_end(self) -> int:
        """The id that ends a line."""
        return len(self.words)

    def encode(self, lines: Sequence[str]) -> NDArray[np.uint32]:
        """The ids of the known words of lines, each line with its end; words that are not known are left out."""
        number, end = self.index.get, self.line_end
        found: list[int] = []
        for line in lines:
            ids = map(number, words_in(line, self.kind, self.lower))
            found.extend(one for one in ids if one is not None)
            found.append(end)
        return np.array(found, dtype=np.uint32)

    def decode(self, ids: Sequence[int]) -> str:
        """The words of ids."""
        lines: list[list[str]] = [[]]
        for one in ids:
            if one == self.line_end:
                lines.append([])
            else:
                lines[-1].append(self.words[one])
        return "\n".join(map(" ".join, lines))

    def characters_in(self, lines: Sequence[str]) -> int:
        """How many characters lines have, with their ends."""
        return sum(len(line) + 1 for line in lines)

    def to_bytes(self) -> bytes:
        """The words as a file: one on each line, with its count."""
        return "".join(f"{word}\t{count}\n" for word, count in zip(self.words, self.counts, strict=True)).encode()

    @classmethod
    def of_bytes(cls, data: bytes, kind: WordKind, lower: bool) -> Words:
        """The words in a file that `to_bytes` made."""
        words, counts = [], []
        try:
            for line in data.decode().split("\n")[:-1]:
                word, count = line.split("\t")
                if not 0 < len(word) <= LONGEST or not 0 <= int(count) < 2**62:
                    raise ValueError
                words.append(word)
                counts.append(int(count))
        except ValueError:
            raise ValueError(
                f"line {len(words) + 1} is no word with its count, or the file is damaged; copy the folder again"
            ) from None
        return cls(words, counts, kind, lower)


def count_words(lines: Iterable[str], kind: WordKind, lower: bool) -> dict[str, int]:
    """How often each word stands in lines, in the order in which they are met."""
    counts: dict[str, int] = {}
    for line in lines:
        for word in words_in(line, kind, lower):
            counts[word] = counts.get(word, 0) + 1
    return counts
