"""A causal convolution: each place together with those just before it.

Legend: B batch, N places, W model width.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import pad

from mirada.operations.maps import map_states


class CausalConvolution(nn.Module):
    """x_i + W [x_i, x_{i−1}, …, x_{i−k+1}] + b: a convolution of k places, and the way around it.

    Over what enters a stack, it brings at once what an n-gram model knows; without it the first blocks of a language
    model must learn to look at the place before, and at the one before that (So et al. 2021 and Allen-Zhu 2025 have
    convolutions within blocks). Before the first place stand zeros.
    """

    def __init__(self, width: int, places: int) -> None:
        super().__init__()
        if places < 2:
            raise ValueError(f"a convolution of {places} places sees nothing before a place; use 2 or more")
        self.before = places - 1
        self.places_map = nn.Linear(places * width, width)
        nn.init.xavier_uniform_(self.places_map.weight)
        nn.init.zeros_(self.places_map.bias)

    def forward(self, x: Float[Tensor, "B N W"]) -> Float[Tensor, "B N W"]:
        padded, length = pad(x, (0, 0, self.before, 0)), x.shape[1]
        beside = [padded[:, self.before - back : self.before - back + length] for back in range(self.before + 1)]
        return x + map_states(torch.cat(beside, -1), [self.places_map])[0]
