"""Looking at a graph network: a node and its neighbours become a view whose pattern are the edges between them.

The model reads all that the shown nodes depend on; what is shown of it are the looks between them. The node comes
first, then its neighbours, those that it looks at most before the others.

Legend: H heads, N shown nodes, E edges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from mirada import __version__
from mirada.attention.record import EdgeLook, record_edges
from mirada.data.nodes import whole_batch
from mirada.models.words import write_word
from mirada.node_classifier import NodeClassifier
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.packing import pack, pack_pattern
from mirada.viewing.steps import said_of, steps_of

MOST = 40  # nodes in a picture that can still be read
GROUP = "encoder"


def look(classifier: NodeClassifier, node: str, *, name: str = "") -> View:
    """What a graph network looks at to say what a node is."""
    graph = classifier.graph
    place = graph.find(node.strip())
    near = graph.keys[graph.starts[place] : graph.starts[place + 1]].tolist()
    shown = [place, *_most_looked_at(classifier, place, near)]
    looks, scores = _seen(classifier, shown)
    found = [_square(one, len(shown)) for one in looks]
    pattern = pack_pattern("edges", found[0][1])
    maps = tuple(_map(number, one, *square) for number, (one, square) in enumerate(zip(looks, found, strict=True)))
    left_out = len(near) + 1 - len(shown)
    return View(
        mirada=__version__,
        task="nodes",
        model=name or "graph network",
        text=graph.name(place),
        flags=(f"{left_out:,} neighbours are not shown",) if left_out else (),
        sequences={"read": _sequence(classifier, shown)},
        patterns=(pattern,),
        maps=maps,
        steps=steps_of(scores, scores.argmax(-1).tolist(), classifier.loaded.config.labels, range(len(shown))),
        said=said_of(scores[0], classifier.loaded.config.labels),
        start=contract.Start(group=GROUP, layer=len(maps) - 1),
    )


def _most_looked_at(classifier: NodeClassifier, place: int, near: Sequence[int]) -> list[int]:
    """The neighbours that the node looks at most in the last layer, at most so many as a picture holds."""
    config = classifier.loaded.config
    batch = whole_batch(classifier.graph, torch.tensor([place]), config.model.layers, loops=config.loops)
    with torch.inference_mode(), record_edges(classifier.loaded.model) as looks:
        classifier.loaded.model(batch.features, batch.hops)
    # The batch has the node first and its neighbours after it, by number.
    weights = looks[-1].weights[:, 0].mean(-1)
    by_place = dict(zip(looks[-1].edges.keys.tolist(), weights.tolist(), strict=True))
    order = sorted(range(len(near)), key=lambda number: -by_place[number + 1])
    return [near[number] for number in order[: MOST - 1]]


def _seen(classifier: NodeClassifier, shown: Sequence[int]) -> tuple[list[EdgeLook], torch.Tensor]:
    config, model = classifier.loaded.config, classifier.loaded.model
    batch = whole_batch(classifier.graph, torch.tensor(list(shown)), config.model.layers, loops=config.loops)
    with torch.inference_mode(), record_edges(model) as looks:
        scores = model(batch.features, batch.hops).log_softmax(-1)
    return looks, scores


def _square(one: EdgeLook, count: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The weights [H, N, N] between the shown nodes, which stand first among those that look, and where edges are."""
    inside = (one.edges.queries < count) & (one.edges.keys < count)
    queries, keys = one.edges.queries[inside].numpy(), one.edges.keys[inside].numpy()
    weights = np.zeros((one.weights.shape[2], count, count), dtype=np.float32)
    weights[:, queries, keys] = one.weights[inside, 0].float().T.numpy()
    allowed = np.zeros((count, count), dtype=np.bool_)
    allowed[queries, keys] = True
    return weights, allowed


def _map(layer: int, one: EdgeLook, weights: NDArray[np.float32], allowed: NDArray[np.bool_]) -> contract.Map:
    packed = pack(weights, allowed)
    return contract.Map(
        group=GROUP,
        kind="self",
        layer=layer,
        heads=len(weights),
        queries="read",
        keys="read",
        pattern=0,
        score=write_word(one.attention.score),
        position=write_word(one.attention.position),
        kernel=one.plan.kernel.name,
        weights=packed.weights,
        highs=packed.highs,
        lows=packed.lows,
    )


def _sequence(classifier: NodeClassifier, shown: Sequence[int]) -> contract.Sequence:
    """The nodes by name, each with the label that it has, or a question mark."""
    names = classifier.loaded.config.labels
    right = classifier.graph.labels[torch.tensor(list(shown))].tolist()
    labels = [
        f"{classifier.graph.name(node)} ({names[label] if label >= 0 else '?'})"
        for node, label in zip(shown, right, strict=True)
    ]
    return contract.Sequence(kind="nodes", labels=tuple(labels), words=tuple(range(len(labels))))
