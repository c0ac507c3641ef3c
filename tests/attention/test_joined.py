"""Parts of a pattern joined into one softmax: kept or computed again, the same answer and the same gradients."""

import pytest
import torch
from torch import Tensor

from mirada.attention import (
    Attention,
    Causal,
    Facts,
    Fixed,
    Kernel,
    Padding,
    Pattern,
    Shaw,
    Strided,
    Window,
    attend,
    explain,
)
from mirada.attention.kernels.runs import RUN
from tests.pieces import small_pieces

PATTERNS = [Causal() & (Window(3, 0) | Strided(4)), Fixed(5, 2) | Window(1, 1)]


def answered(attention: Attention, x: Tensor, facts: Facts, kernel: Kernel) -> list[Tensor]:
    """The output, and the gradients of the states and of all that is learned."""
    output = attend(attention.problem(x, facts=facts), kernel)
    return [output, *torch.autograd.grad(output.sin().sum(), [x, *attention.parameters()], allow_unused=True)]


@pytest.mark.parametrize("padded", [False, True], ids=["full rows", "padded rows"])
@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_what_is_computed_again_is_what_was_kept(pattern: Pattern, padded: bool) -> None:
    attention = Attention(12, heads=3, pattern=pattern, position=Shaw(2)).double()
    x = torch.randn(2, 17, 12, dtype=torch.float64, requires_grad=True)
    facts = Facts(Padding.from_lengths([17, 6]) if padded else None)
    dense, kept = (answered(attention, x, facts, kernel) for kernel in (Kernel.DENSE, Kernel.GATHERED))
    with small_pieces():
        again = answered(attention, x, facts, Kernel.GATHERED)
    for wanted, *found in zip(dense, kept, again, strict=True):
        for one in found:
            torch.testing.assert_close(one, wanted)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32])
def test_rows_that_see_nobody_stay_finite_in_every_precision(kind: torch.dtype) -> None:
    attention = Attention(8, heads=2, pattern=PATTERNS[1]).to(kind)
    x = torch.randn(1, 16, 8).to(kind).requires_grad_()
    nobody = Facts(Padding.from_mask(torch.zeros(1, 16, dtype=torch.bool)))
    with small_pieces():
        output = attend(attention.problem(x, facts=nobody), Kernel.GATHERED)
        (found,) = torch.autograd.grad(output.sum(), x)
    assert not output.any()
    assert not found.any()


def test_a_long_sequence_holds_no_more_than_a_run() -> None:
    attention = Attention(8, heads=2, pattern=Causal() & (Window(64, 0) | Strided(128)))
    short, long = (explain(attention.problem(torch.zeros(1, length, 8)), Kernel.GATHERED) for length in (512, 16_384))
    assert short.held_bytes == 4 * 2 * short.pairs, "all pairs of both heads, in float32"
    assert long.held_bytes == 4 * RUN < 4 * 2 * long.pairs
