"""Preparing a graph: files to `graph.safetensors` in the run's folder, made once and used again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mirada.corpora.graph_joining import Scaling, divide, for_one_part, join, suited_scaling
from mirada.corpora.graph_tables import EDGES, NODES, edges_beside
from mirada.corpora.graphs import DEV, NOTHING, TEST, TRAIN, Graph, read_graph
from mirada.corpora.pair import CorpusError
from mirada.corpora.store import fingerprint
from mirada.models.folder import write_file
from mirada.models.graph import NodeGraph, load_graph, save_graph
from mirada.training.facts import PreparedFacts
from mirada.training.nodes_config import GraphDataConfig
from mirada.training.preparing import DATA, FACTS, Files, Say, read_facts
from mirada.training.reuse import reuse_or_make

FORMAT = 1  # of what is prepared; a change makes old graphs be built again


class GraphFacts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    files: int
    nodes: int
    edges: int  # that are looked along, loops left out
    features: int
    labels: tuple[str, ...]
    scaling: Scaling
    inductive: bool
    train: int
    dev: int
    test: int

    def told(self) -> str:
        size = f"{self.nodes:,} nodes, {self.edges:,} edges, {self.features:,} features, {len(self.labels):,} labels"
        return f"{size}; {self.train:,} nodes to learn from, {self.dev:,} to look at, {self.test:,} to test with."


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """A graph that is ready to learn from."""

    graph: NodeGraph
    facts: GraphFacts


def prepare_graph(folder: Path, files: Files, config: GraphDataConfig, seed: int, say: Say) -> PreparedGraph:
    """The graph of a run, from its folder where it was made from the same files and settings, else made now."""
    made_from = fingerprint(
        {
            "format": FORMAT,
            "files": files.identities,
            "config": config.model_dump(mode="json", exclude={"fan_out", "loops"}),
            "seed": seed,
        }
    )
    return reuse_or_make(
        folder / DATA / FACTS,
        made_from,
        lambda: PreparedGraph(load_graph(folder), read_facts(folder / DATA, GraphFacts)),
        lambda: _make(folder, files, config, seed, made_from, say),
        say,
    )


def _make(folder: Path, files: Files, config: GraphDataConfig, seed: int, made_from: str, say: Say) -> None:
    """Make all that is opened again; the facts come last, so that a folder that has them is whole."""
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    (folder / DATA / FACTS).unlink(missing_ok=True)
    graph = _gather(files, config, seed, say)
    scaling = config.scaling or suited_scaling(graph.features)
    ready = NodeGraph.of(graph, both=config.both, scaling=scaling)
    save_graph(folder, ready)
    counts = {name: len(ready.nodes_of(part)) for name, part in (("train", TRAIN), ("dev", DEV), ("test", TEST))}
    facts = GraphFacts(
        made_from=made_from,
        files=len(files.train),
        nodes=len(ready),
        edges=len(ready.keys),
        features=ready.width,
        labels=graph.label_names,
        scaling=scaling,
        inductive=config.inductive or bool(files.dev),
        **counts,
    )
    write_file(folder / DATA / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())
    say(facts.told())


def _gather(files: Files, config: GraphDataConfig, seed: int, say: Say) -> Graph:
    """All graphs as one, with parts; those of --dev and --test are wholly for that."""
    train = join(_graphs(files.train))
    if not (train.parts == TRAIN).any():
        if files.dev and (train.parts == NOTHING).all():
            train = for_one_part(train, TRAIN)
        else:
            train = divide(train, (config.dev_share, 0.0 if files.test else config.test_share), seed)
    dev = [for_one_part(one, DEV) for one in _graphs(files.dev)]
    test = [for_one_part(one, TEST) for one in _graphs(files.test)]
    graph = join([train, *dev, *test])
    if len(graph.label_names) < 2:
        raise CorpusError(
            f"{files.train[0]} has {len(graph.label_names)} labels; two different ones or more can be learnt"
        )
    if not ((graph.parts == TRAIN) & (graph.labels >= 0)).any():
        raise CorpusError(f"{files.train[0]} has no labelled node to learn from; give labels, or another part of nodes")
    if not ((graph.parts == DEV) & (graph.labels >= 0)).any():
        say("No node could be set aside: the run looks at nodes that it learns, so scores will be too good.")
        graph = _looking_at_all(graph)
    return graph


def _looking_at_all(graph: Graph) -> Graph:
    """The graph with every second learnt node looked at too: where there is nothing else to look at."""
    learnt = np.flatnonzero((graph.parts == TRAIN) & (graph.labels >= 0))
    if len(learnt) < 2:
        raise CorpusError("the graph has one labelled node; two or more are needed to learn anything")
    parts = graph.parts.copy()
    parts[learnt[::2]] = DEV
    return Graph(graph.edges, graph.features, graph.labels, graph.label_names, parts, graph.names)


def _graphs(paths: Sequence[Path]) -> list[Graph]:
    """The graphs that files hold; a table of edges belongs to that of its nodes."""
    lonely = [path for path in paths if path.name.endswith(EDGES) and _nodes_beside(path) not in paths]
    lonely += [path for path in paths if path.name.endswith(NODES) and edges_beside(path) not in paths]
    if lonely:
        raise CorpusError(f"{lonely[0]} came alone; name both tables of a graph, x{NODES} and x{EDGES}")
    return [read_graph(path) for path in paths if not path.name.endswith(EDGES)]


def _nodes_beside(edges: Path) -> Path:
    return edges.with_name(edges.name.removesuffix(EDGES) + NODES)
