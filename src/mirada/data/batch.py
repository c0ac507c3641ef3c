"""A batch of sentence pairs that knows its lengths.

Legend: B batch, S source places, N target places, M target tokens that count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.attention import Padding
from mirada.corpora.store import Store
from mirada.text.subwords import BEGIN, PADDING


@dataclass(frozen=True, eq=False)
class Batch:
    """Sources, targets as the decoder enters them (begin mark first), and what it should say at each place."""

    source: Int[Tensor, "B S"]
    source_padding: Padding
    target: Int[Tensor, "B N"]
    target_padding: Padding
    expected: Int[Tensor, "M"]  # row by row, padding left out
    places: Int[Tensor, "M"]  # where they stand among the B · N places
    tokens: int  # of both sides, without padding

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        return Batch(
            self.source.to(device),
            replace(self.source_padding, real=self.source_padding.real.to(device)),
            self.target.to(device),
            replace(self.target_padding, real=self.target_padding.real.to(device)),
            self.expected.to(device),
            self.places.to(device),
            self.tokens,
        )


def make_batch(store: Store, rows: NDArray[np.int64], variants: NDArray[np.int64] | None = None) -> Batch:
    """The batch of these rows of a store, each in the chosen segmentation."""
    source, source_lengths = store.batch(rows, "source", variants)
    said, target_lengths = store.batch(rows, "target", variants)
    return pair_up(source, source_lengths, said, target_lengths)


def pair_up(
    source: NDArray[np.int64],
    source_lengths: NDArray[np.int64],
    said: NDArray[np.int64],
    target_lengths: NDArray[np.int64],
) -> Batch:
    """A batch of padded ids; `said` ends with the end mark, and what enters is the same one place later."""
    entered = np.full_like(said, PADDING)
    entered[:, 0] = BEGIN
    entered[:, 1:] = said[:, :-1]
    real = np.arange(said.shape[1]) < target_lengths[:, None]
    entered[~real] = PADDING  # the end mark of a shorter row never enters
    return Batch(
        torch.from_numpy(source),
        Padding.from_lengths(source_lengths.tolist(), source.shape[1]),
        torch.from_numpy(entered),
        Padding.from_lengths(target_lengths.tolist(), said.shape[1]),
        torch.from_numpy(said[real]),
        torch.from_numpy(np.flatnonzero(real)),
        int(source_lengths.sum() + target_lengths.sum()),
    )
