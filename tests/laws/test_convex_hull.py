"""What is seen lies among what there is to see: outputs are averages of values."""

from typing import Any

import pytest
import torch
from hypothesis import strategies as some
from torch import Tensor

from mirada.attention import Dot, Facts, Full, Heads, Maps, Padding, Pattern, Rotary, Shaw, Uniform
from tests.laws.choices import (
    BACKWARD,
    HEADS,
    NORMALISED,
    PATTERNS,
    answers,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
    together,
)


def neighbours(pattern: Pattern, length: int) -> Tensor:
    """Who may be looked at, as numbers 0 and 1."""
    places = torch.arange(length)
    return pattern.allows(places[:, None], places[None]).expand(length, length).float()


def bounds(values: Tensor, near: Tensor) -> tuple[Tensor, Tensor]:
    """The lowest and the highest coordinate among each query's neighbours: (B, H, Q, V)."""
    absent = (near == 0)[:, :, None]
    lowest = values[:, :, None].masked_fill(absent, torch.inf).amin(-2)
    highest = values[:, :, None].masked_fill(absent, -torch.inf).amax(-2)
    return lowest, highest


@law(
    seed=seeds,
    length=lengths,
    pattern=some.sampled_from(PATTERNS),
    heads=some.sampled_from(HEADS),
    choice=together(NORMALISED, (None, Rotary(100.0), Shaw(2, values=False))),
)
def test_every_output_lies_in_the_convex_hull_of_its_values(
    seed: int, length: int, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    score, position = choice
    attention = build(score, pattern, position, heads)
    weights, near = attention.weights(x), neighbours(pattern, length)
    assert (weights >= 0).all()
    assert (weights * (1 - near) == 0).all()
    assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    values = attention.remember(x).values.repeat_interleave(heads.count // heads.shared, 1)
    lowest, highest = bounds(values, near)
    for output in answers(attention.problem(x)).values():
        assert_close(output, weights @ values)
        assert (output >= lowest - 1e-5).all()
        assert (output <= highest + 1e-5).all()


@pytest.mark.parametrize("pattern", [*PATTERNS, *BACKWARD], ids=str)
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 11, 15])
def test_uniform_weights_give_the_mean_of_the_neighbours(pattern: Pattern, length: int) -> None:
    x = states(0, length)
    attention = build(Uniform(), pattern, heads=Heads(1), maps=Maps.identity())
    near = neighbours(pattern, length)
    wanted = near @ x / near.sum(-1, keepdim=True)
    for output in answers(attention.problem(x)).values():
        assert_close(output[:, 0], wanted)


@law(seed=seeds, length=lengths)
def test_uniform_weights_over_everybody_give_the_mean_of_the_states(seed: int, length: int) -> None:
    x = states(seed, length)
    attention = build(Uniform(), Full(), heads=Heads(1), maps=Maps.identity())
    assert_close(attention(x), x.mean(1, keepdim=True).expand_as(x))


@law(seed=seeds, length=lengths)
def test_keys_that_are_all_alike_give_the_mean_of_the_values(seed: int, length: int) -> None:
    x = states(seed, length)
    attention = build(Dot())
    torch.nn.init.zeros_(attention.key_map.weight)
    values = attention.remember(x).values
    wanted = values.mean(2, keepdim=True).expand_as(values)
    for output in answers(attention.problem(x)).values():
        assert_close(output, wanted)


@law(seed=seeds, real=some.lists(some.booleans(), min_size=5, max_size=5).filter(any))
def test_uniform_weights_leave_padding_out_of_the_mean(seed: int, real: list[bool]) -> None:
    x = states(seed, 5, batch=1)
    attention = build(Uniform(), heads=Heads(1), maps=Maps.identity())
    facts = Facts(padding=Padding.from_mask(torch.tensor([real])))
    wanted = x[:, torch.tensor(real)].mean(1, keepdim=True).expand_as(x)
    for output in answers(attention.problem(x, facts=facts)).values():
        assert_close(output[:, 0], wanted)
