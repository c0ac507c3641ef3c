"""Graph networks: Cora beside PyTorch Geometric's GATConv, and a graph of four million edges within 4 GB.

    python bench/graphs.py cora [--data FOLDER] [--seeds 10] [--epochs 500] [--threads 1]
    python bench/graphs.py large [--nodes 200000] [--edges 4000000] [--batches 20] [--threads 1]

`--data` or MIRADA_DATA names the folder that holds `graphs/cora.npz`, which is not part of the project. The peer lives
in an environment of its own, made when it is first needed. Bars: a mean accuracy of 82.0 over the seeds, an epoch no
slower than the peer's, and 4 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from measure import peak_memory

from beside.peers import Peer, clean_environment, set_up
from mirada.corpora.graphs import DEV, TEST, TRAIN, Graph, read_graph
from mirada.data.nodes import NodeBatches, whole_batch
from mirada.data.position import Position
from mirada.layers.noise import Noise
from mirada.models.graph import NodeGraph
from mirada.models.nodes import build_network
from mirada.models.nodes_config import GraphConfig
from mirada.tasks.nodes import NodeTask
from mirada.training.optimizer import Optimizer
from mirada.training.preparing import Files
from mirada.training.report import ConsoleReporter
from mirada.training.result import NodesResult
from mirada.training.run import Request, train
from mirada.training.stopping import Stop
from mirada.training.stretches import Settings

HERE = Path(__file__).resolve().parent
PEER = Peer("torch_geometric", "PyTorch Geometric 2.8.1")
SIDE = HERE / "beside" / "sides" / "torch_geometric_nodes.py"
BAR, MEMORY_BAR = 82.0, 4e9
LABELS, FEATURES = 10, 64  # of the large graph


def cora(options: argparse.Namespace) -> None:
    path = options.data / "graphs" / "cora.npz"
    ours, seconds = [], []
    for seed in range(1, options.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            ours.append(_train(path, Path(folder) / "model", seed, options.epochs))
        seconds += _steps(path, options.timed)
    python = set_up(options.home, PEER)
    command = [python, SIDE, path, options.seeds, options.epochs, options.threads]
    done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, env=clean_environment())
    theirs = json.loads(done.stdout)
    _tell("mirada", ours, seconds)
    _tell(PEER.title, theirs["accuracy"], theirs["seconds"])
    faster = statistics.median(theirs["seconds"]) / statistics.median(seconds)
    print(f"bar {BAR}: {'kept' if statistics.mean(ours) >= BAR else 'MISSED'}; an epoch is {faster:.1f} times as fast")


def _train(path: Path, output: Path, seed: int, epochs: int) -> float:
    """The accuracy on the test nodes that `mirada train --task nodes` reaches."""
    settings: dict[str, object] = {"training": {"seed": seed, "budget": {"epochs": epochs}}}
    outcome = train(Request(Files((path,)), output, None, settings, task="nodes"), ConsoleReporter(True), Stop())
    if not isinstance(outcome.result, NodesResult) or outcome.result.test is None:
        raise SystemExit(f"{path} has no nodes to test with")
    return outcome.result.test.accuracy


def _steps(path: Path, count: int) -> list[float]:
    """The seconds of single epochs of the same training, with our optimizer."""
    graph = NodeGraph.of(read_graph(path), both=True, scaling="rows")
    config = GraphConfig()
    model = build_network(config, graph.width, int(graph.labels.max()) + 1, 1)
    batch, dev = (whole_batch(graph, graph.nodes_of(part), config.layers, loops=True) for part in (TRAIN, DEV))
    task = NodeTask(model, dev, 5e-4)
    optimizer = Optimizer(model, Settings(betas=(0.9, 0.999)), torch.float32)
    seconds = []
    for step in range(1, count + 4):
        begun = time.perf_counter()
        optimizer.add(optimizer.gradients(task.loss(batch, Noise(0.6, 1, step), 0.0)))
        optimizer.step(0.005, 0.0)
        seconds.append(time.perf_counter() - begun)
    return seconds[3:]


def _tell(name: str, accuracies: list[float], seconds: list[float]) -> None:
    spread = statistics.stdev(accuracies) if len(accuracies) > 1 else 0.0
    epoch = f"{1e3 * statistics.median(seconds):.1f} ms an epoch (least {1e3 * min(seconds):.1f})"
    print(f"{name:<26} accuracy {statistics.mean(accuracies):.2f} ± {spread:.2f} over {len(accuracies)} seeds, {epoch}")


def large(options: argparse.Namespace) -> None:
    """Random edges, labels that the features hint at: what matters is time and memory."""
    graph = _random_graph(options.nodes, options.edges)
    config = GraphConfig(width=128, heads=8)
    model = build_network(config, graph.width, LABELS, 1)
    print(f"{len(graph):,} nodes, {len(graph.keys):,} looks along edges, {config.heads} heads of {config.width // 8}")
    batches = NodeBatches(graph, graph.nodes_of(TRAIN), (15, 10), 1_024, 1, loops=True)
    optimizer = Optimizer(model, Settings(betas=(0.9, 0.999)), torch.float32)
    task = NodeTask(model, whole_batch(graph, graph.nodes_of(DEV)[:16], 2, loops=True), 5e-4)
    begun, losses = time.perf_counter(), []
    for step, (batch, _) in enumerate(islice(batches.from_position(Position()), options.batches), start=1):
        loss = task.loss(batch, Noise(0.1, 1, step), 0.0)
        optimizer.add(optimizer.gradients(loss))
        optimizer.step(0.005, 1.0)
        losses.append(float(loss.detach()))
    each = (time.perf_counter() - begun) / options.batches
    spent = f"{each * 1e3:.0f} ms for 1,024 nodes, {each * batches.batches_in(0):.0f} s an epoch"
    learnt = f"loss {losses[0]:.3f} to {losses[-1]:.3f}"
    print(f"drawn 15 and 10 neighbours: {spent}; {learnt}; {peak_memory() / 1e9:.2f} GB")
    whole = NodeBatches(graph, graph.nodes_of(TRAIN), (0, 0), 1, 1, loops=True)
    begun = time.perf_counter()
    batch = next(whole.from_position(Position()))[0]
    optimizer.add(optimizer.gradients(task.loss(batch, Noise(0.1, 1, 1), 0.0)))
    optimizer.step(0.005, 1.0)
    memory = peak_memory()
    print(f"all nodes at once: {time.perf_counter() - begun:.1f} s a step; {memory / 1e9:.2f} GB")
    print(f"bar {MEMORY_BAR / 1e9:.0f} GB: {'kept' if memory < MEMORY_BAR else 'MISSED'}")


def _random_graph(nodes: int, edges: int) -> NodeGraph:
    chance = np.random.default_rng(1)
    labels = chance.integers(LABELS, size=nodes)
    features = chance.normal(size=(nodes, FEATURES)).astype(np.float32)
    features[np.arange(nodes), labels] += 1
    parts = chance.choice([TRAIN, DEV, TEST], size=nodes, p=[0.8, 0.1, 0.1]).astype(np.int8)
    ends = chance.integers(nodes, size=(edges, 2))
    read = Graph(ends, features, labels, tuple(map(str, range(LABELS))), parts)
    return NodeGraph.of(read, both=False, scaling="none")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=("cora", "large"))
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("MIRADA_DATA", "data")))
    parser.add_argument("--home", type=Path, default=HERE.parent / ".bench", help="where the peer's environment is")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--timed", type=int, default=30, help="epochs that are timed for each seed")
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--edges", type=int, default=4_000_000)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    wanted = _options()
    torch.set_num_threads(wanted.threads)
    {"cora": cora, "large": large}[wanted.measure](wanted)
    sys.exit(0)
