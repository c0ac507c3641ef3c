"""Subword regularisation (Kudo 2018) whose draws are a function of numbers, so that a resumed run draws the same.

In a unigram model no piece reaches over a space, so a segmentation of a text is a segmentation of each of its words,
chosen independently. A word's likeliest segmentations x₁ … x_n are found once; for every occurrence one is drawn with
P(x_k) ∝ p(x_k)^α. The draw is a hash of (seed, text, variant, number of the word): no generator, no state.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from mirada.text.hashes import Hashes, hash_texts, mix
from mirada.text.normalise import normalise
from mirada.text.subwords import END, SPECIAL, Flat, Subwords

BEST = 8  # segmentations of a word to draw from
ALPHA = 0.3  # 1 draws as the model thinks, 0 draws all alike
LONGEST_WORD = 100  # characters; a longer one, as in text without spaces, is cut in the best way only
WORDS = 200_000  # remembered; beyond, the table starts anew, which changes no draw


def variant_of(seed: int, epoch: int, pairs: NDArray[np.integer], variants: int) -> NDArray[np.int64]:
    """Which stored segmentation each pair shows in an epoch: each in its own order, all before one comes again."""
    start = mix(pairs.astype(np.uint64) ^ mix(np.array([seed], dtype=np.uint64)))
    return ((start % np.uint64(variants)).astype(np.int64) + epoch) % variants


class _Rows(dict[str, int]):
    """The row of each word in a table; one that was never met gets the next, and waits to be entered there."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []

    def __missing__(self, word: str) -> int:
        row = self[word] = len(self)
        self.new.append(word)
        return row


class _Table:
    """The segmentations of the words met so far, as arrays: one row for each word, one column for each choice."""

    def __init__(self, best: int) -> None:
        self.rows = _Rows()
        self.below = np.zeros((0, best))  # cumulative probability
        self.first = np.zeros((0, best), dtype=np.int64)  # where a choice's ids begin among `ids`
        self.length = np.zeros((0, best), dtype=np.int64)
        self.ids = np.array([END], dtype=np.uint32)

    def extend(self, found: list[list[list[int]]], below: list[list[float]]) -> None:
        """Enter the new words' segmentations and the cumulative probabilities of these."""
        best = self.below.shape[1]
        length = np.array([[*map(len, ids), *([0] * (best - len(ids)))] for ids in found], dtype=np.int64)
        first = len(self.ids) + (np.cumsum(length) - length.ravel()).reshape(length.shape)
        self.below = np.concatenate([self.below, np.array(below)])
        self.first = np.concatenate([self.first, first])
        self.length = np.concatenate([self.length, length])
        flat = np.fromiter(chain.from_iterable(chain.from_iterable(found)), dtype=np.uint32)
        self.ids = np.concatenate([self.ids, flat])


@dataclass(frozen=True, slots=True)
class _Cut:
    """Texts as words: the table's row of each word, how many each text has, and the hash of each text."""

    words: NDArray[np.int64]
    counts: NDArray[np.int64]
    keys: Hashes

    def chosen(self, texts: NDArray[np.int64]) -> _Cut:
        """Some of the texts, by their numbers, in any order and as often as wanted."""
        starts, counts = (np.cumsum(self.counts) - self.counts)[texts], self.counts[texts]
        return _Cut(self.words[_runs(starts, counts)], counts, self.keys[texts])


class Sampler:
    """Draws segmentations of texts: variant 0 is always the best one, 1, 2, … are drawn."""

    def __init__(self, subwords: Subwords, seed: int = 0, alpha: float = ALPHA, best: int = BEST) -> None:
        if not (alpha >= 0.0 and 1 <= best <= 64):
            raise ValueError(f"alpha = {alpha} and best = {best} cannot be drawn with; use alpha >= 0 and best 1 to 64")
        self._subwords = subwords
        self._scores: list[float] = subwords.scores.tolist()
        self._seed = seed
        self._alpha = alpha
        self._best = best
        self._table = _Table(best)
        self._words = _splitter(subwords.protected)
        protected = range(len(SPECIAL) + len(subwords.protected))
        self._whole = frozenset(protected) | frozenset(np.flatnonzero(subwords.is_byte).tolist())

    def segmentations(self, text: str, count: int) -> list[list[int]]:
        """`count` segmentations of one text; each decodes to the same text."""
        return [self.draw([text], variant)[0].tolist() for variant in range(count)]

    def draw(self, texts: Sequence[str], variant: int, end: bool = False) -> Flat:
        """One variant of many texts: their ids, one text behind another, and how many each has."""
        if variant == 0:
            return self._subwords.encode_flat(texts, end)
        return self._drawn(self._cut(texts), variant, end)

    def draw_all(self, variants: Sequence[Sequence[str]], end: bool = False) -> list[Flat]:
        """The texts of variant 0, 1, …, each drawn by `draw`; those that several variants share are cut only once."""
        best, *others = variants
        numbers = {text: number for number, text in enumerate(dict.fromkeys(chain.from_iterable(others)))}
        cut = self._cut(list(numbers))
        drawn = [self._subwords.encode_flat(best, end)]
        for variant, texts in enumerate(others, start=1):
            chosen = np.fromiter(map(numbers.__getitem__, texts), dtype=np.int64, count=len(texts))
            drawn.append(self._drawn(cut.chosen(chosen), variant, end))
        return drawn

    def _cut(self, texts: Sequence[str]) -> _Cut:
        texts = [normalise(text) for text in texts]
        words = [self._words(text) for text in texts]
        counts = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        return _Cut(self._rows(chain.from_iterable(words), int(counts.sum())), counts, hash_texts(texts))

    def _drawn(self, cut: _Cut, variant: int, end: bool) -> Flat:
        return self._gather(cut.words, self._choices(cut, variant), cut.counts, end)

    def _choices(self, cut: _Cut, variant: int) -> NDArray[np.int64]:
        number = np.arange(len(cut.words)) - np.repeat(np.cumsum(cut.counts) - cut.counts, cut.counts)
        own = mix(cut.keys ^ mix(np.array([self._seed], dtype=np.uint64) ^ mix(np.array([variant], dtype=np.uint64))))
        draws = mix(np.repeat(own, cut.counts) + number.astype(np.uint64))
        uniform = (draws >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return (uniform[:, None] >= self._table.below[cut.words]).sum(axis=1)

    def _gather(
        self, words: NDArray[np.int64], choice: NDArray[np.int64], counts: NDArray[np.int64], end: bool
    ) -> Flat:
        """The ids of the chosen segmentations; an end mark counts as one more word of each text."""
        first, length = self._table.first[words, choice], self._table.length[words, choice]
        ends = np.cumsum(counts)
        if end:
            first = np.insert(first, ends, 0)  # where the table keeps the end mark
            length = np.insert(length, ends, 1)
            counts = counts + 1
            ends = np.cumsum(counts)
        running = np.concatenate([[0], np.cumsum(length)])
        return self._table.ids[_runs(first, length)], running[ends] - running[ends - counts]

    def _rows(self, words: Iterable[str], count: int) -> NDArray[np.int64]:
        if len(self._table.rows) > WORDS:
            self._table = _Table(self._best)
        known = self._table.rows
        rows = np.fromiter(map(known.__getitem__, words), dtype=np.int64, count=count)
        if known.new:
            found = [self._candidates(word) for word in known.new]
            self._table.extend(found, [self._below(ids) for ids in found])
            known.new.clear()
        return rows

    def _below(self, found: list[list[int]]) -> list[float]:
        """The cumulative probability of each choice; that of the last, and of those there are not, is out of reach."""
        weights = [self._alpha * sum(map(self._scores.__getitem__, ids)) for ids in found]
        most = max(weights)
        chances = [math.exp(weight - most) for weight in weights]
        running = [*accumulate(chances)]
        below = [part / running[-1] for part in running[:-1]]
        return below + [math.inf] * (self._best - len(below))

    def _candidates(self, word: str) -> list[list[int]]:
        """The best segmentations that break no placeholder and spell nothing in bytes that the best does not."""
        if len(word) > LONGEST_WORD:
            return [self._subwords.encode(word)]
        best, *others = self._subwords.best(word, self._best)
        whole = self._in_whole(best)
        return [best, *(ids for ids in others if self._in_whole(ids) == whole)]

    def _in_whole(self, ids: list[int]) -> list[int]:
        """The ids of bytes and of protected symbols; most words have none."""
        return [] if self._whole.isdisjoint(ids) else [one for one in ids if one in self._whole]


def _runs(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of runs, one behind another: s₀, s₀ + 1, …, s₁, s₁ + 1, …"""
    return np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)


def _splitter(protected: Sequence[str]) -> Callable[[str], list[str]]:
    """What cuts a normalised text at its spaces, but not at those within a protected symbol."""
    spaced = sorted((symbol for symbol in protected if " " in symbol), key=len, reverse=True)
    if spaced:
        return re.compile(rf"(?:{'|'.join(map(re.escape, spaced))}|[^ ])+").findall
    return str.split
