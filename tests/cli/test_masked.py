"""Masked models and ELMo on the command line: train, predict, evaluate, info, and every wrong turn."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from mirada.filler import Filler
from tests.translators import random_folder

TEXT = "The cat sleeps on the mat.\nThe dog barks at the moon.\nA bird sings.\n\nMy sister reads books.\n" * 40
SMALL = (
    "--set=data.vocabulary=480",
    "--set=data.longest=24",
    "--set=training.batch_tokens=240",
    "--set=training.rate=0.01",
)
MODELS = {
    "mlm": ("--set=model.width=16", "--set=model.feed_forward=32", "--set=model.stack.layers=1"),
    "elmo": ("--set=model.width=12", "--set=model.layers=1"),
}


def mirada(*words: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=given, catch_exceptions=False)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def folders(text: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for task, shape in MODELS.items():
        found[task] = tmp_path_factory.mktemp("models") / task
        result = mirada("train", "--task", task, text, "-o", found[task], "--steps", 60, *SMALL, *shape, "--json")
        assert result.exit_code == 0, result.stderr
        told = json.loads(result.stdout)
        assert (told["finished"], told["step"], told["test"]["loss"] > 0) == (True, 60, True)
        assert "Test text: loss" in result.stderr
    return found


def test_gaps_are_filled(folders: dict[str, Path]) -> None:
    words = ("predict", folders["mlm"], "--count", 3)
    result = mirada(*words, given="The cat ___ on the mat.\nThe dog [MASK] at the [MASK].\nno gap\n")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("The cat ")
    assert lines[0].endswith(" on the mat.")
    assert len(lines) == 6
    assert lines[1].count(",") == 2
    assert lines[-1] == "no gap"
    told = json.loads(mirada(*words, "--json", given="The cat [MASK] on the mat.\n").stdout)
    assert [len(gap) for gap in told["lines"][0]["gaps"]] == [3]
    likely = [one["probability"] for one in told["lines"][0]["gaps"][0]]
    assert likely == sorted(likely, reverse=True)
    assert told["lines"][0]["text"] == f"The cat {told['lines'][0]['gaps'][0][0]['text']} on the mat."


def test_a_gap_keeps_what_stands_around_it(folders: dict[str, Path]) -> None:
    filler = Filler.load(folders["mlm"])
    assert filler.fill("___ (sings), ___.").text.count("(sings),") == 1
    inside = filler.fill("The ca___ sings").text
    assert inside.startswith("The ca")
    assert " sings" in inside
    with pytest.raises(ValueError, match="subwords, more than the 22"):
        filler.fill("The cat sleeps on the mat [MASK]. " * 9)
    with pytest.raises(ValueError, match=r"count = 0; use 1 to 1,000"):
        filler.fill("___", 0)


def test_a_text_is_scored(folders: dict[str, Path], text: Path) -> None:
    told = json.loads(mirada("evaluate", folders["mlm"], "--input", text, "--json").stdout)
    assert told["pseudo_perplexity"] > 1
    assert 0 < told["accuracy"] <= 100
    assert told["signature"].startswith("rounds:7|")
    printed = mirada("evaluate", folders["elmo"], "--input", text).stdout
    assert "forward perplexity" in printed
    refused = mirada("evaluate", folders["mlm"], "--input", text, "--stride", 4)
    assert (refused.exit_code, "reads line by line" in refused.stderr) == (2, True)


def test_info_tells_what_it_is(folders: dict[str, Path]) -> None:
    lines = mirada("info", folders["mlm"]).stdout
    assert "1 layers, width 16, feed-forward 32" in lines
    assert "stack: 4 heads, full, scaled_dot, rotary" in lines
    told = json.loads(mirada("info", folders["elmo"], "--json").stdout)
    assert (told["task"], told["training"]["status"]) == ("elmo", "finished")
    (folders["elmo"] / "config.json").rename(folders["elmo"] / "away.json")  # as while it was still training
    assert json.loads(mirada("info", folders["elmo"], "--json").stdout)["task"] == "elmo"
    (folders["elmo"] / "away.json").rename(folders["elmo"] / "config.json")


def test_the_models_of_tasks_are_not_mixed_up(folders: dict[str, Path], tmp_path: Path) -> None:
    assert "which fills no gaps" in mirada("predict", folders["elmo"], given="x").stderr
    translator = random_folder(tmp_path / "translator")
    assert "holds a model for translation, which fills no gaps" in mirada("predict", translator, given="x").stderr
    wrong = mirada("train", "--task", "mlm", "--model", "recurrent", tmp_path / "x", "-o", tmp_path / "y")
    assert "--model recurrent does not serve --task mlm" in wrong.stderr
