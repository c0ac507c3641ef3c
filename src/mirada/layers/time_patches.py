"""Patches of time: some steps of a series in a row as one state.

Legend: B rows, N steps, C channels that are read together, P patches, S steps of a patch, W width.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


def patches_in(steps: int, patch: int, stride: int) -> int:
    """How many patches cover so many steps."""
    return 1 + -(-max(0, steps - patch) // stride)


def cut(series: Float[Tensor, "B N C"], patch: int, stride: int) -> Float[Tensor, "B P S C"]:
    """Overlapping pieces of a series; the last one ends with it, and what the first lacks repeats the first step."""
    count = patches_in(series.shape[1], patch, stride)
    lacking = (count - 1) * stride + patch - series.shape[1]
    if lacking:
        series = torch.cat([series[:, :1].expand(-1, lacking, -1), series], 1)
    return series.unfold(1, patch, stride).transpose(2, 3)


class TimePatches(nn.Module):
    """W x + b for each patch x, all channels of it together (Nie et al. 2023, 3.1)."""

    def __init__(self, channels: int, patch: int, stride: int, width: int) -> None:
        super().__init__()
        self.patch, self.stride = patch, stride
        self.map = nn.Linear(channels * patch, width)

    def forward(self, series: Float[Tensor, "B N C"]) -> Float[Tensor, "B P W"]:
        return self.map(cut(series, self.patch, self.stride).flatten(2))
