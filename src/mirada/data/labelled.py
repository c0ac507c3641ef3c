"""Labelled rows in batches, in an order that is a function of seed and epoch.

A row is labelled as a whole (a text, a row of numbers), or each of its words is. A word that takes several places has
the mean of their states.

Legend: B batch, N places, M labels that count, L places of their words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.corpora.pair import CorpusError
from mirada.data.epochs import Epoch, Epochs
from mirada.data.inputs import Entered, Inputs
from mirada.data.order import POOL, Cut, cut
from mirada.data.trees import tree_edges


@dataclass(frozen=True, eq=False)
class Words:
    """Where the words of a batch stand: place l of the B · N belongs to word `word[l]`."""

    places: Int[Tensor, "L"]
    word: Int[Tensor, "L"]
    count: int

    def to(self, device: torch.device) -> Words:
        """The same on a device."""
        return replace(self, places=self.places.to(device), word=self.word.to(device))


@dataclass(frozen=True, eq=False)
class LabelBatch:
    """What enters, which of it is labelled, and how."""

    entered: Entered
    words: Words | None  # None where a row has one label
    expected: Int[Tensor, "M"]

    @property
    def tokens(self) -> int:
        """How many places enter."""
        return self.entered.tokens

    def to(self, device: torch.device) -> LabelBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        words = None if self.words is None else self.words.to(device)
        return LabelBatch(self.entered.to(device), words, self.expected.to(device))


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with their labels: one each, or one for each word, which takes `sizes` places.

    Numbers of labels from 0 on are learnt; see `mirada.text.labels` for those below.
    """

    inputs: Inputs
    labels: NDArray[np.int64]  # of all rows, or of all words
    sizes: NDArray[np.int64] | None = None  # places of each word
    counts: NDArray[np.int64] | None = None  # words of each row
    heads: NDArray[np.int64] | None = None  # of each word: that of its row which it depends on, −1 for none

    def __len__(self) -> int:
        return len(self.inputs.lengths)

    def batch(self, rows: NDArray[np.int64], *, every: bool = False) -> LabelBatch:
        """Some rows; those words that have no label are left out, unless `every` one is wanted."""
        entered = self.inputs.batch(rows)
        if self.sizes is None or self.counts is None:
            return LabelBatch(entered, None, torch.from_numpy(self.labels[rows]))
        chosen = self._words_of(rows, self.counts)
        sizes, labels = self.sizes[chosen], self.labels[chosen]
        if self.heads is not None:
            edges = tree_edges(self.counts[rows], self.heads[chosen], sizes, entered.values.shape[1])
            entered = replace(entered, edges=edges)
        # Real places row by row are the words' places one behind another.
        real = np.arange(entered.values.shape[1]) < self.inputs.lengths[rows][:, None]
        places, word = np.flatnonzero(real), np.repeat(np.arange(len(sizes)), sizes)
        if not every and (labels < 0).any():
            kept = labels >= 0
            places, word = places[kept[word]], (np.cumsum(kept) - 1)[word[kept[word]]]
            labels = labels[kept]
        words = Words(torch.from_numpy(places), torch.from_numpy(word), len(labels))
        return LabelBatch(entered, words, torch.from_numpy(labels))

    @property
    def teaching(self) -> NDArray[np.bool_]:
        """Which rows have a label that can be learnt."""
        if self.counts is None:
            return self.labels >= 0
        before = np.concatenate([[0], np.cumsum(self.labels >= 0)])
        ends = np.cumsum(self.counts)
        return before[ends] > before[ends - self.counts]

    def _words_of(self, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the words of some rows."""
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return np.concatenate([np.arange(starts[row], starts[row + 1]) for row in rows])


def tiled(lengths: NDArray[np.int64], budget: int) -> Iterator[NDArray[np.int64]]:
    """All rows in batches of a budget of places, those of like length together."""
    order = np.argsort(lengths, kind="stable")
    first = 0
    for end in cut(lengths[order], np.zeros_like(lengths), budget).tolist():
        yield order[first:end]
        first = end


class LabelledOrder(Epochs[LabelBatch]):
    """The batches of labelled rows, epoch after epoch; balanced, each label's rows are drawn equally often."""

    def __init__(self, labelled: Labelled, budget: int, seed: int, *, balance: bool = False) -> None:
        self._labelled, self._budget, self._seed, self._balance = labelled, budget, seed, balance
        self._lengths = labelled.inputs.lengths
        longest = int(self._lengths.max(initial=0))
        if budget < longest:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a row of {longest} tokens; use {longest} or more, or a "
                "smaller data.longest"
            )
        self._rows = np.flatnonzero(labelled.teaching)
        if not len(self._rows):
            raise CorpusError("no row to train on has a label")
        self._epoch: tuple[int, Cut] | None = None

    @property
    def tokens(self) -> int:
        """The places of one epoch."""
        return int(self._lengths[self._rows].sum())

    @property
    def remarks(self) -> list[str]:
        """What a user should know."""
        return ["Rows are drawn so that every label is seen equally often."] if self._balance else []

    def _epoch_of(self, epoch: int) -> Epoch[LabelBatch]:
        batches = self.cut(epoch)
        return len(batches), lambda number: self._labelled.batch(batches[number])

    def cut(self, epoch: int) -> Cut:
        """The rows of every batch of an epoch; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = epoch, self._shuffled(epoch)
        return self._epoch[1]

    def _shuffled(self, epoch: int) -> Cut:
        chance = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
        rows = self._drawn(chance) if self._balance else chance.permutation(self._rows)
        lengths = self._lengths[rows]
        pool = max(1, POOL * self._budget // max(1, int(lengths.mean())))
        ends = []
        for start in range(0, len(rows), pool):
            part = slice(start, start + pool)
            order = np.argsort(lengths[part], kind="stable")
            rows[part] = rows[part][order]
            ends.append(start + cut(lengths[part][order], np.zeros_like(order), self._budget))
        return Cut(rows, np.concatenate(ends), chance.permutation(sum(map(len, ends))))

    def _drawn(self, chance: np.random.Generator) -> NDArray[np.int64]:
        labels = self._labelled.labels[self._rows]
        shares = 1.0 / np.bincount(labels)[labels]
        return chance.choice(self._rows, size=len(self._rows), p=shares / shares.sum())
