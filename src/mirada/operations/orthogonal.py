"""The iteration of Newton and Schulz, which brings all singular values of a matrix near to one.

Legend: N rows, M columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_float

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.native import learning
from mirada.operations.choice import NUMBERS, fitting

Polynomial = tuple[float, float, float]  # what a matrix, its cube and its fifth power are multiplied with
LEAST_NORM = 1e-14  # of y yᵀ


def iterated(y: Float[Tensor, "N M"], by: Sequence[Polynomial]) -> Float[Tensor, "N M"]:
    """Y ← a y + (b S + c S²) y with S = y yᵀ, for each polynomial; what stands between is in the precision of y.

    The first is of y / √‖S‖, whose singular values are at most 1. That is nearer to them than the norm of y is, and S
    is there anyway.
    """
    if all(side > 0 and side % 2 == 0 for side in y.shape) and fitting(y):
        y = y.clone(memory_format=torch.contiguous_format)
        numbers = (c_float * (3 * len(by)))(*(number for polynomial in by for number in polynomial))
        learning.call("mirada_orthogonal", NUMBERS[y.dtype], y.data_ptr(), *y.shape, numbers, len(by))
        return y
    for step, (first, third, fifth) in enumerate(by):
        squared = y @ y.T
        if step == 0:
            norm = squared.norm().clamp_min(LEAST_NORM)
            y, squared = y / norm.sqrt(), squared / norm
        y = torch.addmm(y, torch.addmm(squared, squared, squared, beta=third, alpha=fifth), y, beta=first)
    return y
