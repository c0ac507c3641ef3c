"""Masking: which words of a row are hidden, and what stands in their place (Devlin et al. 2019, 3.1).

Every choice is a hash of (seed, epoch, row, place): the same after a resume and in any batch, another in every epoch.

Legend: B batch, N places, M hidden places, A rows with two segments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.attention import Padding
from mirada.data.rows import ALONE, Gathered
from mirada.text.hashes import mix
from mirada.text.marks import FIRST_WORD, MASK

CHOOSE, REPLACE, RANDOM = 1, 2, 3  # what a number is drawn for


@dataclass(frozen=True, slots=True, eq=False)
class Masker:
    """How words are hidden: which share of the tokens, and of these how many become the mask, or any token."""

    begins: NDArray[np.bool_]  # of each id, whether it begins a word
    share: float = 0.15
    masked: float = 0.8
    random: float = 0.1
    whole_words: bool = True

    def choose(self, ids: NDArray[np.int64], names: NDArray[np.int64], seed: int, epoch: int) -> NDArray[np.bool_]:
        """The places to say, B × N: of each row its share of tokens, rounded and one at least, no mark among them."""
        can = ids >= FIRST_WORD
        order, _ = self.order(ids, names, seed, epoch)
        counts = np.maximum(1, np.round(self.share * can.sum(1)))
        return can & (order < counts[:, None])

    def order(
        self, ids: NDArray[np.int64], names: NDArray[np.int64], seed: int, epoch: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The turn of each place to be hidden, and how many places can be; the pieces of a word share its first turn.

        Words take turns by chance, and each as many as it has pieces; marks come last.
        """
        can = ids >= FIRST_WORD
        places = np.arange(ids.shape[1])
        heads = self.begins[ids] | np.bool_(not self.whole_words)
        heads = heads | ~can | np.pad(~can, ((0, 0), (1, 0)), constant_values=True)[:, :-1]  # after a mark, too
        first = np.maximum.accumulate(np.where(heads, places, 0), axis=1)  # where each place's word begins
        drawn = np.where(can, uniform(seed, epoch, names, first, CHOOSE), 2.0)
        turns = np.empty_like(first)
        # Sorted stably, the pieces of a word stay together and in order.
        np.put_along_axis(turns, np.argsort(drawn, axis=1, kind="stable"), np.broadcast_to(places, ids.shape), 1)
        return np.take_along_axis(turns, first, 1), can.sum(1)

    def hide(
        self,
        ids: NDArray[np.int64],
        chosen: NDArray[np.bool_],
        names: NDArray[np.int64],
        seed: int,
        epoch: int,
    ) -> NDArray[np.int64]:
        """The ids as they enter: of what was chosen most is the mask, some is any token, and some stays."""
        places = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
        drawn = uniform(seed, epoch, names, places, REPLACE)
        words = len(self.begins) - FIRST_WORD
        anything = FIRST_WORD + (uniform(seed, epoch, names, places, RANDOM) * words).astype(np.int64)
        entered = np.where(chosen & (drawn < self.masked), MASK, ids)
        return np.where(chosen & (drawn >= self.masked) & (drawn < self.masked + self.random), anything, entered)


def uniform(
    seed: int, epoch: int, names: NDArray[np.int64], places: NDArray[np.int64], what: int
) -> NDArray[np.float64]:
    """A number from 0 to 1 for each place of each row, [B, N]."""
    key = mix(np.array([seed], dtype=np.uint64))
    key = mix(key ^ np.uint64(epoch))
    key = mix(key ^ np.uint64(what))
    rows = mix(key ^ names.astype(np.uint64))[:, None]
    return (mix(rows ^ places.astype(np.uint64)) >> np.uint64(11)).astype(np.float64) * 2.0**-53


@dataclass(frozen=True, eq=False)
class MaskedBatch:
    """Rows with hidden words, what the words were, and which rows have a second segment that follows the first."""

    entered: Int[Tensor, "B N"]
    padding: Padding
    segments: Int[Tensor, "B N"]
    expected: Int[Tensor, "M"]  # row by row
    places: Int[Tensor, "M"]  # where they stand among the B · N places
    pairs: Int[Tensor, "A"]  # rows of which it can be said whether the second segment follows
    follows: Int[Tensor, "A"]  # 1 where it does, else 0
    tokens: int  # without padding

    def to(self, device: torch.device) -> MaskedBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        return MaskedBatch(
            self.entered.to(device),
            replace(self.padding, real=self.padding.real.to(device)),
            self.segments.to(device),
            self.expected.to(device),
            self.places.to(device),
            self.pairs.to(device),
            self.follows.to(device),
            self.tokens,
        )


def mask_rows(gathered: Gathered, masker: Masker, seed: int, epoch: int) -> MaskedBatch:
    """The batch of some rows with words hidden as in this epoch."""
    chosen = masker.choose(gathered.ids, gathered.names, seed, epoch)
    return make_masked(gathered, masker.hide(gathered.ids, chosen, gathered.names, seed, epoch), chosen)


def make_masked(gathered: Gathered, entered: NDArray[np.int64], chosen: NDArray[np.bool_]) -> MaskedBatch:
    """The batch of some rows as they enter, and the places whose words are to be said."""
    pairs = np.flatnonzero(gathered.follows != ALONE)
    return MaskedBatch(
        torch.from_numpy(entered),
        Padding.from_lengths(gathered.lengths.tolist(), entered.shape[1]),
        torch.from_numpy(gathered.segments),
        torch.from_numpy(gathered.ids[chosen]),
        torch.from_numpy(np.flatnonzero(chosen)),
        torch.from_numpy(pairs),
        torch.from_numpy(gathered.follows[pairs]),
        int(gathered.lengths.sum()),
    )
