"""Rows as two language models read them: each token is told from those before it, and from those after it.

Legend: B batch, N places, M tokens that are told by each of the two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from mirada.attention import Padding
from mirada.data.rows import Gathered


@dataclass(frozen=True, eq=False)
class BothBatch:
    """Rows, the places that the token after is told from and those that the one before is, and all these tokens."""

    entered: Int[Tensor, "B N"]
    padding: Padding
    ahead: Int[Tensor, "M"]  # among the B · N places
    behind: Int[Tensor, "M"]
    expected: Int[Tensor, "M2"]  # what follows the places ahead, then what is before those behind
    tokens: int  # without padding

    def to(self, device: torch.device) -> BothBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        return BothBatch(
            self.entered.to(device),
            replace(self.padding, real=self.padding.real.to(device)),
            self.ahead.to(device),
            self.behind.to(device),
            self.expected.to(device),
            self.tokens,
        )


def both_ways(gathered: Gathered) -> BothBatch:
    """The batch of some rows."""
    ids, lengths = gathered.ids, gathered.lengths
    places = np.arange(ids.shape[1])
    before_another = places < lengths[:, None] - 1
    after_another = (places > 0) & (places < lengths[:, None])
    expected = np.concatenate([ids[after_another], ids[before_another]])
    return BothBatch(
        torch.from_numpy(ids),
        Padding.from_lengths(lengths.tolist(), ids.shape[1]),
        torch.from_numpy(np.flatnonzero(before_another)),
        torch.from_numpy(np.flatnonzero(after_another)),
        torch.from_numpy(expected),
        int(lengths.sum()),
    )
