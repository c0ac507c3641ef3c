"""Looking at a graph network: weights along edges, a node first, and what the model says of it."""

import numpy as np
import pytest
import torch

from mirada.attention.record import record, record_edges
from mirada.corpora.graphs import Graph
from mirada.data.nodes import whole_batch
from mirada.models.graph import NodeGraph
from mirada.models.nodes import build_network
from mirada.models.nodes_config import GraphConfig
from mirada.models.nodes_folder import LoadedNodes, NodesFolderConfig
from mirada.node_classifier import NodeClassifier
from mirada.viewing import nodes
from mirada.viewing.packing import unpack, unpack_pattern
from tests.graphs import crowds


def classifier(names: bool = False) -> NodeClassifier:
    arrays = crowds()
    told = tuple(f"n{node}" for node in range(90)) if names else None
    read = Graph(
        arrays["edges"], arrays["features"], arrays["labels"], ("a", "b", "c"), np.ones(90, dtype=np.int8), told
    )
    graph = NodeGraph.of(read, both=True, scaling="none")
    config = NodesFolderConfig(features=12, labels=("a", "b", "c"), model=GraphConfig(width=12, heads=3, layers=2))
    return NodeClassifier(LoadedNodes(config, build_network(config.model, 12, 3, seed=2).eval()), graph)


def test_the_node_looks_at_all_its_neighbours_and_at_nobody_else() -> None:
    asked = classifier()
    view = nodes.look(asked, "7")
    near = asked.graph.keys[asked.graph.starts[7] : asked.graph.starts[8]].tolist()
    shown = [int(label.split()[0]) for label in view.sequences["read"].labels]
    assert shown[0] == 7
    assert sorted(shown[1:]) == near
    for number in range(2):
        weights = unpack(view, number)
        np.testing.assert_allclose(weights[:, 0].sum(-1), 1, atol=0.02)
        assert (weights[:, ~unpack_pattern(view.patterns[0])] == 0).all()
    last = unpack(view, 1).mean(0)[0, 1:]
    assert (np.diff(last) < 0.01).all(), "those that are looked at most come first"


def test_what_is_said_is_what_is_predicted() -> None:
    asked = classifier(names=True)
    view = nodes.look(asked, "n7", name="crowds")
    found = asked.predict([7])[0]
    assert (view.task, view.model, view.text) == ("nodes", "crowds", "n7")
    assert view.said[0].token == found.label
    assert view.said[0].probability == pytest.approx(found.probability, abs=1e-3)
    assert sum(one.probability for one in view.said) == pytest.approx(1, abs=1e-3)
    assert view.steps[0].token == found.label
    assert len(view.steps) == len(view.sequences["read"].labels)


def test_a_hub_shows_those_that_it_looks_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MOST", 4)
    asked = classifier()
    view = nodes.look(asked, "7")
    assert len(view.sequences["read"].labels) == 4
    degree = int(asked.graph.starts[8] - asked.graph.starts[7])
    assert view.flags == (f"{degree - 3:,} neighbours are not shown",)


def test_weights_along_edges_are_those_of_the_matrix() -> None:
    asked = classifier()
    batch = whole_batch(asked.graph, torch.arange(90), 2, loops=True)
    with torch.inference_mode(), record(asked.loaded.model) as looks, record_edges(asked.loaded.model) as along:
        asked.loaded.model(batch.features, batch.hops)
    for look, edge in zip(looks, along, strict=True):
        torch.testing.assert_close(
            look.weights[0, :, edge.edges.queries, edge.edges.keys].T, edge.weights[:, 0], rtol=1e-4, atol=1e-6
        )


def test_a_node_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match=r"the graph has no node '90'; its 90 nodes are 0, 1, 2, …"):
        nodes.look(classifier(), "90")
    with pytest.raises(ValueError, match="the graph has no node 'x'; its 90 nodes are n0, n1"):
        nodes.look(classifier(names=True), "x")
