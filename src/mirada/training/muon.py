"""Muon: the step of a matrix with all its singular values made alike, and then its rows.

    m ← μ m + (1 − μ) g        u = μ m + (1 − μ) g = U Σ Vᵀ        r ← β r + (1 − β) mean of the squares of U Vᵀ by row
    W ← (1 − η λ) W − η · 0.2 √max(rows, columns) · c · U Vᵀ / √r        c such that the norm is that of U Vᵀ

The singular values are from Jordan et al. 2024; the rows from Li et al. 2025 (NorMuon), which they call neurons.
The scale is that of Liu et al. 2025: a step is as long as one of Adam, so that one rate serves both. torch's own Muon
iterates in bf16 whatever the machine; processors that only imitate bf16 are a hundred times slower at it than at
float32, and so this one iterates in the precision that the model computes in.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.operations.orthogonal import Polynomial, iterated

# Three odd polynomials, each the nearest to 1 between the bounds that the one before leaves (Amsel et al. 2025), from
# 0.01 … 1 on and with 1 % to spare. Together they bring that to 0.71 … 1.27. The five equal steps of Jordan et al.
# bring it to 0.68 … 1.21, and a model learns no better by them (docs/experiments.md).
POLYNOMIALS: tuple[Polynomial, ...] = (
    (8.0132, -22.9258, 16.5994),
    (3.6006, -2.6419, 0.5105),
    (2.6350, -1.9190, 0.4306),
)
LEAST = 1e-7  # of a norm, and of the mean of the squares of a row
LENGTH = 0.2  # of a step, as the root of the mean square of its numbers: what Adam's is in practice
ROWS_KEPT = 0.95  # β, of the rows' mean squares


def orthogonal(x: Float[Tensor, "N M"], kind: torch.dtype) -> Float[Tensor, "N M"]:
    """U Vᵀ of a matrix U Σ Vᵀ, about, by an iteration in this precision (Newton and Schulz)."""
    tall = x.shape[0] > x.shape[1]
    y = (x.T if tall else x).to(kind)
    y = iterated(y / y.norm().clamp_min(LEAST), POLYNOMIALS)
    return y.T if tall else y


def alike(step: Float[Tensor, "N M"], rows: Float[Tensor, "N 1"]) -> Float[Tensor, "N 1"]:
    """What each row of a step is to be multiplied with, so that rows are about as long as each other over time.

    `rows` is the running mean of their mean squares, which is brought up to date; the norm of the step stays.
    """
    squares = step.square().mean(1, keepdim=True)
    rows.lerp_(squares, 1 - ROWS_KEPT)
    seen = rows.clamp_min(LEAST)
    return (squares.sum() / (squares / seen).sum().clamp_min(LEAST)).sqrt() / seen.sqrt()


def move(
    matrix: Float[Tensor, "N M"],
    gradient: Float[Tensor, "N M"],
    mean: Float[Tensor, "N M"],
    rows: Float[Tensor, "N 1"],
    *,
    rate: float,
    momentum: float,
    decay: float,
    kind: torch.dtype,
) -> None:
    """Bring a matrix, the running mean of its gradients, and that of its rows up to date."""
    mean.lerp_(gradient, 1 - momentum)
    step = orthogonal(gradient.lerp(mean, momentum), kind).to(matrix.dtype)
    length = rate * LENGTH * max(matrix.shape) ** 0.5
    matrix.mul_(1 - rate * decay).addcmul_(step, alike(step, rows), value=-length)
