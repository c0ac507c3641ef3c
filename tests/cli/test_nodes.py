"""Graph networks on the command line: train, predict, evaluate, info, and every wrong turn."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from tests.graphs import crowds, write_npz, write_tables

SMALL = ["--set=model.width=8", "--set=model.heads=2", "--set=training.rate=0.02", "--set=training.dropout=0.2"]


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_npz(tmp_path_factory.mktemp("graph") / "crowds.npz", **crowds())


@pytest.fixture(scope="module")
def model(graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "crowds"
    result = mirada("train", "--task", "nodes", graph, "--output", folder, "--epochs", 60, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["step"], told["test"]["nodes"]) == (True, 60, 30)
    assert told["test"]["accuracy"] > 66
    assert "All 30 nodes are learnt at once" in result.stderr
    assert "Test nodes: accuracy" in result.stderr
    return folder


def test_labels_of_all_nodes_are_told(model: Path, graph: Path, tmp_path: Path) -> None:
    lines = mirada("predict", model).stdout.splitlines()
    assert len(lines) == 90
    assert [line.split("\t")[0] for line in lines] == [str(node) for node in range(90)]
    assert {line.split("\t")[1] for line in lines} <= {"0", "1", "2"}
    told = json.loads(mirada("predict", model, "--input", graph, "--json").stdout)
    assert [one["label"] for one in told["predictions"]] == [line.split("\t")[1] for line in lines]
    assert mirada("predict", model, "--output", tmp_path / "labels.tsv").exit_code == 0
    assert (tmp_path / "labels.tsv").read_text().splitlines() == lines


def test_a_graph_is_scored(model: Path, graph: Path, tmp_path: Path) -> None:
    told = json.loads(mirada("evaluate", model, "--input", graph, "--json").stdout)
    known = json.loads(mirada("info", model, "--json").stdout)["scores"]["accuracy"]["score"]
    assert (told["nodes"], told["accuracy"]) == (30, known)
    other = write_npz(tmp_path / "other.npz", **{**crowds(seed=5), "test_idx": np.array([], dtype=int)})
    assert "of 90 nodes" in mirada("evaluate", model, "--input", other).stdout


def test_info_tells_what_it_is(model: Path) -> None:
    told = mirada("info", model).stdout
    assert "graph: 2 layers, width 8, 2 heads, 1 in the last layer" in told
    assert "90 nodes" in told
    assert "12 features, 3 labels; 30 nodes to learn from, 30 to look at, 30 to test with" in told
    assert "test: accuracy" in told
    known = json.loads(mirada("info", model, "--json").stdout)
    assert (known["task"], known["vocabulary"], known["training"]["status"]) == ("nodes", None, "finished")


def test_a_node_is_looked_at(model: Path, tmp_path: Path) -> None:
    seen = json.loads(mirada("view", model, "7", "--json").stdout)
    assert (seen["task"], seen["sequences"]["read"]["kind"], len(seen["maps"])) == ("nodes", "nodes", 2)
    assert "encoder, layer 2, mean of the heads" in mirada("view", model, "7").stdout
    assert mirada("view", model, "7", "--output", tmp_path / "node.html").exit_code == 0
    assert "the graph has no node '90'" in mirada("view", model, "90").stderr


def test_tables_go_all_the_way(tmp_path: Path) -> None:
    tables = write_tables(tmp_path, crowds())
    words = ("train", "--task", "nodes", *tables, "-o", tmp_path / "model", "--steps", 2, *SMALL)
    assert mirada(*words).exit_code == 0
    assert mirada("predict", tmp_path / "model").stdout.startswith("n0\tcrowd")
    assert "accuracy" in mirada("evaluate", tmp_path / "model", "--input", tables[0]).stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--from", "en"), "are for translators"),
        (("--preset", "big"), "--preset big is not for --task nodes"),
        (("--model", "transformer"), "--model does not serve --task nodes"),
        (("--set", "data.fan_out=[3]"), "data.fan_out has 1 numbers for model.layers = 2"),
        (("--set", "model.widht=8"), "model.widht is not known; did you mean model.width?"),
    ],
)
def test_wrong_words_are_told(graph: Path, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = mirada("train", "--task", "nodes", graph, "--output", tmp_path / "model", *words)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "model").exists()


def test_another_file_is_no_graph(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("no graph\n")
    for words in (("evaluate", model, "--input", text), ("train", "--task", "nodes", text, "-o", tmp_path / "other")):
        result = mirada(*words)
        assert result.exit_code != 0
        assert "is no graph; name a .npz file" in result.stderr
    assert "does not translate; use `mirada predict" in mirada("translate", model).stderr
