"""Policies on the command line: train, play, compare what is asked for with what is reached."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "coins"
    words = ("train", "--task", "policy", "-o", folder, "--preset", "tiny", "--steps", 25, "--set=data.episodes=100")
    result = mirada(*words, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert [one["asked"] for one in told["test"]["returns"]] == [0, 1, 2, 3, 4, 5, 6]
    assert "mirada predict" in result.stderr
    assert json.loads(mirada(*words, "--json").stdout)["test"] == told["test"]
    return folder


def test_it_plays_and_draws(model: Path) -> None:
    result = mirada("predict", model, "--return", 4, "--count", 3)
    *picture, told = result.stdout.splitlines()
    assert len(picture) == 6
    assert (sum(row.count("@") for row in picture), told.startswith("asked for 4, reached ")) == (1, True)
    assert "Over 3 episodes" in result.stderr
    game = json.loads(mirada("predict", model, "--return", 4, "--count", 3, "--json").stdout)
    assert [len(one["moves"]) for one in game["episodes"]] == [28, 28, 28]


def test_it_is_scored_without_a_file(model: Path) -> None:
    assert len(json.loads(mirada("evaluate", model, "--json").stdout)["returns"]) == 7
    assert "of always reaching the players'" in mirada("evaluate", model).stdout


def test_info_tells_what_it_is(model: Path) -> None:
    lines = mirada("info", model).stdout
    assert "policy: 1 layers, width 32" in lines
    assert "90 episodes learnt from, 10 looked at" in lines
    assert json.loads(mirada("info", model, "--json").stdout)["task"] == "policy"


def test_wrong_turns_are_told(model: Path, tmp_path: Path) -> None:
    assert "--return is missing" in mirada("predict", model).stderr
    assert "use 0 to 6" in mirada("predict", model, "--return", 9).stderr
    assert "DATA is missing" in mirada("train", "--task", "lm", "-o", tmp_path / "m").stderr
    assert "name no files" in mirada("train", "--task", "policy", model / "card.md", "-o", tmp_path / "m").stderr
