"""What tests of the compiled operations share: when they run, and what they hold the library against.

The library is given numbers of bf16, and torch the same numbers in float64. What the library gives was rounded to bf16
once or twice on its way, so that it may be off by 2 to 4 thousandths of its norm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from mirada.native import learning
from mirada.operations import choice

BOUND = 0.01  # of the norm; the errors of a wrong sum are hundreds of times as large
SMALL = 1e-4  # the least norm that an error is held against: rounding may leave a little of a gradient that is 0
NEEDED = pytest.mark.skipif(choice.why_not() is not None, reason=str(choice.why_not()))
ONE_THREAD = pytest.mark.usefixtures("one_thread")
MARKS = [NEEDED, ONE_THREAD]


class Calls(list[tuple[object, ...]]):
    """The calls of the library, each as its name and arguments."""

    @property
    def names(self) -> list[str]:
        return [str(name) for name, *_ in self]


def watched(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """The calls of the library from now on, in their order."""
    calls, call = Calls(), learning.call

    def noted(*arguments: object) -> None:
        calls.append(arguments)
        call(*arguments)

    monkeypatch.setattr(learning, "call", noted)
    return calls


def random(*shape: int, learns: bool = True) -> Tensor:
    """Numbers of bf16 by chance."""
    return torch.randn(shape).bfloat16().requires_grad_(learns)


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """A map in bf16 whose results are about as large as its input, and whose bias is not 0."""
    made = nn.Linear(inputs, outputs, bias=bias)
    nn.init.normal_(made.weight, std=inputs**-0.5)
    if bias:
        nn.init.normal_(made.bias)
    return made.bfloat16()


def widened(x: Tensor | None) -> Tensor | None:
    """The same numbers in float64, which learn for themselves."""
    return None if x is None else x.detach().double().requires_grad_()


def distance(found: Tensor, wanted: Tensor, least: float = SMALL) -> float:
    """The norm of the error by that of what is wanted, or by the least that it is held against."""
    return ((found.double() - wanted).norm() / wanted.norm().clamp_min(least)).item()


def assert_near(found: Tensor, wanted: Tensor, bound: float = BOUND, least: float = SMALL) -> None:
    assert found.shape == wanted.shape
    assert distance(found, wanted, least) < bound


def assert_same(
    operation: Callable[..., Tensor | tuple[Tensor, ...]],
    formula: Callable[..., Tensor | tuple[Tensor, ...]],
    inputs: Sequence[Tensor | None],
    bound: float = BOUND,
) -> None:
    """An operation gives what its formula gives in float64, and so do all its gradients; inputs may be missing."""
    wide = [widened(one) for one in inputs]
    found, wanted = several(operation(*inputs)), several(formula(*wide))
    falls = [torch.randn_like(one).bfloat16() for one in wanted]
    to_inputs = gradients(found, [one for one in inputs if one is not None], falls)
    to_wide = gradients(wanted, [one for one in wide if one is not None], falls)
    for one, right in zip((*found, *to_inputs), (*wanted, *to_wide), strict=True):
        assert_near(one, right, bound)


def several(outputs: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """One output or some, as some."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


def gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor], falls: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """What falls on each input where this falls on the outputs; 0 where it has no part in them."""
    falling = [fall.to(one) for fall, one in zip(falls, outputs, strict=True)]
    return torch.autograd.grad(outputs, inputs, falling, materialize_grads=True)
