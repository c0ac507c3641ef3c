"""Nodes in batches: a batch alone says what the whole graph says, and what is drawn can be drawn again."""

import numpy as np
import pytest
import torch

from mirada.attention import Additive, ScaledDot, Static, Uniform
from mirada.corpora.graphs import Graph
from mirada.data.nodes import ALL, Neighbours, NodeBatches, whole_batch
from mirada.data.position import Position
from mirada.models.graph import NodeGraph
from mirada.models.nodes import build_network
from mirada.models.nodes_config import GraphConfig
from tests.graphs import crowds


def graph() -> NodeGraph:
    arrays = crowds()
    parts = np.ones(90, dtype=np.int8)
    read = Graph(arrays["edges"], arrays["features"], arrays["labels"], ("a", "b", "c"), parts)
    return NodeGraph.of(read, both=True, scaling="none")


@pytest.mark.parametrize("score", [Static(), Additive("leaky_relu"), ScaledDot(), Uniform()], ids=str)
@pytest.mark.parametrize("loops", [True, False])
def test_a_batch_of_few_nodes_says_what_the_whole_graph_says(score, loops: bool) -> None:
    whole = graph()
    config = GraphConfig(width=12, heads=3, last_heads=2, layers=3, score=score, residual=True)
    model = build_network(config, 12, 3, seed=4)
    nodes = torch.tensor([17, 3, 88])
    few = whole_batch(whole, nodes, 3, loops=loops)
    everything = whole_batch(whole, torch.arange(90), 3, loops=loops)
    assert len(few.features) <= 90
    assert len(few.hops[-1]) < len(everything.hops[-1])
    torch.testing.assert_close(
        model(few.features, few.hops), model(everything.features, everything.hops)[nodes], rtol=1e-4, atol=1e-5
    )


def test_hops_by_hand() -> None:
    line = np.array([[0, 1], [1, 2], [2, 3]])
    read = Graph(line, np.eye(4, dtype=np.float32), np.zeros(4, dtype=np.int64), ("a",), np.ones(4, dtype=np.int8))
    neighbours = Neighbours(NodeGraph.of(read, both=False, scaling="none"), loops=True)
    read_nodes, hops = neighbours.widened(np.array([1]), [ALL, ALL])
    assert read_nodes.tolist() == [1, 2, 3]
    assert [(hop.queries.tolist(), hop.keys.tolist()) for hop in hops] == [
        ([0, 0, 1, 1], [0, 1, 1, 2]),
        ([0, 0], [0, 1]),
    ]
    assert [(hop.query_count, hop.key_count) for hop in hops] == [(2, 3), (1, 2)]


def batches(seed: int = 7, budget: int = 16) -> NodeBatches:
    return NodeBatches(graph(), torch.arange(0, 90, 2), (5, 3), budget, seed, loops=True)


def test_no_node_looks_at_more_than_its_fan_out_and_at_none_twice() -> None:
    whole = graph()
    _, hops = Neighbours(whole, loops=False).widened(
        np.arange(90), [5, 3], np.random.Generator(np.random.Philox(key=[1, 1]))
    )
    for most, hop in zip((5, 3), hops, strict=True):
        counts = hop.queries.bincount(minlength=hop.query_count)
        wanted = whole.starts.diff().clamp(max=most)
        assert torch.equal(counts[:90], wanted)
        assert len(torch.unique(hop.queries * 1_000 + hop.keys)) == len(hop)


def test_every_neighbour_is_drawn_as_often_as_others() -> None:
    star = np.array([[0, n] for n in range(1, 11)])
    read = Graph(star, np.eye(11, dtype=np.float32), np.zeros(11, dtype=np.int64), ("a",), np.ones(11, dtype=np.int8))
    neighbours = Neighbours(NodeGraph.of(read, both=False, scaling="none"), loops=False)
    chance = np.random.Generator(np.random.Philox(key=[2, 2]))
    drawn = np.zeros(11)
    for _ in range(1_000):
        drawn[neighbours.widened(np.array([0]), [3], chance)[0][1:]] += 1
    assert abs(drawn[1:] - 300).max() < 60  # 4 standard deviations


def test_an_epoch_learns_every_node_once_and_can_be_taken_up_anywhere() -> None:
    stream = batches().from_position(Position())
    count = batches().batches_in(0)
    assert count == 3
    first = [next(stream) for _ in range(count + 1)]
    learnt = torch.cat([batch.expected for batch, _ in first[:count]])
    assert torch.equal(learnt.sort()[0], graph().labels[::2].sort()[0])
    again = batches().from_position(first[1][1])
    for (batch, after), (other, other_after) in zip(first[2:], again, strict=False):
        assert after == other_after
        assert torch.equal(batch.features, other.features)
        assert all(torch.equal(one.keys, two.keys) for one, two in zip(batch.hops, other.hops, strict=True))
    other_seed = next(batches(8).from_position(Position()))[0]
    assert not torch.equal(other_seed.expected, first[0][0].expected) or len(other_seed.features) != len(
        first[0][0].features
    )


def test_without_a_fan_out_there_is_one_batch_that_stays() -> None:
    whole = NodeBatches(graph(), torch.arange(9), (ALL, ALL), 4, 1, loops=True)
    stream = whole.from_position(Position())
    (one, after), (two, _) = next(stream), next(stream)
    assert one is two
    assert (after, whole.batches_in(0), one.tokens) == (Position(1), 1, 9)
