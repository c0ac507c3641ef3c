"""What tests of the compiled operations share: when they run, and what they hold the libraries against.

A library is given numbers of bf16 or float32, and torch the same numbers in float64. What is found was rounded once or
twice on its way, so that in bf16 it may be off by 2 to 4 thousandths of its norm. A test that uses the fixture
`library` (MARKS) runs once for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from mirada.native import learning
from mirada.operations import choice

BOUNDS = {torch.bfloat16: 0.01, torch.float32: 1e-5}  # of the norm; the errors of a wrong sum are far larger
LEFT = 1e-6  # of a number that is 0: what rounding on the way to it may leave
ONE_THREAD = pytest.mark.usefixtures("one_thread")
MARKS = [pytest.mark.usefixtures("library"), ONE_THREAD]

_now = torch.bfloat16


def precision() -> torch.dtype:
    """What the numbers of the test that runs now are in."""
    return _now


def set_precision(kind: torch.dtype) -> None:
    """What they are in from now on."""
    global _now  # noqa: PLW0603 what builds numbers is called from everywhere, also by hypothesis
    _now = kind


def needed(kind: torch.dtype) -> pytest.MarkDecorator:
    """Skips a test where there is no library for such numbers."""
    return pytest.mark.skipif(choice.why_not(kind) is not None, reason=str(choice.why_not(kind)))


def bound(times: float = 1) -> float:
    """How far a result may be off, of its norm."""
    return times * BOUNDS[precision()]


def small() -> float:
    """The least norm that an error is held against."""
    return LEFT / bound()


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
    """Numbers by chance."""
    return torch.randn(shape).to(precision()).requires_grad_(learns)


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """A map whose results are about as large as its input, and whose bias is not 0."""
    made = nn.Linear(inputs, outputs, bias=bias)
    nn.init.normal_(made.weight, std=inputs**-0.5)
    if bias:
        nn.init.normal_(made.bias)
    return made.to(precision())


def widened(x: Tensor | None) -> Tensor | None:
    """The same numbers in float64, which learn for themselves."""
    return None if x is None else x.detach().double().requires_grad_()


def distance(found: Tensor, wanted: Tensor, least: float) -> float:
    """The norm of the error by that of what is wanted, or by the least that it is held against."""
    return ((found.double() - wanted).norm() / wanted.norm().clamp_min(least)).item()


def assert_near(found: Tensor, wanted: Tensor, times: float = 1, least: float = 0.0) -> None:
    assert found.shape == wanted.shape
    assert distance(found, wanted, max(least, small())) < bound(times)


def assert_same(
    operation: Callable[..., Tensor | tuple[Tensor, ...]],
    formula: Callable[..., Tensor | tuple[Tensor, ...]],
    inputs: Sequence[Tensor | None],
    times: float = 1,
) -> None:
    """An operation gives what its formula gives in float64, and so do all its gradients; inputs may be missing."""
    wide = [widened(one) for one in inputs]
    found, wanted = several(operation(*inputs)), several(formula(*wide))
    falls = [torch.randn_like(one).to(precision()) for one in wanted]
    to_inputs = gradients(found, [one for one in inputs if one is not None], falls)
    to_wide = gradients(wanted, [one for one in wide if one is not None], falls)
    for one, right in zip((*found, *to_inputs), (*wanted, *to_wide), strict=True):
        assert_near(one, right, times)


def several(outputs: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """One output or some, as some."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


def gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor], falls: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """What falls on each input where this falls on the outputs; 0 where it has no part in them."""
    falling = [fall.to(one) for fall, one in zip(falls, outputs, strict=True)]
    return torch.autograd.grad(outputs, inputs, falling, materialize_grads=True)
