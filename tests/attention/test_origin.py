"""Queries, keys and values that are made again for the backward pass: nothing of them is kept, and nothing changes."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from mirada.attention import Attention, Causal, Kernel, Pattern, Rotary, Strided, Window, attend
from mirada.attention.problem import Problem
from tests.pieces import small_pieces

CASES = [(Window(3, 0), Kernel.BLOCKED), (Causal() & (Window(2, 0) | Strided(5)), Kernel.GATHERED)]


def gradients(attention: Attention, problem: Problem, x: Tensor, kernel: Kernel) -> list[Tensor | None]:
    output = attend(problem, kernel)
    return [output, *torch.autograd.grad(output.sin().sum(), [x, *attention.parameters()], allow_unused=True)]


def kept_shapes(problem: Problem, kernel: Kernel) -> list[tuple[int, ...]]:
    """The shapes of all that a kernel saves."""
    shapes: list[tuple[int, ...]] = []

    def pack(tensor: Tensor) -> Tensor:
        shapes.append(tuple(tensor.shape))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        attend(problem, kernel)
    return shapes


@pytest.mark.parametrize(("pattern", "kernel"), CASES, ids=str)
def test_the_states_are_kept_in_their_place(pattern: Pattern, kernel: Kernel) -> None:
    attention = Attention(12, heads=3, pattern=pattern, position=Rotary()).double()
    x = torch.randn(2, 23, 12, dtype=torch.float64, requires_grad=True)
    with small_pieces():
        problem = attention.problem(x)
        assert problem.origin is not None
        alone = replace(problem, origin=None)
        looked_at = {(2, 3, 23, 4), (2, 23, 3, 4)}  # the shapes of queries, keys and values
        saved, before = kept_shapes(problem, kernel), kept_shapes(alone, kernel)
        of_parts = saved.count((2, 23, 12))  # each part of a union computes by itself here
        assert of_parts >= 1
        assert sum(one in looked_at for one in before) - sum(one in looked_at for one in saved) == 3 * of_parts
        again = gradients(attention, problem, x, kernel)
        kept = gradients(attention, replace(attention.problem(x), origin=None), x, kernel)
    for one, other in zip(again, kept, strict=True):
        assert (one is other is None) or torch.equal(one, other)  # the output map has no part in it


def test_what_looks_at_a_memory_has_no_origin() -> None:
    attention = Attention(8, heads=2)
    x = torch.randn(1, 5, 8)
    assert attention.problem(x, attention.remember(x)).origin is None
