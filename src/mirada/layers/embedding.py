"""Embeddings: tokens as states, scaled by √width, with their places.

Legend: B batch, N places, W model width, T vocabulary.
"""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Learned, PositionalInput, Sinusoidal
from mirada.layers.noise import Noise, drop


class Embedding(nn.Module):
    """√width · E[token], joined with its place by sum or side by side.

    Side by side, the last `position_width` coordinates of a state are its place, and the token has the others.
    """

    def __init__(
        self,
        vocabulary: int,
        width: int,
        position: Sinusoidal | Learned | None = None,
        join: Literal["add", "concatenate"] = "add",
        position_width: int | None = None,
    ) -> None:
        super().__init__()
        beside = 0
        if position is not None and join == "concatenate":
            beside = width // 4 if position_width is None else position_width
            if not 0 < beside < width:
                raise ValueError(f"positions of width {beside} leave no room in states of width {width}; use less")
        self.width = width
        self.token_width = width - beside
        self.weight = nn.Parameter(torch.empty(vocabulary, self.token_width))
        nn.init.normal_(self.weight, std=self.token_width**-0.5)
        self.places = None if position is None else PositionalInput(position, beside or width, join)

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        offset: int = 0,
        noise: Noise | None = None,
        places: Int[Tensor, "N"] | None = None,
    ) -> Float[Tensor, "B N W"]:
        """The states of tokens that stand one after the other from `offset` on, or at these places."""
        states = functional.embedding(tokens, self.weight) * self.token_width**0.5
        if self.places is not None:
            states = self.places(states, offset, places)
        return drop(noise, states)
