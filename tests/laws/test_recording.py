"""To look at a model changes nothing about it."""

from typing import Any

import pytest
import torch
from hypothesis import strategies as some
from torch import Tensor, nn

from mirada.attention import Attention, Facts, Heads, Kernel, Memory, Padding, Pattern, record
from tests.laws.choices import (
    BACKWARD,
    HEADS,
    NORMALISED,
    PATTERNS,
    SCORES,
    WIDTH,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
    together,
)

patterns = some.sampled_from((*PATTERNS, *BACKWARD))


class Translator(nn.Module):
    """Two looks at oneself and one at a source."""

    def __init__(self, attention: Attention) -> None:
        super().__init__()
        self.before = attention
        self.across = Attention(WIDTH, heads=HEADS[1])
        self.after = nn.Sequential(nn.LayerNorm(WIDTH), build())

    def forward(self, x: Tensor, source: Tensor, padding: Padding) -> Tensor:
        x = x + self.before(x)
        x = x + self.across(x, memory=self.across.remember(source), facts=Facts(padding=padding))
        return self.after(x)


def translator(seed: int, length: int, attention: Attention) -> tuple[Translator, tuple[Tensor, Tensor, Padding]]:
    x, source = states(seed, length), torch.randn(2, 5, WIDTH)
    return Translator(attention), (x, source, Padding.from_lengths([5, 3]))


@law(
    seed=seeds,
    length=lengths,
    pattern=patterns,
    heads=some.sampled_from(HEADS),
    choice=together(SCORES),
)
def test_recording_changes_no_bit(
    seed: int, length: int, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    model, given = translator(seed, length, build(choice[0], pattern, choice[1], heads))
    before = model(*given)
    with record(model) as looks:
        during = model(*given)
    assert torch.equal(before, during)
    assert torch.equal(before, model(*given))
    assert [look.name for look in looks] == ["before", "across", "after.1"]


@law(seed=seeds, length=lengths, pattern=patterns, choice=together(SCORES))
def test_recording_changes_no_bit_of_a_gradient(
    seed: int, length: int, pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    model, given = translator(seed, length, build(choice[0], pattern, choice[1]))
    parameters = list(model.parameters())
    before = torch.autograd.grad(model(*given).square().sum(), parameters, allow_unused=True)
    with record(model):
        during = torch.autograd.grad(model(*given).square().sum(), parameters, allow_unused=True)
    for one, other in zip(before, during, strict=True):
        assert (one is None and other is None) or torch.equal(one, other)


@law(seed=seeds, length=lengths, pattern=patterns, choice=together(NORMALISED))
def test_recorded_weights_sum_to_one(seed: int, length: int, pattern: Pattern, choice: tuple[Any, Any]) -> None:
    model, given = translator(seed, length, build(choice[0], pattern, choice[1]))
    with record(model) as looks:
        model(*given)
    for look in looks:
        assert (look.weights >= 0).all()
        assert_close(look.weights.sum(-1), torch.ones(look.weights.shape[:-1]))
    assert (looks[1].weights[1, :, :, 3:] == 0).all()  # the padding of the source


@law(seed=seeds, length=lengths, pattern=patterns, choice=together(SCORES, (None,)))
def test_recorded_weights_are_those_the_output_was_made_with(
    seed: int, length: int, pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    attention = build(choice[0], pattern)
    with record(attention) as looks:
        output = attention(x)
    (look,) = looks
    assert look.attention is attention
    assert look.plan == attention.plan(x)
    heads = look.weights @ attention.remember(x).values
    assert_close(attention.output_map(heads.transpose(1, 2).flatten(2)), output)


def test_nothing_stays_on_the_model() -> None:
    model, given = translator(0, 5, build())
    with record(model) as looks:
        model(*given)
    model(*given)
    assert len(looks) == 3
    assert not any(module._forward_hooks for module in model.modules())


def test_the_taps_go_when_the_model_fails() -> None:
    attention = build()
    with pytest.raises(ValueError, match="width 3"), record(attention):
        attention(torch.randn(2, 5, 3))
    assert not attention._forward_hooks


def test_two_may_look_at_once() -> None:
    attention, x = build(), states(0, 5)
    with record(attention) as outer:
        attention(x)
        with record(attention) as inner:
            attention(x)
        attention(x)
    assert (len(outer), len(inner)) == (3, 1)


def test_a_decoding_step_is_recorded_with_its_place() -> None:
    x = states(0, 5)
    attention = build(pattern=BACKWARD[0])
    memory: Memory = attention.remember(x)
    with record(attention) as looks:
        attention(x[:, 3:4], memory, Facts(offset=3))
    assert looks[0].weights.shape == (2, 3, 1, 5)
    assert (looks[0].weights[..., 4] == 0).all()


def test_recording_works_without_gradients() -> None:
    attention, x = build(), states(0, 5)
    with torch.inference_mode(), record(attention) as looks:
        attention(x)
    assert not looks[0].weights.requires_grad
    assert looks[0].plan.kernel in Kernel
