"""Muon: the step of a matrix with all its singular values made alike (Jordan et al. 2024).

    m ← μ m + (1 − μ) g        u = μ m + (1 − μ) g = U Σ Vᵀ        W ← (1 − η λ) W − η · 0.2 √max(rows, columns) · U Vᵀ

The scale is that of Liu et al. 2025: a step is as long as one of Adam, so that one rate serves both. torch's own Muon
iterates in bf16 whatever the machine; processors that only imitate bf16 are a hundred times slower at it than at
float32, and so this one iterates in the precision that the model computes in. In bf16 both take the same
steps where torch computes both.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.operations.orthogonal import iterated

# Of x ← a x + (b x xᵀ + c (x xᵀ)²) x, which five times brings singular values from 0.01 … 1 to about 0.7 … 1.2.
COEFFICIENTS = 3.4445, -4.775, 2.0315
STEPS = 5
LEAST_NORM = 1e-7
LENGTH = 0.2  # of a step, as the root of the mean square of its numbers: what Adam's is in practice


def orthogonal(x: Float[Tensor, "N M"], kind: torch.dtype) -> Float[Tensor, "N M"]:
    """U Vᵀ of a matrix U Σ Vᵀ, about, by an iteration in this precision (Newton and Schulz)."""
    tall = x.shape[0] > x.shape[1]
    y = (x.T if tall else x).to(kind)
    y = iterated(y / y.norm().clamp_min(LEAST_NORM), COEFFICIENTS, STEPS)
    return y.T if tall else y


def move(
    matrix: Float[Tensor, "N M"],
    gradient: Float[Tensor, "N M"],
    mean: Float[Tensor, "N M"],
    *,
    rate: float,
    momentum: float,
    decay: float,
    kind: torch.dtype,
) -> None:
    """Bring a matrix and the running mean of its gradients up to date."""
    mean.lerp_(gradient, 1 - momentum)
    step = orthogonal(gradient.lerp(mean, momentum), kind)
    matrix.mul_(1 - rate * decay).add_(step, alpha=-rate * LENGTH * max(matrix.shape) ** 0.5)
