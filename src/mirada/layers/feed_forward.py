"""The feed-forward layer: the same small network at every place.

Legend: B batch, N places, W model width, F inner width.
"""

from __future__ import annotations

from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mirada.operations.maps import feed_forward, map_states

Activation = Literal["relu", "gelu", "swiglu"]


class FeedForward(nn.Module):
    """V f(W x + b) + c, f = ReLU (Vaswani et al. 2017, eq. 2), GELU, or SwiGLU: V (SiLU(W x) · U x) (Shazeer 2020)."""

    def __init__(self, width: int, inner: int, activation: Activation = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu", "swiglu"):
            raise ValueError(f"activation = {activation!r}; use 'relu', 'gelu' or 'swiglu'")
        self.activation = activation
        self.inner_map = nn.Linear(width, 2 * inner if activation == "swiglu" else inner)
        self.output_map = nn.Linear(inner, width)
        for linear in (self.inner_map, self.output_map):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Float[Tensor, "B N W"]) -> Float[Tensor, "B N W"]:
        if self.activation != "swiglu":
            return feed_forward(x, self.inner_map, self.output_map, self.activation)
        gate, value = map_states(x, [self.inner_map])[0].chunk(2, -1)
        return map_states(functional.silu(gate) * value, [self.output_map])[0]
