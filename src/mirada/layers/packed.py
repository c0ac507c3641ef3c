"""Packed tokens: the sequences of a padded batch, one after the other in a single row.

Legend: B batch, N places, R real places of all sequences, W model width.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Packing, Padding


@dataclass(frozen=True, eq=False)
class Packed:
    """The real tokens of a batch whose padding is at the end: what they are, and where they stood."""

    tokens: Int[Tensor, "1 R"]
    places: Int[Tensor, "R"]  # of each token in its sequence
    rows: Int[Tensor, "R"]  # of each token among the B · N places of the batch
    lengths: Int[Tensor, "B"]
    shape: torch.Size  # of the batch

    @classmethod
    def of(cls, tokens: Int[Tensor, "B N"], padding: Padding) -> Packed:
        """The tokens without padding."""
        rows = padding.real.flatten().nonzero().flatten()
        packed = tokens.flatten().index_select(0, rows)[None]
        return cls(packed, rows % tokens.shape[1], rows, padding.real.sum(1), tokens.shape)

    def looks_at(self, other: Packed) -> Packing:
        """Each of these sequences looks at the one that has its number among the others."""
        return Packing.of(self.lengths, other.lengths)

    def unpacked(self, states: Float[Tensor, "1 R W"]) -> Float[Tensor, "B N W"]:
        """States where their tokens stood, 0 elsewhere."""
        flat = states.new_zeros(self.shape.numel(), states.shape[-1]).index_copy(0, self.rows, states[0])
        return flat.view(*self.shape, -1)
