"""Places: where the keys of a memory stand in their sequence.

Legend: K keys.

Keys that stand one after the other are a `range`, which kernels and plans can reason about without reading numbers.
What is left of a memory after it forgot some keys may be scattered: then the places are listed.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

Places = range | Tensor  # listed places are of shape (K,), rising


def listed(places: Places, device: torch.device) -> Int[Tensor, "K"]:
    """The places as numbers."""
    if isinstance(places, range):
        return torch.arange(places.start, places.stop, device=device)
    return places


def joined(before: Places, after: Places, device: torch.device) -> Places:
    """Places followed by others."""
    if isinstance(before, range) and isinstance(after, range) and (not before or before.stop == after.start):
        return range(before.start, after.stop) if before else after
    return torch.cat([listed(before, device), listed(after, device)])


def highest(places: Places) -> int:
    """The last place, −1 where there is none."""
    return int(places[-1]) if len(places) else -1
