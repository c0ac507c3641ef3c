"""The order of batches: a function of seed and epoch, so that a run can be taken up at any batch.

Rows of like length stand together, so that little is padded: each epoch shuffles all rows, sorts them within pools of
many batches, cuts each pool into batches of a token budget and shuffles the batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store
from mirada.data.batch import Batch, make_batch
from mirada.text.sampling import variant_of

POOL = 100  # batches that are sorted together: with more, an epoch is hardly shuffled; with fewer, more is padded


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run stands in its data: the epoch, and the next batch of it."""

    epoch: int = 0
    batch: int = 0


class Order:
    """The batches of a store, epoch after epoch; each pair shows `variants` of its segmentations in turn."""

    def __init__(self, store: Store, budget: int, seed: int, longest: int, variants: int = 1) -> None:
        lengths = [
            side.astype(np.int64).reshape(len(store), store.variants)[:, :variants]
            for side in (store.source_lengths, store.target_lengths)
        ]
        fitting = np.maximum(*lengths).max(axis=1) <= longest
        self.left_out = int(np.count_nonzero(~fitting))
        self._rows = np.flatnonzero(fitting)
        if not len(self._rows):
            raise CorpusError(f"no training pair has at most {longest} tokens on each side; raise data.longest")
        self.longest = int(max(side[self._rows].max() for side in lengths))
        if budget < 2 * self.longest:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a pair with a side of {self.longest} tokens; "
                f"use {2 * self.longest} or more, or a smaller data.longest"
            )
        self._store, self._budget, self._seed = store, budget, seed
        self._lengths, self._shown = lengths, variants
        self._epoch: tuple[int, list[NDArray[np.int64]]] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def tokens(self) -> int:
        """The tokens of both sides in one epoch, in the best segmentation."""
        return int(sum(side[self._rows, 0].sum() for side in self._lengths))

    def batches_in(self, epoch: int) -> int:
        """How many batches an epoch has."""
        return len(self._cut(epoch))

    def from_position(self, position: Position) -> Iterator[tuple[Batch, Position]]:
        """All batches from a position on, without end, each with the position after it."""
        epoch, first = position.epoch, position.batch
        while True:
            batches = self._cut(epoch)
            for number in range(first, len(batches)):
                after = Position(epoch, number + 1) if number + 1 < len(batches) else Position(epoch + 1)
                yield self._make(batches[number], epoch), after
            epoch, first = epoch + 1, 0

    def _make(self, rows: NDArray[np.int64], epoch: int) -> Batch:
        return make_batch(self._store, rows, self._variants(rows, epoch))

    def _variants(self, rows: NDArray[np.int64], epoch: int) -> NDArray[np.int64]:
        return variant_of(self._seed, epoch, rows, self._shown)

    def _cut(self, epoch: int) -> list[NDArray[np.int64]]:
        """The rows of every batch of an epoch; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = epoch, self._shuffled(epoch)
        return self._epoch[1]

    def _shuffled(self, epoch: int) -> list[NDArray[np.int64]]:
        chance = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
        rows = chance.permutation(self._rows)
        variants = self._variants(rows, epoch)
        source, target = (side[rows, variants] for side in self._lengths)
        pool = max(1, POOL * self._budget // max(1, int((source + target).mean())))
        batches: list[NDArray[np.int64]] = []
        for start in range(0, len(rows), pool):
            part = slice(start, start + pool)
            order = np.lexsort((source[part], target[part]))
            pieces = cut(source[part][order], target[part][order], self._budget)
            batches += [rows[part][order][first:last] for first, last in pieces]
        return [batches[number] for number in chance.permutation(len(batches))]


def cut(source: NDArray[np.int64], target: NDArray[np.int64], budget: int) -> list[tuple[int, int]]:
    """Neighbours in groups whose padded tokens, rows × (longest source + longest target), stay within the budget."""
    pieces = []
    first, longest_source, longest_target = 0, 0, 0
    for place, (one, other) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        wider = max(longest_source, one), max(longest_target, other)
        if place > first and (place - first + 1) * sum(wider) > budget:
            pieces.append((first, place))
            first, wider = place, (one, other)
        longest_source, longest_target = wider
    if first < len(source):
        pieces.append((first, len(source)))
    return pieces
