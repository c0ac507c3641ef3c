"""Words with their neighbours, in blocks: what word vectors are learnt from.

A stretch of text is thinned (frequent words are left out by chance: Mikolov et al. 2013, §2.3) and cut into blocks of Q
words. All words of a block see the same K = Q + 2 · window places and share N other words drawn at random, so that a
block is a few small matrix products (Ji et al. 2016). Who is a neighbour is a mask: at most as far as a distance drawn
for each word, and in the same line.

Legend: B blocks, Q words of a block, K places around it, N words drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor

BLOCK = 32  # words; larger blocks multiply more pairs that are no neighbours
DRAWN = 32  # for each block
AT_ONCE = 128  # blocks of a step; the rows of a word that it holds many times move once
STRETCH = 1 << 18  # ids of the text between two places where a run can be taken up
POWER = 0.75  # of its count is how often a word is drawn


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Blocks of words, what stands around them, and what was drawn instead."""

    words: Int[Tensor, "B Q"]
    around: Int[Tensor, "B K"]
    seen: Bool[Tensor, "B Q K"]  # who of those around is a neighbour
    drawn: Int[Tensor, "B N"]


@dataclass(frozen=True, eq=False)
class NeighbourText:
    """A text of word ids that can be read as neighbours; all chance is a function of seed, epoch and stretch."""

    text: NDArray[Any]  # with `line_end` between lines
    counts: NDArray[np.int64]  # of each word
    line_end: int
    window: int
    sample: float  # the share of the text above which a word is thinned; 0: none is
    seed: int

    @property
    def stretches(self) -> int:
        """How many there are in an epoch."""
        return max(1, -(-len(self.text) // STRETCH))

    @cached_property
    def _kept(self) -> NDArray[np.float64]:
        """How likely each word is to stay, as word2vec has it: √(t / f) + t / f."""
        share = self.counts / max(1, self.counts.sum())
        if self.sample == 0:
            return np.ones(len(share))
        relative = self.sample / np.maximum(share, 1e-300)
        return np.minimum(1.0, np.sqrt(relative) + relative)

    @cached_property
    def _cumulative(self) -> NDArray[np.float64]:
        weights = np.maximum(self.counts, 1) ** POWER
        return np.cumsum(weights / weights.sum())

    def stretch(self, epoch: int, number: int) -> Iterator[Neighbours]:
        """The steps of one stretch of the text."""
        chance = np.random.Generator(np.random.Philox(key=[self.seed, (epoch << 32) + number]))
        ids, lines = self._thinned(self.text[number * STRETCH : (number + 1) * STRETCH].astype(np.int64), chance)
        for start in range(0, len(ids), BLOCK * AT_ONCE):
            yield self._step(ids, lines, start, chance)

    def _thinned(
        self, ids: NDArray[np.int64], chance: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The words that stay, and the number of the line that each stands in."""
        lines = np.cumsum(ids == self.line_end)
        word = ids != self.line_end
        kept = np.zeros(len(ids), dtype=np.bool_)
        kept[word] = chance.random(int(np.count_nonzero(word))) < self._kept[ids[word]]
        return ids[kept], lines[kept]

    def _step(
        self, ids: NDArray[np.int64], lines: NDArray[np.int64], start: int, chance: np.random.Generator
    ) -> Neighbours:
        size = min(BLOCK * AT_ONCE, -(-(len(ids) - start) // BLOCK) * BLOCK)
        window, blocks = self.window, size // BLOCK
        places = np.arange(start - window, start + size + window)
        real = (places >= 0) & (places < len(ids))
        # Places beyond the text are lines of their own, so that nobody there is a neighbour.
        word = np.where(real, ids[places.clip(0, len(ids) - 1)], 0)
        line = np.where(real, lines[places.clip(0, len(ids) - 1)], -1)
        around, line_around = (torch.from_numpy(one).unfold(0, BLOCK + 2 * window, BLOCK) for one in (word, line))
        own = line_around[:, window : window + BLOCK]
        reach = torch.from_numpy(chance.integers(1, window + 1, (blocks, BLOCK)))
        seen = (self._distances <= reach[:, :, None]) & (line_around[:, None] == own[:, :, None])
        drawn = np.searchsorted(self._cumulative, chance.random((blocks, DRAWN))).clip(max=len(self.counts) - 1)
        return Neighbours(
            around[:, window : window + BLOCK].contiguous(),
            around.contiguous(),
            seen & (own >= 0)[:, :, None],
            torch.from_numpy(drawn),
        )

    @cached_property
    def _distances(self) -> Int[Tensor, "Q K"]:
        """How far each place around stands from each word of a block; from itself out of everyone's reach."""
        apart = (torch.arange(BLOCK + 2 * self.window)[None] - self.window - torch.arange(BLOCK)[:, None]).abs()
        return torch.where(apart == 0, self.window + 1, apart)
