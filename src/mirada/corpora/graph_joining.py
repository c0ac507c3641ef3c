"""Graphs made ready: several as one, the parts of nodes decided, edges seen from both ends, features scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.graphs import DEV, NOTHING, TEST, TRAIN, UNKNOWN, Features, Graph, SparseFeatures
from mirada.corpora.pair import CorpusError

Scaling = Literal["rows", "none"]


def join(graphs: Sequence[Graph]) -> Graph:
    """Several graphs as one that has no edge between them; labels with the same name are the same label."""
    if len(graphs) == 1:
        return graphs[0]
    widths = {one.width for one in graphs}
    if len(widths) > 1:
        raise CorpusError(f"the graphs have {' and '.join(map(str, sorted(widths)))} features; give all the same ones")
    names = tuple(dict.fromkeys(chain.from_iterable(one.label_names for one in graphs)))
    firsts = np.cumsum([0, *(len(one) for one in graphs)])
    return Graph(
        edges=np.concatenate([one.edges + first for one, first in zip(graphs, firsts, strict=False)]),
        features=_joined([one.features for one in graphs]),
        labels=np.concatenate([renumber(one.labels, one.label_names, names) for one in graphs]),
        label_names=names,
        parts=np.concatenate([one.parts for one in graphs]),
        names=_names(graphs),
    )


def _joined(features: Sequence[Features]) -> Features:
    if not any(isinstance(one, SparseFeatures) for one in features):
        return np.concatenate([one for one in features if not isinstance(one, SparseFeatures)])
    sparse = [one if isinstance(one, SparseFeatures) else _as_sparse(one) for one in features]
    firsts = np.cumsum([0, *(len(one.columns) for one in sparse)])
    starts = [one.starts[:-1] + first for one, first in zip(sparse, firsts, strict=False)]
    return SparseFeatures(
        np.concatenate([*starts, firsts[-1:]]),
        np.concatenate([one.columns for one in sparse]),
        np.concatenate([one.values for one in sparse]),
        sparse[0].width,
    )


def _as_sparse(dense: NDArray[np.float32]) -> SparseFeatures:
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(len(dense) + 1))
    return SparseFeatures(starts, columns, dense[rows, columns], dense.shape[1])


def _names(graphs: Sequence[Graph]) -> tuple[str, ...] | None:
    """The names of all nodes; those of different graphs are told apart by the number of the graph."""
    if all(one.names is None for one in graphs):
        return None
    return tuple(
        f"{number}:{name}"
        for number, one in enumerate(graphs, start=1)
        for name in (one.names or tuple(map(str, range(len(one)))))
    )


def renumber(labels: NDArray[np.int64], before: Sequence[str], now: Sequence[str]) -> NDArray[np.int64]:
    """Labels with the numbers that other names have; UNKNOWN for those that are not among them."""
    numbers = {name: number for number, name in enumerate(now)}
    table = np.array([*(numbers.get(name, UNKNOWN) for name in before), UNKNOWN], dtype=np.int64)
    return table[labels]


def for_one_part(graph: Graph, part: int) -> Graph:
    """A graph whose nodes are all for one part."""
    return replace(graph, parts=np.full(len(graph), part, dtype=np.int8))


def divide(graph: Graph, shares: tuple[float, float], seed: int) -> Graph:
    """The graph with parts, where its file names none: these shares of the labelled nodes to look at and to test."""
    labelled = np.flatnonzero(graph.labels != UNKNOWN)
    chance = np.random.Generator(np.random.Philox(key=[seed, len(labelled)]))
    order = chance.permutation(labelled)
    dev, test = (max(1, round(share * len(order))) if share and len(order) > 2 else 0 for share in shares)
    parts = np.full(len(graph), NOTHING, dtype=np.int8)
    parts[order[:dev]], parts[order[dev : dev + test]], parts[order[dev + test :]] = DEV, TEST, TRAIN
    return replace(graph, parts=parts)


def neighbours(edges: NDArray[np.int64], count: int, *, both: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Whom each node looks at, as (starts, keys), itself left out; with `both`, an edge serves its two ends."""
    if both:
        edges = np.concatenate([edges, edges[:, ::-1]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    codes = np.unique(edges[:, 0] * count + edges[:, 1])
    queries, keys = np.divmod(codes, max(1, count))
    return np.searchsorted(queries, np.arange(count + 1)), keys


def suited_scaling(features: Features) -> Scaling:
    """Rows that are counted, such as bags of words, are divided by their sums; measured numbers stay."""
    return "rows" if isinstance(features, SparseFeatures) and not (features.values < 0).any() else "none"


def scale(features: Features, scaling: Scaling) -> Features:
    """The features as a model reads them; a row that is all 0 stays."""
    if scaling == "none":
        return features
    if isinstance(features, SparseFeatures):
        counts = np.diff(features.starts)
        rows = np.repeat(np.arange(len(counts)), counts)
        sums = np.bincount(rows, features.values, len(counts))
        divisors = np.where(sums == 0, 1, sums)[rows]
        return replace(features, values=(features.values / divisors).astype(np.float32))
    sums = features.sum(1, keepdims=True)
    return (features / np.where(sums == 0, 1, sums)).astype(np.float32)
