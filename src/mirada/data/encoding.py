"""Encoding: what people give (texts, words, rows of numbers) as the inputs of a reader.

One class for each kind of thing that can be read; a classifier asks no more of it than `Encoding` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mirada.data.inputs import Bags, Inputs, Numbers, Tokens
from mirada.data.labelled import Labelled
from mirada.data.trees import heads_in_rows
from mirada.text.labels import MISSING
from mirada.text.spelling import Spelling
from mirada.text.subwords import BEGIN, Subwords
from mirada.text.subwords import UNKNOWN as UNKNOWN_PIECE

Given_contra = TypeVar("Given_contra", contravariant=True)


@runtime_checkable
class Encoding(Protocol[Given_contra]):
    """From one kind of thing to inputs."""

    @property
    def size(self) -> int:
        """What a reader must be built for: the subwords that may enter, or the numbers of a row."""

    def encode(self, given: Sequence[Given_contra]) -> Inputs:
        """The inputs of these things, one row each."""

    def too_long(self, given: Given_contra) -> bool:
        """Whether this one has more places than are read, so that its end is left out."""


@dataclass(frozen=True, eq=False)
class TextEncoding:
    """Texts after a begin mark, as subwords or, with a table of spellings, as the words between spaces."""

    subwords: Subwords
    spelling: int
    longest: int  # places

    @property
    def size(self) -> int:
        """The subwords that may enter."""
        return self.subwords.size

    def encode(self, given: Sequence[str]) -> Inputs:
        if not self.spelling:
            pieces = self.subwords.encode_many(given)
            return Tokens.of_rows([[BEGIN, *row[: self.longest - 1]] for row in pieces])
        rows = [text.split()[: self.longest - 1] for text in given]
        bags = _Bags(self.subwords, self.spelling, begin=True)
        return bags.of_rows(rows)

    def too_long(self, given: str) -> bool:
        words = given.split() if self.spelling else self.subwords.encode(given)
        return len(words) >= self.longest


@dataclass(frozen=True, eq=False)
class RowEncoding:
    """Rows of numbers."""

    features: tuple[str, ...]

    @property
    def size(self) -> int:
        """The numbers of a row."""
        return len(self.features)

    def encode(self, given: Sequence[tuple[float, ...]]) -> Numbers:
        return Numbers(np.array(given, dtype=np.float32).reshape(len(given), len(self.features)))

    def too_long(self, given: tuple[float, ...]) -> bool:
        return False


def encoding_of(subwords: Subwords | None, spelling: int, longest: int, features: tuple[str, ...]) -> Encoding[Any]:
    """How things enter a classifier: texts where it has subwords, else rows of numbers."""
    return RowEncoding(features) if subwords is None else TextEncoding(subwords, spelling, longest)


@dataclass(frozen=True, eq=False)
class WordEncoding:
    """Sentences of words: each word one place, or with a reader of subwords as many as it has."""

    subwords: Subwords
    spelling: int
    longest: int  # places of a row; a longer sentence is read in parts
    tree: bool = False  # whether words look along the edges of the sentence's tree

    def encode(
        self,
        sentences: Sequence[Sequence[str]],
        labels: Sequence[Sequence[int]] | None = None,
        heads: Sequence[Sequence[int]] | None = None,
    ) -> Labelled:
        """The sentences, divided into rows where they are too long; the words stay in order.

        `heads` are the words that words depend on, −1 for none; who reads trees needs them.
        """
        labelled = self._encoded(sentences, labels)
        if not self.tree:
            return labelled
        if heads is None or labelled.counts is None:
            raise ValueError("this model looks along the trees of sentences; give it CoNLL-U with the column head")
        return replace(labelled, heads=heads_in_rows(list(map(len, sentences)), heads, labelled.counts))

    def _encoded(self, sentences: Sequence[Sequence[str]], labels: Sequence[Sequence[int]] | None) -> Labelled:
        if labels is None:
            labels = [[MISSING] * len(words) for words in sentences]
        flat = np.array([one for row in labels for one in row], dtype=np.int64)
        if self.spelling:
            rows = [words[at : at + self.longest] for words in sentences for at in range(0, len(words), self.longest)]
            counts = np.array([len(row) for row in rows], dtype=np.int64)
            inputs = _Bags(self.subwords, self.spelling).of_rows(rows)
            return Labelled(inputs, flat, np.ones(len(flat), dtype=np.int64), counts)
        words = sorted({word for sentence in sentences for word in sentence})
        pieces = dict(zip(words, self._pieces(words), strict=True))
        return self._in_subwords([[pieces[word] for word in sentence] for sentence in sentences], flat)

    def parts_of(self, words: Sequence[str]) -> int:
        """In how many parts a sentence is read."""
        if self.spelling:
            return max(1, -(-len(words) // self.longest))
        return max(1, len(_divided([len(one) for one in self._pieces(words)], self.longest)))

    def _pieces(self, words: Sequence[str]) -> list[list[int]]:
        """The subwords of each word, one at least and no more than a row holds."""
        return [(one or [UNKNOWN_PIECE])[: self.longest] for one in self.subwords.encode_many(words)]

    def _in_subwords(self, sentences: Sequence[Sequence[Sequence[int]]], labels: NDArray[np.int64]) -> Labelled:
        rows: list[list[int]] = []
        counts: list[int] = []
        for sentence in sentences:
            first = 0
            for end in _divided([len(word) for word in sentence], self.longest):
                rows.append([one for word in sentence[first:end] for one in word])
                counts.append(end - first)
                first = end
        sizes = np.array([len(word) for sentence in sentences for word in sentence], dtype=np.int64)
        return Labelled(Tokens.of_rows(rows), labels, sizes, np.array(counts, dtype=np.int64))


def _divided(sizes: Sequence[int], most: int) -> list[int]:
    """Where parts end whose sizes add up to at most `most`."""
    ends: list[int] = []
    held = 0
    for number, size in enumerate(sizes):
        if held + size > most:
            ends.append(number)
            held = 0
        held += size
    return [*ends, len(sizes)] if sizes else []


class _Bags:
    """Rows of words as bags; each different word is spelt once."""

    def __init__(self, subwords: Subwords, table: int, *, begin: bool = False) -> None:
        self._spelling, self._begin = Spelling(subwords, table), begin

    def of_rows(self, rows: Sequence[Sequence[str]]) -> Bags:
        words = sorted({word for row in rows for word in row})
        numbers = {word: number for number, word in enumerate(words, start=1)}
        table = [[BEGIN], *self._spelling.encode_many(words)]
        first = [0] if self._begin else []
        return Bags.of_rows(table, [[*first, *(numbers[word] for word in row)] for row in rows])
