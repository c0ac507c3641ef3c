"""Nodes in batches: some nodes, with all that they look at, hop by hop, or with a drawn few of it.

Legend: M nodes that are learnt, N nodes that are read.

What a node becomes in L layers depends on its neighbours within L steps. So a batch of nodes brings its own part of
the graph: for each layer the edges from those that look. With a fan-out, each looks at no more than so many neighbours,
drawn anew for every batch (Hamilton et al. 2017); all chance is a function of (seed, epoch, batch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.random import Generator, Philox
from numpy.typing import NDArray
from torch import Tensor

from mirada.attention import Edges
from mirada.data.epochs import Epoch, Epochs
from mirada.layers.rows import Rows, SparseRows, select_rows
from mirada.models.graph import NodeGraph

ALL = 0  # the fan-out that leaves nobody out


@dataclass(frozen=True, eq=False)
class NodeBatch:
    """Nodes with the part of the graph that they need: what each layer looks at, the first layer first."""

    features: Rows
    hops: tuple[Edges, ...]
    expected: Int[Tensor, "M"]  # the labels of those that look in the last hop
    tokens: int  # nodes that are learnt

    def to(self, device: torch.device) -> NodeBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        hops = tuple(
            Edges(hop.queries.to(device), hop.keys.to(device), hop.query_count, hop.key_count, per_row=False)
            for hop in self.hops
        )
        return NodeBatch(self.features.to(device), hops, self.expected.to(device), self.tokens)


class Neighbours:
    """The neighbourhoods of a graph's nodes; with `loops`, a node is a neighbour of its own."""

    def __init__(self, graph: NodeGraph, *, loops: bool) -> None:
        self.graph, self._loops = graph, loops
        self._starts: NDArray[np.int64] = graph.starts.numpy()
        self._keys: NDArray[np.int64] = graph.keys.numpy()

    def batch(self, nodes: NDArray[np.int64], fan_out: Sequence[int], chance: Generator | None = None) -> NodeBatch:
        """These nodes with what they look at; the fan-out of the last layer comes last."""
        read, hops = self.widened(nodes, fan_out, chance)
        features = self.graph.features
        if len(read) < len(self.graph) or not np.array_equal(read, np.arange(len(read))):
            features = select_rows(features, torch.from_numpy(read))
        return NodeBatch(features, hops, self.graph.labels[torch.from_numpy(nodes)], len(nodes))

    def widened(
        self, nodes: NDArray[np.int64], fan_out: Sequence[int], chance: Generator | None = None
    ) -> tuple[NDArray[np.int64], tuple[Edges, ...]]:
        """All nodes that are read, those that look first, and the edges of each layer."""
        place = np.full(len(self.graph), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        hops: list[Edges] = []
        for most in reversed(fan_out):
            rows, keys = self._looked_at(nodes, most, chance)
            new = np.unique(keys[place[keys] < 0])
            place[new] = len(nodes) + np.arange(len(new))
            read = np.concatenate([nodes, new])
            hops.insert(0, self._edges(rows, place[keys], len(nodes), len(read)))
            nodes = read
        return nodes, tuple(hops)

    def _looked_at(
        self, nodes: NDArray[np.int64], most: int, chance: Generator | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Whom each of the nodes looks at: (who, by place among the nodes; whom, by number), at most so many each."""
        counts = self._starts[nodes + 1] - self._starts[nodes]
        firsts = np.cumsum(counts) - counts
        within = np.arange(counts.sum()) - np.repeat(firsts, counts)
        rows = np.repeat(np.arange(len(nodes)), counts)
        places = np.repeat(self._starts[nodes], counts) + within
        if most != ALL and chance is not None and (counts > most).any():
            # Sorted by row, then by chance: the first few of each row are drawn without putting any back.
            order = np.argsort(rows + chance.random(len(rows)))
            kept = np.sort(order[within < most])
            rows, places = rows[kept], places[kept]
        return rows, self._keys[places]

    def _edges(self, rows: NDArray[np.int64], keys: NDArray[np.int64], queries: int, count: int) -> Edges:
        if self._loops:
            own = np.arange(queries)
            order = np.argsort(np.concatenate([own, rows]), kind="stable")
            rows, keys = np.concatenate([own, rows])[order], np.concatenate([own, keys])[order]
        return Edges(torch.from_numpy(rows), torch.from_numpy(keys), queries, count, per_row=False)


def whole_batch(graph: NodeGraph, nodes: Int[Tensor, "M"], layers: int, *, loops: bool) -> NodeBatch:
    """Nodes with all that they look at."""
    return Neighbours(graph, loops=loops).batch(nodes.numpy(), [ALL] * layers)


class NodeBatches(Epochs[NodeBatch]):
    """The nodes that are learnt, in batches: all in one that is always the same, or some with drawn neighbours."""

    def __init__(
        self, graph: NodeGraph, nodes: Int[Tensor, "M"], fan_out: Sequence[int], budget: int, seed: int, *, loops: bool
    ) -> None:
        self._neighbours = Neighbours(graph, loops=loops)
        self._nodes: NDArray[np.int64] = nodes.numpy()
        self._fan_out, self._seed = tuple(fan_out), seed
        whole = all(most == ALL for most in fan_out)
        self._rows = len(self._nodes) if whole else min(budget, len(self._nodes))
        self._whole = self._neighbours.batch(self._nodes, fan_out) if whole else None
        if self._whole is not None and isinstance(self._whole.features, SparseRows):
            _ = self._whole.features.turned  # found once, here, and not by several threads

    @property
    def tokens(self) -> int:
        """The nodes that are learnt."""
        return len(self._nodes)

    @property
    def remarks(self) -> list[str]:
        """How the graph is read."""
        if self._whole is not None:
            edges = sum(map(len, self._whole.hops))
            return [f"All {self.tokens:,} nodes are learnt at once, with the {edges:,} edges that they look along."]
        told = " and ".join(map(str, self._fan_out))
        return [f"{self._rows:,} nodes are learnt at a time, with at most {told} drawn neighbours, layer by layer."]

    def _epoch_of(self, epoch: int) -> Epoch[NodeBatch]:
        order = None if self._whole else Generator(Philox(key=[self._seed, epoch])).permutation(self._nodes)
        return -(-len(self._nodes) // self._rows), lambda number: self._batch(order, epoch, number)

    def _batch(self, order: NDArray[np.int64] | None, epoch: int, number: int) -> NodeBatch:
        if self._whole is not None or order is None:
            return self._neighbours.batch(self._nodes, self._fan_out) if self._whole is None else self._whole
        # Counted from another beginning than the order's, so that the two are strangers.
        chance = Generator(Philox(key=[self._seed, epoch], counter=[0, 0, 0, number + 1]))
        return self._neighbours.batch(order[number * self._rows : (number + 1) * self._rows], self._fan_out, chance)
