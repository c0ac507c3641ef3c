"""A change of the future leaves the past as it was, to the bit."""

from typing import Any

import torch
from hypothesis import strategies as some
from torch import Tensor

from mirada.attention import Facts, Heads, Padding, Pattern
from tests.laws.choices import (
    BACKWARD,
    HEADS,
    LONGEST,
    SCORES,
    answers,
    build,
    law,
    seeds,
    states,
    together,
)


def with_another_future(x: Tensor, now: int) -> Tensor:
    """The same states up to `now`, and others, far larger, after it."""
    changed = x.clone()
    changed[:, now + 1 :] = 50 * torch.randn_like(changed[:, now + 1 :])
    return changed


@law(
    examples=50,
    seed=seeds,
    length=some.sampled_from([2, 3, 5, 7, 11, LONGEST]),
    when=some.floats(0, 1),
    pattern=some.sampled_from(BACKWARD),
    heads=some.sampled_from(HEADS),
    choice=together(SCORES),
)
def test_a_change_of_the_future_leaves_the_past(
    seed: int, length: int, when: float, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    now = round(when * (length - 2))
    changed = with_another_future(x, now)
    attention = build(choice[0], pattern, choice[1], heads)
    assert torch.equal(attention(changed)[:, : now + 1], attention(x)[:, : now + 1])
    past = answers(attention.problem(x))
    for kernel, output in answers(attention.problem(changed)).items():
        assert torch.equal(output[:, :, : now + 1], past[kernel][:, :, : now + 1]), kernel
        assert not torch.equal(output, past[kernel])


@law(examples=6, seed=seeds, pattern=some.sampled_from(BACKWARD[:3]), now=some.integers(0, 66))
def test_a_longer_sequence_hides_its_future_too(seed: int, pattern: Pattern, now: int) -> None:
    x = states(seed, 67, batch=1)
    changed = with_another_future(x, now)
    attention = build(pattern=pattern)
    past = answers(attention.problem(x))
    for kernel, output in answers(attention.problem(changed)).items():
        assert torch.equal(output[:, :, : now + 1], past[kernel][:, :, : now + 1]), kernel


@law(seed=seeds, now=some.integers(0, 6), pattern=some.sampled_from(BACKWARD), choice=together(SCORES))
def test_the_past_learns_nothing_from_the_future(
    seed: int, now: int, pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, 7).requires_grad_()
    attention = build(choice[0], pattern, choice[1])
    for output in answers(attention.problem(x)).values():
        (gradient,) = torch.autograd.grad(output[:, :, : now + 1].sum(), x, retain_graph=True)
        assert (gradient[:, now + 1 :] == 0).all()


@law(seed=seeds, now=some.integers(0, 6), pattern=some.sampled_from(BACKWARD), choice=together(SCORES))
def test_padding_does_not_open_the_future(seed: int, now: int, pattern: Pattern, choice: tuple[Any, Any]) -> None:
    x = states(seed, 7)
    changed = with_another_future(x, now)
    attention = build(choice[0], pattern, choice[1])
    real = torch.tensor([[True, True, False, True, True, False, True], [False] * 2 + [True] * 5])
    facts = Facts(padding=Padding.from_mask(real))
    past = answers(attention.problem(x, facts=facts))
    for kernel, output in answers(attention.problem(changed, facts=facts)).items():
        assert torch.equal(output[:, :, : now + 1], past[kernel][:, :, : now + 1]), kernel
