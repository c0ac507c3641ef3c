"""Attention over the edges of a graph: complete, bipartite and causal graphs, and graphs in a batch."""

import torch
from hypothesis import strategies as some
from torch import Tensor

from mirada.attention import Causal, Edges, Facts, Full, Heads, Pattern, Score, Window
from tests.laws.choices import (
    HEADS,
    MEMORY_WIDTH,
    NORMALISED,
    SCORES,
    answers,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
)

scores = some.sampled_from(SCORES)
heads_of = some.sampled_from(HEADS)


def edges_of(mask: Tensor) -> Edges:
    """The edges where a mask is true, in no order at all."""
    edges = torch.nonzero(mask)
    edges = edges[torch.randperm(len(edges))]
    return Edges.of(edges[:, 0], edges[:, 1], query_count=mask.shape[0], key_count=mask.shape[1])


@law(seed=seeds, length=lengths, score=scores, heads=heads_of)
def test_the_complete_graph_is_full_attention(seed: int, length: int, score: Score, heads: Heads) -> None:
    x = states(seed, length)
    attention = build(score, Full(), heads=heads)
    facts = Facts(edges=edges_of(torch.ones(length, length)))
    wanted = attention(x)
    assert_close(attention(x, facts=facts), wanted)
    for output in answers(attention.problem(x, facts=facts)).values():
        assert_close(attention.output_map(output.transpose(1, 2).flatten(2)), wanted)


@law(seed=seeds, queries=lengths, keys=lengths, score=scores, heads=heads_of)
def test_edges_between_two_sides_are_cross_attention(
    seed: int, queries: int, keys: int, score: Score, heads: Heads
) -> None:
    x = states(seed, queries)
    attention = build(score, heads=heads, memory_width=MEMORY_WIDTH)
    memory = attention.remember(torch.randn(len(x), keys, MEMORY_WIDTH))
    facts = Facts(edges=edges_of(torch.ones(queries, keys)))
    for output in answers(attention.problem(x, memory, facts)).values():
        assert_close(attention.output_map(output.transpose(1, 2).flatten(2)), attention(x, memory))


@law(seed=seeds, queries=lengths, keys=lengths, score=some.sampled_from(NORMALISED), heads=heads_of)
def test_the_bipartite_graph_of_all_nodes_is_cross_attention(
    seed: int, queries: int, keys: int, score: Score, heads: Heads
) -> None:
    x, source = states(seed, queries), states(seed + 1, keys)
    attention = build(score, heads=heads)
    mask = torch.zeros(queries + keys, queries + keys)
    mask[:queries, queries:] = 1  # nodes of the first side look at nodes of the second; these look at nobody
    facts = Facts(edges=edges_of(mask))
    wanted = answers(attention.problem(x, attention.remember(source)))
    for kernel, output in answers(attention.problem(torch.cat([x, source], 1), facts=facts)).items():
        assert_close(output[:, :, :queries], wanted[kernel])
        assert (output[:, :, queries:] == 0).all()


@law(seed=seeds, length=lengths, score=scores, heads=heads_of)
def test_the_causal_graph_is_causal_attention(seed: int, length: int, score: Score, heads: Heads) -> None:
    x = states(seed, length)
    attention = build(score, Full(), heads=heads)
    facts = Facts(edges=edges_of(torch.ones(length, length).tril()))
    found = answers(attention.problem(x, facts=facts))
    attention.pattern = Causal()
    for wanted in answers(attention.problem(x)).values():
        for output in found.values():
            assert_close(output, wanted)


@law(
    seed=seeds,
    length=lengths,
    score=scores,
    pattern=some.sampled_from([Causal(), Window(3, 2)]),
    density=some.sampled_from([0.1, 0.5, 0.9]),
)
def test_edges_that_the_pattern_forbids_do_not_count(
    seed: int, length: int, score: Score, pattern: Pattern, density: float
) -> None:
    x = states(seed, length)
    attention = build(score, pattern)
    given_edges = torch.rand(length, length) < density
    places = torch.arange(length)
    both = given_edges & pattern.allows(places[:, None], places[None])
    found = answers(attention.problem(x, facts=Facts(edges=edges_of(given_edges))))
    attention.pattern = Full()
    wanted = answers(attention.problem(x, facts=Facts(edges=edges_of(both))))
    for kernel, output in found.items():
        assert_close(output, wanted[kernel])


@law(seed=seeds, length=lengths, score=scores, density=some.sampled_from([0.1, 0.5]))
def test_each_row_of_a_batch_may_have_a_graph_of_its_own(seed: int, length: int, score: Score, density: float) -> None:
    x = states(seed, length, batch=3)
    attention = build(score)
    masks = torch.rand(3, length, length) < density
    rows, queries, keys = torch.nonzero(masks, as_tuple=True)
    together = Facts(edges=Edges.of(queries, keys, query_count=length, rows=rows))
    for output in answers(attention.problem(x, facts=together)).values():
        for row in range(3):
            alone = attention.problem(x[row : row + 1], facts=Facts(edges=edges_of(masks[row])))
            for wanted in answers(alone).values():
                assert_close(output[row : row + 1], wanted)


@law(seed=seeds, length=lengths, score=scores)
def test_an_edge_named_twice_counts_once(seed: int, length: int, score: Score) -> None:
    x = states(seed, length)
    attention = build(score)
    queries, keys = torch.randint(length, (2, 3 * length))
    once = Edges.of(queries, keys, query_count=length)
    twice = Edges.of(queries.repeat(2), keys.repeat(2), query_count=length)
    assert len(once) == len(twice)
    assert torch.equal(attention(x, facts=Facts(edges=once)), attention(x, facts=Facts(edges=twice)))
