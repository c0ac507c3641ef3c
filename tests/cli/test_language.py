"""Language models on the command line: train, generate, evaluate, and every wrong turn."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from tests.translators import random_folder

SMALL = [
    "--set=model.context=12",
    "--set=model.width=16",
    "--set=model.feed_forward=32",
    "--set=model.stack.layers=1",
    "--set=training.batch_tokens=240",
]
TEXT = "To be, or not to be, that is the question:\nWhether 'tis nobler in the mind to suffer\n" * 40


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "hamlet.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def model(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "hamlet"
    result = mirada("train", "--task", "lm", text, "--output", folder, "--steps", 30, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["step"]) == (True, 30)
    assert told["test"]["bits_per_character"] > 0
    assert "mirada generate" in result.stderr
    return folder


def test_a_text_is_written_and_can_be_had_again(model: Path) -> None:
    words = ("generate", model, "--prompt", "To be", "--length", 30, "--seed", 5)
    first = mirada(*words)
    assert first.exit_code == 0
    assert first.stdout.startswith("To be")
    assert mirada(*words).stdout == first.stdout
    told = json.loads(mirada(*words, "--json", "--count", 2, "--top-k", 5).stdout)
    assert [one["tokens"] for one in told["texts"]] == [30, 30]


def test_a_text_is_scored(model: Path, text: Path, tmp_path: Path) -> None:
    told = json.loads(mirada("evaluate", model, "--input", text, "--json").stdout)
    assert told["characters"] == told["tokens"] == len(TEXT)
    assert (told["unknown"], told["loss"] > 0) == (0, True)
    strange = tmp_path / "strange.txt"
    strange.write_text("Ωμέγα\n")
    result = mirada("evaluate", model, "--input", strange, "--stride", 3)
    assert result.exit_code == 0
    assert "5 characters were never met" in result.stderr
    assert "bits per character" in result.stdout


def test_info_tells_what_it_is(model: Path) -> None:
    lines = mirada("info", model).stdout
    assert "lm" in lines
    assert "1 layers, width 16, feed-forward 32, 4 heads, context 12" in lines
    assert "stack: 4 heads, causal, scaled_dot, rotary" in lines
    told = json.loads(mirada("info", model, "--json").stdout)
    assert (told["task"], told["training"]["status"], told["data"]["units"]) == ("lm", "finished", "characters")
    assert told["scores"]["bits_per_character"]["score"] > 0


def test_the_models_of_tasks_are_not_mixed_up(model: Path, text: Path, tmp_path: Path) -> None:
    result = mirada("translate", model)
    assert "holds a language model, not a translator; use `mirada generate" in result.stderr
    translator = random_folder(tmp_path / "translator")
    assert "holds a translator, not a language model" in mirada("generate", translator).stderr
    result = mirada("evaluate", translator, "--input", text)
    assert (result.exit_code, "--reference is missing" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--task", "lm", "--from", "en"), "--from, --to and --columns are for translators"),
        (("--task", "lm", "--preset", "big"), "--preset big is not known; use tiny, small, base, gpt"),
        (("--from", "en"), "--from and --to are missing"),
        (("--task", "lm", "--set", "model.heads=3"), "model.heads is not known; did you mean model.stack.heads?"),
    ],
)
def test_wrong_words_are_told(text: Path, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = mirada("train", text, "--output", tmp_path / "model", *words)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "model").exists()


def test_an_n_gram_model_is_counted_and_used_alike(text: Path, tmp_path: Path) -> None:
    words = (
        "train",
        "--task",
        "lm",
        "--model",
        "ngram",
        "--set=model.order=4",
        text,
        "-o",
        tmp_path / "ngram",
        "--json",
    )
    told = json.loads(mirada(*words).stdout)
    assert told["finished"]
    assert json.loads(mirada(*words).stdout) == told
    assert mirada("generate", tmp_path / "ngram", "--prompt", "To be", "--length", 20).stdout.startswith("To be")
    scored = json.loads(mirada("evaluate", tmp_path / "ngram", "--input", text, "--json").stdout)
    assert 0 < scored["loss"] < told["test"]["loss"] + 1
    refused = mirada("train", "--task", "lm", "--model", "ngram", text, "-o", tmp_path / "other", "--steps", 3)
    assert "training is not known" in refused.stderr
    told = mirada("info", tmp_path / "ngram").stdout
    assert "ngram: up to 4 tokens in a row\n" in told
    assert "counted at once" in told
    assert "bits per character" in (tmp_path / "ngram" / "card.md").read_text()
    assert "an n-gram model has no --preset" in mirada(*words, "--preset", "tiny").stderr
    wrong = mirada("train", "--model", "ngram", text, "--from", "en", "--to", "de", "-o", tmp_path / "other")
    assert "does not serve --task translation; use transformer or recurrent" in wrong.stderr


def test_where_it_looks(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = mirada("view", model, "To be, or", "--output", page, "--text")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[3] == "decoder, layer 1, mean of the heads: read ↓ looks at read →"
    assert '"task":"lm"' in page.read_text(encoding="utf-8")
    lens = mirada("view", model, "To be, or", "--lens")
    assert lens.stdout.splitlines()[3].split() == ["layer", "1"]
    seen = json.loads(mirada("view", model, "To be", "--json").stdout)
    assert (seen["task"], len(seen["steps"]), list(seen["sequences"])) == ("lm", 6, ["read"])
    wrong = mirada("view", model, "To be", "--reference", "To")
    assert wrong.exit_code == 1
    assert "a reference is what a translator or a captioner is made to say" in wrong.stderr
