"""Norms: layer, root mean square, and batch.

Legend: B batch, N places, W model width.
"""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from mirada.operations.norms import layer_norm

NormKind = Literal["layer", "rms", "batch"]


class BatchNorm(nn.Module):
    """Normalisation of each coordinate over all real places of the batch (Ioffe and Szegedy 2015, algorithm 1).

    Training uses the batch's own mean and variance and follows them; afterwards the followed ones serve, so that a
    sentence's result does not depend on its batch.
    """

    mean: Tensor
    variance: Tensor

    def __init__(self, width: int, momentum: float = 0.1, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.momentum = momentum
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("variance", torch.ones(width))

    def forward(self, x: Float[Tensor, "B N W"], real: Bool[Tensor, "B N"] | None = None) -> Float[Tensor, "B N W"]:
        if self.training:
            places = x.flatten(0, 1) if real is None else x[real]
            if len(places) < 2:
                raise ValueError("batch norm needs two real places or more to train on; use larger batches")
            variance, mean = torch.var_mean(places, 0, correction=0)
            self._follow(mean.detach(), variance.detach())
        else:
            mean, variance = self.mean.to(x.dtype), self.variance.to(x.dtype)
        return (x - mean) * torch.rsqrt(variance + self.epsilon) * self.weight + self.bias

    @torch.no_grad()
    def _follow(self, mean: Float[Tensor, "W"], variance: Float[Tensor, "W"]) -> None:
        self.mean.lerp_(mean.to(self.mean.dtype), self.momentum)
        self.variance.lerp_(variance.to(self.variance.dtype), self.momentum)


class Norm(nn.Module):
    """One of the three norms, called alike."""

    def __init__(self, width: int, kind: NormKind = "layer") -> None:
        super().__init__()
        self.inner: nn.Module
        match kind:
            case "layer":
                self.inner = nn.LayerNorm(width)
            case "rms":
                self.inner = nn.RMSNorm(width, eps=1e-6)
            case "batch":
                self.inner = BatchNorm(width)
            case _:
                raise ValueError(f"norm = {kind!r}; use 'layer', 'rms' or 'batch'")

    def forward(self, x: Float[Tensor, "B N W"], real: Bool[Tensor, "B N"] | None = None) -> Float[Tensor, "B N W"]:
        if isinstance(self.inner, nn.LayerNorm):
            return layer_norm(x, self.inner)
        return self.inner(x, real) if isinstance(self.inner, BatchNorm) else self.inner(x)
