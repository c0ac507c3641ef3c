"""Runs of graph networks: learning, going on bit for bit, nodes that were never seen, drawn neighbours."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from mirada.models.folder import FolderError
from mirada.models.graph import GRAPH, load_graph
from mirada.node_classifier import NodeClassifier
from mirada.training.preparing import Files
from mirada.training.result import NodesResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from tests.graphs import crowds, write_npz, write_tables
from tests.training.small import run

SETTINGS: Tree = {
    "model": {"width": 8, "heads": 2},
    "training": {"dropout": 0.2, "rate": 0.02, "budget": {"steps": 75}, "save_minutes": 0.001},
}
DRAWN: Tree = {"data": {"fan_out": [6, 4]}, "training": {"batch_tokens": 16}}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_npz(tmp_path_factory.mktemp("graph") / "crowds.npz", **crowds())


def request(output: Path, *train: Path, dev: tuple[Path, ...] = (), test: tuple[Path, ...] = (), **more) -> Request:
    return Request(Files(train, dev, test), output, None, merge(SETTINGS, more), task="nodes")


def accuracy(asked: Request) -> float:
    outcome, _ = run(asked)
    assert isinstance(outcome.result, NodesResult)
    assert outcome.result.test is not None
    return outcome.result.test.accuracy


@pytest.fixture(scope="module")
def trained(graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    assert accuracy(request(folder, graph)) > 80, "the features alone tell 60 of 100"
    return folder


def weights_of(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize("more", [{}, DRAWN], ids=["whole", "drawn"])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(graph: Path, tmp_path: Path, more: Tree) -> None:
    more = merge(more, {"training": {"budget": {"steps": 27}}})
    run(request(tmp_path / "whole", graph, **more))
    assert run(request(tmp_path / "broken", graph, **more), stop_at=10)[0].step == 10
    outcome, listener = run(request(tmp_path / "broken", graph, **more))
    assert outcome.finished
    assert any("was prepared before: 90 nodes" in said for said in listener.said)
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "whole")


def test_drawn_neighbours_teach_too(graph: Path, tmp_path: Path) -> None:
    assert accuracy(request(tmp_path / "model", graph, **DRAWN)) > 75


@pytest.mark.parametrize("score", ["additive('leaky_relu')", "scaled_dot", "uniform"])
def test_other_scores_learn(graph: Path, tmp_path: Path, score: str) -> None:
    assert accuracy(request(tmp_path / "model", graph, model={"score": score})) > 75


def test_nodes_that_were_never_seen_are_known(tmp_path: Path) -> None:
    others = [write_npz(tmp_path / f"{seed}.npz", **crowds(seed=seed)) for seed in (2, 3)]
    alone = write_npz(tmp_path / "alone.npz", **{k: v for k, v in crowds().items() if not k.endswith("_idx")})
    asked = request(tmp_path / "model", alone, dev=(others[0],), test=(others[1],))
    outcome, listener = run(asked)
    assert isinstance(outcome.result, NodesResult)
    assert outcome.result.test is not None
    assert (outcome.result.test.count, outcome.result.test.accuracy > 65) == (90, True)
    assert any("90 nodes to learn from, 90 to look at, 90 to test" in said for said in listener.said)


def test_what_must_not_be_seen_changes_no_weight(tmp_path: Path) -> None:
    arrays = crowds()
    other = {**arrays, "features": arrays["features"].copy()}
    other["features"][arrays["test_idx"]] = 1 - other["features"][arrays["test_idx"]]
    graphs = [write_npz(tmp_path / f"{number}.npz", **one) for number, one in enumerate((arrays, other))]
    same = {}
    for inductive in (True, False):
        folders = [tmp_path / f"{inductive}{number}" for number in range(2)]
        for path, folder in zip(graphs, folders, strict=True):
            run(request(folder, path, data={"inductive": inductive}, training={"budget": {"steps": 3}}))
        same[inductive] = weights_of(folders[0]) == weights_of(folders[1])
    assert same == {True: True, False: False}


def test_tables_are_learnt_from(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    run(request(folder, *write_tables(tmp_path, crowds()), training={"budget": {"steps": 5}}))
    found = NodeClassifier.load(folder).predict([3])[0]
    assert (found.node, found.right) == ("n3", "crowd0")
    assert found.label.startswith("crowd")
    with pytest.raises(ValueError, match="came alone; name both tables"):
        run(request(tmp_path / "other", tmp_path / "crowd.nodes.tsv"))


def test_a_folder_answers_for_its_graph_and_for_others(trained: Path, graph: Path, tmp_path: Path) -> None:
    names = {path.name for path in trained.iterdir()}
    assert {"config.json", "model.safetensors", GRAPH, "card.md", "metrics.jsonl"} <= names
    own, same = NodeClassifier.load(trained), NodeClassifier.load(trained, graph)
    assert own.predict() == same.predict()
    told = json.loads((trained / "config.json").read_text())["scores"]["accuracy"]
    assert own.score().accuracy == same.score().accuracy == told["score"]
    assert "test nodes: accuracy" in (trained / "card.md").read_text()
    narrow = crowds()
    narrow["features"] = narrow["features"][:, :5]
    with pytest.raises(ValueError, match="has 5 features, but the model learnt from 12"):
        NodeClassifier.load(trained, write_npz(tmp_path / "narrow.npz", **narrow))


def test_a_damaged_graph_is_told(trained: Path, tmp_path: Path) -> None:
    tensors = load_file(trained / GRAPH)
    save_file({**tensors, "keys": tensors["keys"] + 90}, tmp_path / GRAPH)
    with pytest.raises(FolderError, match="its parts do not fit each other"):
        load_graph(tmp_path)
    save_file({"other": torch.ones(2)}, tmp_path / GRAPH)
    with pytest.raises(FolderError, match="holds no graph"):
        load_graph(tmp_path)
    with pytest.raises(FolderError, match="is missing"):
        load_graph(tmp_path / "nowhere")


def test_what_cannot_be_trained_is_told(graph: Path, tmp_path: Path) -> None:
    for more, told in (
        ({"data": {"fan_out": [3]}}, r"data\.fan_out has 1 numbers for model\.layers = 2"),
        ({"model": {"heads": 3, "width": 8}}, r"model\.heads = 3 does not divide model\.width = 8"),
        ({"model": {"score": "free(2)"}}, r"model\.score = free"),
        ({"model": {"depth": 3}}, r"model\.depth is not known"),
    ):
        with pytest.raises(ConfigError, match=told):
            run(request(tmp_path / "model", graph, **more))
    asked = Request(Files((graph,)), tmp_path / "model", "big", {}, task="nodes")
    with pytest.raises(ConfigError, match="--preset big is not for --task nodes"):
        run(asked)
