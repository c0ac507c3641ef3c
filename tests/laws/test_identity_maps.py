"""Attention on bare states, and the bilinear score that hides in two maps."""

import torch
from hypothesis import strategies as some

from mirada.attention import Bilinear, Dot, Heads, Maps, ScaledDot, Score
from tests.laws.choices import (
    HEAD_WIDTH,
    MEMORY_WIDTH,
    WIDTH,
    answers,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
)

ALONE = Heads(1)
UNBIASED = Maps(bias=False, value=False, output=False)


@law(seed=seeds, length=lengths)
def test_softmax_of_xxt_times_x_is_attention_with_identity_maps(seed: int, length: int) -> None:
    x = states(seed, length)
    attention = build(Dot(), heads=ALONE, maps=Maps.identity())
    assert not list(attention.parameters())
    wanted = (x @ x.mT).softmax(-1) @ x
    assert_close(attention(x), wanted)
    for output in answers(attention.problem(x)).values():
        assert_close(output[:, 0], wanted)


@law(seed=seeds, length=lengths)
def test_without_maps_each_head_has_its_slice_of_the_state(seed: int, length: int) -> None:
    x = states(seed, length, width=3 * 5)
    attention = build(Dot(), heads=Heads(3), maps=Maps.identity(), width=15)
    slices = x.chunk(3, dim=-1)
    wanted = torch.cat([(part @ part.mT).softmax(-1) @ part for part in slices], dim=-1)
    assert_close(attention(x), wanted)


def scale_of(score: Score) -> float:
    return HEAD_WIDTH**-0.5 if isinstance(score, ScaledDot) else 1.0


@law(seed=seeds, length=lengths, memory_length=lengths, score=some.sampled_from([Dot(), ScaledDot()]))
def test_the_product_of_two_maps_is_the_weight_of_the_bilinear_score(
    seed: int, length: int, memory_length: int, score: Score
) -> None:
    x = states(seed, length)
    source = torch.randn(len(x), memory_length, MEMORY_WIDTH)
    mapped = build(score, heads=Heads(1, width=HEAD_WIDTH), memory_width=MEMORY_WIDTH, maps=UNBIASED)
    bilinear = build(Bilinear(), heads=ALONE, memory_width=MEMORY_WIDTH, maps=Maps.identity())
    with torch.no_grad():
        weight = mapped.query_map.weight.T @ mapped.key_map.weight
        bilinear.scorer.weight.copy_(scale_of(score) * weight)
    assert bilinear.scorer.weight.shape == (1, WIDTH, MEMORY_WIDTH)
    assert_close(bilinear.weights(x, bilinear.remember(source)), mapped.weights(x, mapped.remember(source)))
    assert_close(bilinear(x, bilinear.remember(source)), mapped(x, mapped.remember(source)))
