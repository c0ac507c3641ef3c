"""The softmax of short rows equals torch's in double precision, forward and backward."""

from __future__ import annotations

import pytest
import torch

from mirada.attention.softmax import SHORT, softmax

LENGTHS = (1, 3, 7, 13, 15, 16, 17, 31, 32, SHORT - 1, SHORT, SHORT + 5)
BOUNDS = {torch.float32: 1e-6, torch.bfloat16: 1e-2}


@pytest.mark.parametrize("dtype", BOUNDS, ids=str)
@pytest.mark.parametrize("length", LENGTHS)
def test_it_is_the_softmax(length: int, dtype: torch.dtype) -> None:
    torch.manual_seed(length)
    scores = (4 * torch.randn(5, 3, length)).to(dtype).requires_grad_()
    slope = torch.randn(5, 3, length).to(dtype)
    weights = softmax(scores)
    (gradient,) = torch.autograd.grad(weights, scores, slope)
    wide = scores.detach().double().requires_grad_()
    (expected,) = torch.autograd.grad(wide.softmax(-1), wide, slope.double())
    assert weights.dtype == gradient.dtype == dtype
    assert torch.allclose(weights.double(), wide.softmax(-1), atol=BOUNDS[dtype])
    assert torch.allclose(gradient.double(), expected, atol=BOUNDS[dtype])


@pytest.mark.parametrize("length", [7, 16])
def test_the_largest_numbers_do_not_overflow(length: int) -> None:
    """What may not be looked at stands at the lowest number of its type; a row of nothing else is uniform."""
    lowest = torch.finfo(torch.bfloat16).min
    scores = torch.full((2, length), lowest, dtype=torch.bfloat16)
    scores[0, 2] = 3e38
    weights = softmax(scores)
    assert weights[0].tolist() == [float(place == 2) for place in range(length)]
    assert torch.allclose(weights[1].float(), torch.full((length,), 1 / length), atol=1e-3)
