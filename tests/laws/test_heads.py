"""How heads are joined, shared, and made to work together."""

import torch
from hypothesis import strategies as some

from mirada.attention import Attention, Causal, Collaborative, Heads, Memory, ScaledDot, Score
from tests.laws.choices import (
    HEAD_WIDTH,
    HEADS,
    SCORES,
    answers,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
)


@law(seed=seeds, length=lengths, score=some.sampled_from(SCORES), heads=some.sampled_from(HEADS))
def test_concatenated_heads_times_the_map_are_the_sum_of_mapped_heads(
    seed: int, length: int, score: Score, heads: Heads
) -> None:
    x = states(seed, length)
    attention = build(score, heads=heads)
    parts = attention.output_map.weight.split(HEAD_WIDTH, dim=1)
    for output in answers(attention.problem(x)).values():
        mapped = [head @ part.T for head, part in zip(output.unbind(1), parts, strict=True)]
        assert_close(attention(x), sum(mapped) + attention.output_map.bias)


def one_head(attention: Attention, head: int) -> Attention:
    """A head of a multi-head attention as an attention of its own, before the output map."""
    alone = build(attention.score, attention.pattern, heads=Heads(1, width=HEAD_WIDTH))
    rows = slice(head * HEAD_WIDTH, (head + 1) * HEAD_WIDTH)
    with torch.no_grad():
        for name in ("query_map", "key_map", "value_map"):
            getattr(alone, name).weight.copy_(getattr(attention, name).weight[rows])
            getattr(alone, name).bias.copy_(getattr(attention, name).bias[rows])
    return alone


@law(seed=seeds, length=lengths)
def test_a_head_is_an_attention_of_its_own(seed: int, length: int) -> None:
    x = states(seed, length)
    attention = build(ScaledDot(), Causal())
    output = answers(attention.problem(x))
    for head in range(3):
        alone = answers(one_head(attention, head).problem(x))
        for kernel in output:
            assert_close(output[kernel][:, head], alone[kernel][:, 0])


@law(
    seed=seeds,
    length=lengths,
    score=some.sampled_from(SCORES),
    heads=some.sampled_from([Heads(3, 1), Heads(6, 1), Heads(6, 2), Heads(6, 3)]),
)
def test_shared_keys_and_values_are_copies_for_each_head(seed: int, length: int, score: Score, heads: Heads) -> None:
    x = states(seed, length)
    attention = build(score, heads=Heads(heads.count, heads.groups, HEAD_WIDTH))
    memory = attention.remember(x)
    keys, values = (part.repeat_interleave(heads.count // part.shape[1], 1) for part in (memory.keys, memory.values))
    copied = Memory(keys, values)
    wanted = answers(attention.problem(x, copied))
    for kernel, output in answers(attention.problem(x, memory)).items():
        assert_close(output, wanted[kernel])


@law(seed=seeds, length=lengths, memory_length=lengths, width=some.sampled_from([None, 5, 17]))
def test_collaborative_heads_are_their_formula(seed: int, length: int, memory_length: int, width: int | None) -> None:
    x, source = states(seed, length), states(seed + 1, memory_length)
    attention = build(Collaborative(width))
    memory = attention.remember(source)
    queries, keys = attention.query_map(x), attention.key_map(source)  # one space for all heads
    scores = torch.stack([queries * mixing @ keys.mT for mixing in attention.scorer.mixing], 1)
    weights = (scores / HEAD_WIDTH**0.5).softmax(-1)
    assert_close(attention.weights(x, memory), weights)
    for output in answers(attention.problem(x, memory)).values():
        assert_close(output, weights @ memory.values)


@law(seed=seeds, length=lengths, count=some.sampled_from([1, 2, 3, 5]))
def test_collaborative_heads_that_mix_nothing_are_multi_head_attention(seed: int, length: int, count: int) -> None:
    x = states(seed, length)
    heads = Heads(count, width=HEAD_WIDTH)
    plain, collaborative = build(ScaledDot(), heads=heads), build(Collaborative(), heads=heads)
    own_block = torch.eye(count).repeat_interleave(HEAD_WIDTH, 1)
    collaborative.load_state_dict({**plain.state_dict(), "scorer.mixing": own_block})
    assert_close(collaborative.weights(x), plain.weights(x))
    assert_close(collaborative(x), plain(x))


def test_a_smaller_common_space_has_fewer_parameters() -> None:
    def size(score: Score) -> int:
        return sum(parameter.numel() for parameter in build(score).parameters())

    assert size(Collaborative(5)) < size(ScaledDot()) < size(Collaborative())
