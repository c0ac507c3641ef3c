"""The order of batches: a function of seed and epoch, so that a run can be taken up at any batch.

Rows of like length stand together, so that little is padded: each epoch shuffles all rows, sorts them within pools of
many batches, cuts each pool into batches of a token budget and shuffles the batches, those of like size together.

What is held does not depend on the number of segmentations: 4 bytes for each row, and as many again for the epoch that
is under way. Lengths stay in the store, mapped from its files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store
from mirada.data.batch import Batch, make_batch
from mirada.data.epochs import Epoch, Epochs
from mirada.text.sampling import variant_of
from mirada.text.subwords import END

POOL = 100  # batches that are sorted together: with more, an epoch is hardly shuffled; with fewer, more is padded
MOST_IN_32_BITS = 2**31 - 1
ROWS = 8  # a batch has a multiple of as many, where it has more: matrix libraries prepare a kernel for each new size
# Batches of like size that follow each other: threads that each take one of them are done at the same time. Two of
# Multi30k wait for 4.4 % of their time where the order is free, and for 0.2 % where it is not.
TOGETHER = 4


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """An epoch cut into batches: batch number n holds rows[ends[k − 1]:ends[k]], k = order[n]."""

    rows: NDArray[np.integer]
    ends: NDArray[np.int64]
    order: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, number: int) -> NDArray[np.int64]:
        """The rows of a batch."""
        piece = int(self.order[number])
        first = int(self.ends[piece - 1]) if piece else 0
        return self.rows[first : int(self.ends[piece])].astype(np.int64)


class Order(Epochs[Batch]):
    """The batches of a store, epoch after epoch; each pair shows `variants` of its segmentations in turn."""

    def __init__(self, store: Store, budget: int, seed: int, longest: int, variants: int = 1) -> None:
        self._lengths = [
            side.reshape(len(store), store.variants)[:, :variants]
            for side in (store.source_lengths, store.target_lengths)
        ]
        fitting = np.ones(len(store), dtype=np.bool_)
        for side in self._lengths:
            fitting &= (side <= longest).all(axis=1)
        self.left_out = int(np.count_nonzero(~fitting))
        self._rows = np.flatnonzero(fitting).astype(np.int32 if len(store) <= MOST_IN_32_BITS else np.int64)
        if not len(self._rows):
            raise CorpusError(f"no training pair has at most {longest} tokens on each side; raise data.longest")
        self.longest = max(int(side.max(where=fitting[:, None], initial=0)) for side in self._lengths)
        if budget < 2 * self.longest:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a pair with a side of {self.longest} tokens; "
                f"use {2 * self.longest} or more, or a smaller data.longest"
            )
        self._store, self._budget, self._seed, self._shown = store, budget, seed, variants
        self._allowed = longest
        self._epoch: tuple[int, Cut] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def tokens(self) -> int:
        """The tokens of both sides in one epoch, in the best segmentation."""
        return sum(int(side[self._rows, 0].sum(dtype=np.int64)) for side in self._lengths)

    @property
    def longest_text(self) -> int:
        """The most tokens, in the best segmentation, of a target, or of a source without what stands before it."""
        ends = np.cumsum(self._store.source_lengths, dtype=np.int64).reshape(len(self._store), -1)[self._rows, 0] - 1
        marks = np.concatenate([[-1], np.flatnonzero(self._store.stream("source") == END)])
        own = ends - marks[np.searchsorted(marks, ends) - 1]  # from the end mark before that of the text itself
        return max(int(own.max()), int(self._lengths[1][self._rows, 0].max()))

    @property
    def remarks(self) -> list[str]:
        """What was left out."""
        if not self.left_out:
            return []
        return [f"{self.left_out:,} pairs have more than {self._allowed} tokens and are left out."]

    def _epoch_of(self, epoch: int) -> Epoch[Batch]:
        batches = self.cut(epoch)

        def batch(number: int) -> Batch:
            rows = batches[number]
            return make_batch(self._store, rows, variant_of(self._seed, epoch, rows, self._shown))

        return len(batches), batch

    def cut(self, epoch: int) -> Cut:
        """The rows of every batch of an epoch; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = None  # before the next is made, so that two are never held
            self._epoch = epoch, self._shuffled(epoch)
        return self._epoch[1]

    def _shuffled(self, epoch: int) -> Cut:
        chance = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
        rows = chance.permutation(self._rows)
        return in_pools(chance, rows, *self._lengths_in(epoch, rows), self._budget)

    def _lengths_in(self, epoch: int, rows: NDArray[np.integer]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The lengths of both sides in the segmentations that an epoch shows."""
        shown = 0 if self._shown == 1 else variant_of(self._seed, epoch, rows, self._shown)
        source, target = (side[rows, shown] for side in self._lengths)
        return source, target


def in_pools(
    chance: np.random.Generator,
    rows: NDArray[np.integer],
    source: NDArray[np.integer],
    target: NDArray[np.integer],
    budget: int,
) -> Cut:
    """Shuffled rows of these lengths as batches: sorted and cut within pools, and the batches shuffled in groups."""
    pool = max(1, POOL * budget // max(1, int((source + target).mean())))
    tokens = source + target
    found = []
    for start in range(0, len(rows), pool):
        part = slice(start, start + pool)
        order = alike(source[part], target[part])
        rows[part] = rows[part][order]
        tokens[part] = tokens[part][order]
        found.append(start + cut(source[part][order], target[part][order], budget))
    ends = in_whole_groups(np.concatenate(found))
    starts = ends - np.diff(ends, prepend=0)
    return Cut(rows, ends, shuffled_in_groups(chance, np.add.reduceat(tokens, starts, dtype=np.int64)))


def in_whole_groups(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same batches, those of most rows cut in two until there are groups of `TOGETHER` of them.

    Else the next epoch would begin within a group, and none of its steps would have a whole one.
    """
    if len(ends) < TOGETHER:
        return ends
    sizes = np.diff(ends, prepend=0)
    largest = np.argsort(-sizes, kind="stable")[: -len(ends) % TOGETHER]
    largest = largest[sizes[largest] > 1]
    return np.sort(np.concatenate([ends, ends[largest] - sizes[largest] // 2]))


def shuffled_in_groups(chance: np.random.Generator, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """An order of batches with so many tokens: groups of like batches shuffled, what makes no group at the end."""
    by_size = np.argsort(tokens, kind="stable")
    rest = len(by_size) % TOGETHER
    groups = chance.permutation(by_size[rest:].reshape(-1, TOGETHER))
    return np.concatenate([groups.ravel(), chance.permutation(by_size[:rest])])


def alike(source: NDArray[np.integer], target: NDArray[np.integer]) -> NDArray[np.int64]:
    """An order in which neighbours have like lengths on both sides.

    By target lengths, two of them together, and within these by source lengths, up and down in turn: no two
    neighbours are far apart, as they are where the source begins anew at its shortest (5.4 % of a batch of Multi30k is
    padding, and 7.8 % in the order of target and source).
    """
    groups = np.unique(target // 2, return_inverse=True)[1]  # numbered without gaps
    return np.lexsort((np.where(groups % 2, source, -source), groups))


def cut(source: NDArray[np.integer], target: NDArray[np.integer], budget: int) -> NDArray[np.int64]:
    """Where groups of neighbours end whose padded tokens, rows × (longest source + longest target), fit the budget.

    A group takes as many rows as fit, a whole number of `ROWS` if it can and the last one all that are left. Its tokens
    only rise with its rows, so the last that fits is found by counting; at most budget / (tokens of its first row) rows
    can be in it.
    """
    ends, first = [], 0
    while first < len(source):
        most = max(1, budget // max(1, int(source[first]) + int(target[first])))
        longest_source = np.maximum.accumulate(source[first : first + most], dtype=np.int64)
        longest_target = np.maximum.accumulate(target[first : first + most], dtype=np.int64)
        tokens = (longest_source + longest_target) * np.arange(1, len(longest_source) + 1)
        fitting = int(np.count_nonzero(tokens <= budget))
        if fitting > ROWS and first + fitting < len(source):
            fitting -= fitting % ROWS
        first += max(1, fitting)
        ends.append(first)
    return np.array(ends, dtype=np.int64)
