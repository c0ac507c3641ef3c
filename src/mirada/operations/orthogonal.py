"""The iteration of Newton and Schulz, which brings all singular values of a matrix near to one.

Legend: N rows, M columns.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.native import learning
from mirada.operations.choice import fitting

Coefficients = tuple[float, float, float]


def iterated(y: Float[Tensor, "N M"], by: Coefficients, steps: int) -> Float[Tensor, "N M"]:
    """Y ← a y + (b S + c S²) y with S = y yᵀ, some times; what stands between is in the precision of y."""
    first, third, fifth = by
    if all(side > 0 and side % 2 == 0 for side in y.shape) and fitting(y):
        y = y.clone(memory_format=torch.contiguous_format)
        learning.call("mirada_orthogonal", y.data_ptr(), *y.shape, first, third, fifth, steps)
        return y
    for _ in range(steps):
        squared = y @ y.T
        y = torch.addmm(y, torch.addmm(squared, squared, squared, beta=third, alpha=fifth), y, beta=first)
    return y
