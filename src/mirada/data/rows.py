"""Rows of sentences: documents cut into rows of at most so many tokens, anew in every epoch.

A row is the mark of a beginning and then sentences that follow each other in a document, each with its end mark: as
many as fit. One row in ten is shorter than it could be (Devlin et al. 2019, A.2), so that other epochs cut at other
places. With pairs, a row of several sentences has two segments, and in half of the rows the second comes from
elsewhere; what it replaced begins the next row, so that nothing is passed over.

Legend: B rows of a batch, N places, L lines, R rows of an epoch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store
from mirada.data.epochs import Epoch, Epochs
from mirada.data.order import Cut, cut, in_pools
from mirada.data.stream import AnyBatch
from mirada.text.subwords import BEGIN, PADDING

SHORT = 0.1  # of the rows end before they are full
ELSEWHERE = 0.5  # of the rows with two segments have a second one that does not follow the first
ALONE = -1  # what is told of a row with one segment: nothing


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of an epoch: where their two segments stand among all tokens. The second may be empty."""

    names: NDArray[np.int64]  # the sentence that a row begins with: no two rows of an epoch have the same
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    second_starts: NDArray[np.int64]
    second_lengths: NDArray[np.int64]
    follows: NDArray[np.int64]  # 1 where the second segment follows the first, 0 where it does not, else ALONE

    def __len__(self) -> int:
        return len(self.names)

    @property
    def places(self) -> NDArray[np.int64]:
        """How many tokens each row has, with the mark of its beginning."""
        return 1 + self.lengths + self.second_lengths


@dataclass(frozen=True, eq=False)
class Gathered:
    """Some rows as ids, padded at the right."""

    ids: NDArray[np.int64]  # B × N
    lengths: NDArray[np.int64]
    segments: NDArray[np.int64]  # B × N: 0 or 1
    names: NDArray[np.int64]
    follows: NDArray[np.int64]


class Lines:
    """The sentences of a store whose lines without ids end documents, and the rows that they can be laid in."""

    def __init__(self, store: Store, longest: int) -> None:
        every = store.source_lengths
        lengths = every[every > 0].astype(np.int64)
        if not len(lengths):
            raise CorpusError("there is no sentence to read; give text files with some")
        self._stream, self.longest = store.stream("source"), longest
        self._starts = np.concatenate([[0], np.cumsum(lengths)])
        document = np.cumsum(every == 0)[every > 0]
        self._document_ends = np.searchsorted(document, document, side="right")
        self.cut_off = int(np.count_nonzero(lengths > longest - 1))

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def tokens(self) -> int:
        """The tokens of all sentences."""
        return int(self._starts[-1])

    def lay(self, seed: int, epoch: int, *, pairs: bool) -> Rows:
        """The rows of an epoch, in the order of the text."""
        chance = np.random.Generator(np.random.Philox(key=[seed, epoch]))
        count, room = len(self), self.longest - 1
        shorter = chance.integers(min(2, room), room, count, endpoint=True)
        rooms = np.where(chance.random(count) < SHORT, shorter, room)
        firsts = np.arange(count)
        ends = self._filled(firsts, rooms)
        if not pairs:
            names = _chain(ends)
            lengths = self._length(names, ends[names], room)
            nothing = np.zeros_like(names)
            return Rows(names, self._starts[names], lengths, nothing, nothing, np.full_like(names, ALONE))
        splits = firsts + 1 + (chance.random(count) * (ends - firsts - 1)).astype(np.int64)
        several = ends - firsts > 1
        others = self._elsewhere(chance.integers(count, size=count), ends)
        follows = (chance.random(count) >= ELSEWHERE) | ((others >= firsts) & (others <= ends))
        names = _chain(np.where(follows | ~several, ends, splits))
        return self._paired(names, ends[names], splits[names], others[names], follows[names], several[names])

    def gather(self, rows: Rows, chosen: NDArray[np.int64]) -> Gathered:
        """Some rows as ids."""
        first, second = rows.lengths[chosen], rows.second_lengths[chosen]
        lengths = 1 + first + second
        places = np.arange(int(lengths.max(initial=1)))
        before = 1 + first[:, None]  # places before the second segment
        from_first = rows.starts[chosen][:, None] + places - 1
        from_second = rows.second_starts[chosen][:, None] + places - before
        real = places < lengths[:, None]
        read = real & (places > 0)
        ids = np.full(real.shape, PADDING, dtype=np.int64)
        ids[:, 0] = BEGIN
        ids[read] = self._stream[np.where(places < before, from_first, from_second)[read]]
        segments = (real & (places >= before)).astype(np.int64)
        return Gathered(ids, lengths, segments, rows.names[chosen], rows.follows[chosen])

    def _filled(self, firsts: NDArray[np.int64], rooms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Before which sentence each row ends that begins with one of `firsts`: one at least, within its document."""
        fitting = np.searchsorted(self._starts, self._starts[firsts] + rooms, side="right") - 1
        return np.minimum(np.maximum(fitting, firsts + 1), self._document_ends[firsts])

    def _length(
        self, firsts: NDArray[np.int64], ends: NDArray[np.int64], most: NDArray[np.int64] | int
    ) -> NDArray[np.int64]:
        """The tokens of these sentences, of a long one its beginning."""
        return np.minimum(self._starts[ends] - self._starts[firsts], most)

    def _elsewhere(self, drawn: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sentences that were drawn for each row; one of the row itself is moved on by half of the text."""
        firsts = np.arange(len(drawn))
        near = (drawn >= firsts) & (drawn <= ends)
        return np.where(near, (drawn + len(self) // 2) % len(self), drawn)

    def _paired(
        self,
        names: NDArray[np.int64],
        ends: NDArray[np.int64],
        splits: NDArray[np.int64],
        others: NDArray[np.int64],
        follows: NDArray[np.bool_],
        several: NDArray[np.bool_],
    ) -> Rows:
        """Rows with a second segment where they have several sentences."""
        room = self.longest - 1
        lengths = self._length(names, np.where(several, splits, ends), room)
        seconds = np.where(follows, splits, others)
        left = room - lengths
        second_ends = np.where(follows, ends, self._filled(others, left))
        second_lengths = np.where(several, self._length(seconds, second_ends, left), 0)
        told = np.where(several, follows.astype(np.int64), ALONE)
        return Rows(names, self._starts[names], lengths, self._starts[seconds], second_lengths, told)


def _chain(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sentences that rows begin with: the first, then always the one that the row before ends before."""
    following, found, place = ends.tolist(), [], 0
    while place < len(following):
        found.append(place)
        place = following[place]
    return np.array(found, dtype=np.int64)


class RowBatches(Epochs[AnyBatch]):
    """The rows of some lines in batches of a token budget, epoch after epoch; `make` turns rows into a batch."""

    def __init__(
        self, lines: Lines, budget: int, seed: int, make: Callable[[Gathered, int], AnyBatch], *, pairs: bool = False
    ) -> None:
        if budget < lines.longest:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a row of data.longest = {lines.longest} tokens; "
                f"use {lines.longest} or more, or a smaller data.longest"
            )
        self._lines, self._budget, self._seed, self._make, self._pairs = lines, budget, seed, make, pairs
        self._epoch: tuple[int, Rows, Cut] | None = None

    @property
    def tokens(self) -> int:
        """The tokens of the text."""
        return self._lines.tokens

    @property
    def remarks(self) -> list[str]:
        """What is not read whole."""
        cut_off = self._lines.cut_off
        if not cut_off:
            return []
        return [f"{cut_off:,} sentences have more than {self._lines.longest - 1} tokens; their beginnings are read."]

    def _epoch_of(self, epoch: int) -> Epoch[AnyBatch]:
        rows, batches = self._laid(epoch)
        return len(batches), lambda number: self._make(self._lines.gather(rows, batches[number]), epoch)

    def _laid(self, epoch: int) -> tuple[Rows, Cut]:
        """The rows of an epoch and its batches; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            rows = self._lines.lay(self._seed, epoch, pairs=self._pairs)
            chance = np.random.Generator(np.random.Philox(key=[self._seed, epoch]).jumped())
            order, places = chance.permutation(len(rows)), rows.places
            self._epoch = epoch, rows, in_pools(chance, order, places[order], np.zeros_like(order), self._budget)
        return self._epoch[1], self._epoch[2]


def held_out(lines: Lines, tokens: int, budget: int, *, pairs: bool) -> list[Gathered]:
    """Rows to look at, the same at every call: at most so many tokens' worth, taken evenly, alike ones together."""
    rows = lines.lay(0, 0, pairs=pairs)
    most = max(1, int(len(rows) * tokens / max(1, int(rows.places.sum()))))
    chosen = np.arange(len(rows))
    if len(rows) > most:
        chosen = np.linspace(0, len(rows) - 1, most).astype(np.int64)
    chosen = chosen[np.argsort(rows.places[chosen], kind="stable")]
    places = rows.places[chosen]
    ends = cut(places, np.zeros_like(places), budget).tolist()
    return [lines.gather(rows, chosen[first:last]) for first, last in pairwise([0, *ends])]
