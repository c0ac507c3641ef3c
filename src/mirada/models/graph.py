"""A graph as models read it, and the file `graph.safetensors` that keeps it.

Legend: N nodes, N1 = N + 1, M some nodes, E edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Int
from safetensors.torch import save as to_bytes
from torch import Tensor

from mirada.corpora.graph_joining import Scaling, neighbours, scale
from mirada.corpora.graphs import Graph, SparseFeatures
from mirada.layers.rows import Rows, SparseRows
from mirada.models.folder import FolderError, read_tensors, write_file

GRAPH = "graph.safetensors"


@dataclass(frozen=True, eq=False)
class NodeGraph:
    """Whom each node looks at (starts[n] to starts[n + 1] of the keys, itself left out), and what is known of it."""

    starts: Int[Tensor, "N1"]
    keys: Int[Tensor, "E"]
    features: Rows
    labels: Int[Tensor, "N"]  # −1 where there is none
    parts: Int[Tensor, "N"]  # mirada.corpora.graphs: NOTHING, TRAIN, DEV or TEST
    names: tuple[str, ...] | None

    @classmethod
    def of(cls, graph: Graph, *, both: bool, scaling: Scaling) -> NodeGraph:
        """A graph from files; with `both`, an edge serves its two ends."""
        starts, keys = neighbours(graph.edges, len(graph), both=both)
        found = scale(graph.features, scaling)
        if isinstance(found, SparseFeatures):
            firsts, columns, values = map(torch.from_numpy, (found.starts, found.columns, found.values))
            features: Rows = SparseRows(firsts, columns, values, found.width)
        else:
            features = torch.from_numpy(found)
        labels, parts = torch.from_numpy(graph.labels), torch.from_numpy(graph.parts)
        return cls(torch.from_numpy(starts), torch.from_numpy(keys), features, labels, parts, graph.names)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def width(self) -> int:
        """How many features a node has."""
        return self.features.width if isinstance(self.features, SparseRows) else self.features.shape[1]

    def nodes_of(self, part: int) -> Int[Tensor, "M"]:
        """The labelled nodes of a part."""
        return torch.nonzero((self.parts == part) & (self.labels >= 0))[:, 0]

    def name(self, node: int) -> str:
        """What a node is called."""
        return str(node) if self.names is None else self.names[node]

    def find(self, name: str) -> int:
        """The number of a node."""
        if self.names is not None and name in self.names:
            return self.names.index(name)
        if self.names is None and name.isdecimal() and int(name) < len(self):
            return int(name)
        some = ", ".join(self.name(node) for node in range(min(3, len(self))))
        raise ValueError(f"the graph has no node {name!r}; its {len(self):,} nodes are {some}, …")

    def induced(self, nodes: Int[Tensor, "M"]) -> NodeGraph:
        """The graph of these nodes and of the edges between them."""
        number = torch.full((len(self),), -1)
        number[nodes] = torch.arange(len(nodes))
        queries = number[torch.arange(len(self)).repeat_interleave(self.starts.diff())]
        keys = number[self.keys]
        kept = (queries >= 0) & (keys >= 0)
        order = queries[kept].argsort(stable=True)
        starts = torch.searchsorted(queries[kept][order], torch.arange(len(nodes) + 1))
        features = self.features.select(nodes) if isinstance(self.features, SparseRows) else self.features[nodes]
        names = None if self.names is None else tuple(self.names[node] for node in nodes.tolist())
        return NodeGraph(starts, keys[kept][order], features, self.labels[nodes], self.parts[nodes], names)


def save_graph(folder: Path, graph: NodeGraph) -> None:
    """Write the graph into a folder."""
    tensors = {"starts": graph.starts, "keys": graph.keys, "labels": graph.labels, "parts": graph.parts}
    if isinstance(graph.features, SparseRows):
        tensors |= {
            "feature_starts": graph.features.starts,
            "feature_columns": graph.features.columns,
            "feature_values": graph.features.values,
            "feature_width": torch.tensor([graph.features.width]),
        }
    else:
        tensors["features"] = graph.features
    if graph.names is not None:
        told = "\n".join(name.replace("\n", " ") for name in graph.names).encode()
        tensors["names"] = torch.frombuffer(bytearray(told), dtype=torch.uint8)
    write_file(folder / GRAPH, to_bytes({name: one.contiguous() for name, one in tensors.items()}))


def load_graph(folder: Path) -> NodeGraph:
    """The graph of a folder, checked: a file from elsewhere may name nodes that are not there."""
    path = folder / GRAPH
    tensors = read_tensors(path)
    try:
        graph = _of_tensors(tensors)
    except (KeyError, UnicodeDecodeError, RuntimeError, TypeError):
        raise FolderError(f"{path} holds no graph; copy the whole folder, or train again") from None
    if not _is_whole(graph):
        raise FolderError(f"{path} is damaged: its parts do not fit each other; copy the folder again")
    return graph


def _of_tensors(tensors: Mapping[str, Tensor]) -> NodeGraph:
    starts, keys, labels, parts = (tensors[name] for name in ("starts", "keys", "labels", "parts"))
    if "features" in tensors:
        features: Rows = tensors["features"].float()
    else:
        firsts, columns, values = (tensors[f"feature_{name}"] for name in ("starts", "columns", "values"))
        features = SparseRows(firsts.long(), columns.long(), values.float(), int(tensors["feature_width"]))
    names = tensors.get("names")
    told = None if names is None else tuple(bytes(names.tolist()).decode().split("\n"))
    return NodeGraph(starts.long(), keys.long(), features, labels.long(), parts, told)


def _is_whole(graph: NodeGraph) -> bool:
    count = len(graph)
    rows = graph.features
    fits = _are_rows(graph.starts, graph.keys, count, count) and len(rows) == count == len(graph.parts)
    if isinstance(rows, SparseRows):
        fits = (
            fits and _are_rows(rows.starts, rows.columns, count, rows.width) and len(rows.values) == len(rows.columns)
        )
    else:
        fits = fits and rows.dim() == 2
    return fits and (graph.names is None or len(graph.names) == count)


def _are_rows(starts: Tensor, columns: Tensor, rows: int, width: int) -> bool:
    if starts.shape != (rows + 1,) or int(starts[0]) != 0 or int(starts[-1]) != len(columns):
        return False
    inside = not len(columns) or (int(columns.min()) >= 0 and int(columns.max()) < width)
    return inside and bool((starts.diff() >= 0).all())
