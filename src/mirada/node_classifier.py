"""The façade of graph networks: from a folder to the labels of nodes, of its own graph or of another.

Legend: N nodes, M nodes that are asked about, Y labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.corpora.graph_joining import renumber
from mirada.corpora.graphs import TEST, read_graph
from mirada.data.nodes import whole_batch
from mirada.evaluation.nodes import NodeScore
from mirada.models import nodes_folder
from mirada.models.graph import NodeGraph, load_graph
from mirada.models.nodes_folder import LoadedNodes
from mirada.tasks.nodes import judge, scores_of


@dataclass(frozen=True, slots=True)
class Prediction:
    """The label that a node has most likely, and how likely that is."""

    node: str
    label: str
    probability: float
    right: str | None  # its label, where that is known

    def as_json(self) -> dict[str, object]:
        """The prediction for programs."""
        return {"node": self.node, "label": self.label, "probability": self.probability, "right": self.right}


class NodeClassifier:
    """A graph network with the graph that it is asked about."""

    def __init__(self, loaded: LoadedNodes, graph: NodeGraph) -> None:
        if graph.width != loaded.config.features:
            raise ValueError(
                f"the graph has {graph.width:,} features, but the model learnt from {loaded.config.features:,}; "
                "give a graph with the same features"
            )
        self.loaded, self.graph = loaded, graph

    @classmethod
    def load(cls, folder: Path, graph: Path | None = None) -> NodeClassifier:
        """The network of a folder, with its own graph or with that of a file."""
        loaded = nodes_folder.load(folder)
        if graph is None:
            return cls(loaded, load_graph(folder))
        read = read_graph(graph)
        ready = NodeGraph.of(read, both=loaded.config.both, scaling=loaded.config.scaling)
        labels = torch.from_numpy(renumber(read.labels, read.label_names, loaded.config.labels))
        return cls(loaded, NodeGraph(ready.starts, ready.keys, ready.features, labels, ready.parts, ready.names))

    def predict(self, nodes: Sequence[int] | None = None) -> list[Prediction]:
        """The labels of these nodes, or of all."""
        chosen = torch.arange(len(self.graph)) if nodes is None else torch.tensor(list(nodes), dtype=torch.int64)
        probability, label = self.scores(chosen).exp().max(-1)
        names = self.loaded.config.labels
        right = self.graph.labels[chosen].tolist()
        found = zip(chosen.tolist(), label.tolist(), probability.tolist(), right, strict=True)
        return [
            Prediction(self.graph.name(node), names[said], round(share, 6), names[known] if known >= 0 else None)
            for node, said, share, known in found
        ]

    def scores(self, nodes: Int[Tensor, "M"]) -> Float[Tensor, "M Y"]:
        """The log-probability of each label for these nodes."""
        config = self.loaded.config
        return scores_of(self.loaded.model, whole_batch(self.graph, nodes, config.model.layers, loops=config.loops))

    def score(self) -> NodeScore:
        """How many of the test nodes have their right label; of all labelled ones where none are for testing."""
        nodes = self.graph.nodes_of(TEST)
        if not len(nodes):
            nodes = torch.nonzero(self.graph.labels >= 0)[:, 0]
        if not len(nodes):
            raise ValueError("the graph has no node whose label the model knows; give one with labels")
        config = self.loaded.config
        batch = whole_batch(self.graph, nodes, config.model.layers, loops=config.loops)
        return judge(scores_of(self.loaded.model, batch), batch)
