"""`mirada train` and what follows it, as a user meets them: one pass through all commands, and every wrong turn."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from tests.export.models import ROUNDED_ENGINE
from tests.training.small import write_corpus

SMALL = [
    "--set=data.vocabulary=500",
    "--set=data.dev_share=0.1",
    "--set=data.test_share=0.05",
    "--set=model.width=16",
    "--set=model.feed_forward=32",
    "--set=model.encoder.layers=1",
    "--set=model.decoder.layers=1",
    "--set=training.batch_tokens=600",
    "--set=training.validation_sentences=4",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def mirada(*words: object, text: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=text, catch_exceptions=False)


def train(corpus: Path, output: Path, *more: object) -> Result:
    return mirada("train", corpus, "--from", "en", "--to", "es", "--output", output, *SMALL, *more)


def test_all_commands_one_after_the_other(corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    result = train(corpus, model, "--steps", 30, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["step"], told["steps"]) == (True, 30, 30)
    assert {"score", "signature"} <= set(told["test"]["bleu"])
    for name in ("config.json", "model.safetensors", "subwords.model", "card.md", "curves.png", "metrics.jsonl"):
        assert (model / name).stat().st_size > 0
    assert told["export"] in ("int8", "none")
    assert "Exported for CTranslate2 in " in result.stderr
    computing = ROUNDED_ENGINE if told["export"] == "int8" else "ctranslate2"
    assert f"engine: {computing}" in mirada("translate", model, "--verbose", text="The cat sleeps.\n").stderr

    again = train(corpus, model, "--steps", 30, "--json")
    assert again.exit_code == 0
    assert "is finished" in again.stderr
    assert again.stdout == result.stdout

    said = mirada("translate", model, "--beam", 2, text="The cat sleeps.\n\nWe see the house.\n")
    assert said.exit_code == 0
    assert len(said.stdout.splitlines()) == 3

    lines = [line.split("\t") for line in corpus.read_text().splitlines()[:5]]
    for side, name in enumerate(("test.en", "test.es")):
        (tmp_path / name).write_text("".join(line[side] + "\n" for line in lines))
    scored = mirada(
        "evaluate", model, "--input", tmp_path / "test.en", "--reference", tmp_path / "test.es", "--beam", 1, "--json"
    )
    assert scored.exit_code == 0, scored.stderr
    assert set(json.loads(scored.stdout)["bleu"]) == {"score", "signature"}

    info = mirada("info", model, "--json")
    assert info.exit_code == 0
    form = told["export"].replace("none", "float32")
    assert json.loads(info.stdout)["export"] == f"for CTranslate2, {form}"
    assert f"export      for CTranslate2, {form}" in mirada("info", model).stdout

    other = train(corpus, tmp_path / "other", "--steps", 2, "--start", model, "--set=model.width=32")
    assert "brings its own model" in other.stderr
    words = ["train", corpus, "--from", "en", "--to", "es", "--output", tmp_path / "fine", "--start", model]
    fine = mirada(*words, "--steps", 2, "--set=training.validation_sentences=4")
    assert fine.exit_code == 0, fine.stderr
    assert (tmp_path / "fine" / "subwords.model").read_bytes() == (model / "subwords.model").read_bytes()


def test_a_recurrent_model_by_the_same_commands(corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shape = [word for word in SMALL if "feed_forward" not in word]
    shape += ["--set=model.encoder.width=16", "--set=model.decoder.width=16", "--set=model.attention.score=none"]
    words = ["train", corpus, "--from", "en", "--to", "es", "--output", model, "--model", "recurrent", *shape]
    result = mirada(*words, "--steps", 3)
    assert result.exit_code == 0, result.stderr
    assert "lstm 16 to lstm 16, attention none" in mirada("info", model).stdout
    assert "recurrent: 1 + 1 layers" in (model / "card.md").read_text()
    said = mirada("translate", model, "--beam", 1, text="The cat sleeps.\n")
    assert said.exit_code == 0
    other = mirada(*words, "--start", model)
    assert "leave out --preset and --model" in other.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--model=recurrent"], "model.feed_forward is not known"),
        (["--set=model.widht=3"], "did you mean model.width?"),
        (["--config=nothing.toml"], "nothing.toml"),
        (["--steps=3", "--minutes=1"], "use one of them"),
        (["--start=nothing"], "is no folder of a model"),
        (["--dev=nothing.tsv"], "nothing.tsv"),
        (["--set=data.longest=2"], "no training pair has at most 2 tokens"),
        (["--set=training.batch_tokens=20"], "training.batch_tokens = 20 cannot hold"),
    ],
)
def test_a_wrong_turn_is_a_sentence(corpus: Path, tmp_path: Path, more: list[str], told: str) -> None:
    result = train(corpus, tmp_path / "model", "--steps=2" if "--steps=3" not in more else "-q", *more)
    assert result.exit_code in (1, 2)
    assert told in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no pair can be trained on"),
        ("Hello there.\tHola a todos.\n", ""),
        ("\0\0\0\t\0\0\n", "no pair can be trained on"),
    ],
)
def test_hardly_any_data_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "en-es.tsv").write_text(text)
    result = mirada(
        "train", tmp_path / "en-es.tsv", "--from", "en", "--to", "es", "-o", tmp_path / "model", "--steps", 2,
        "--set=model.width=16",
    )  # fmt: skip
    assert "Traceback" not in result.stderr
    if told:
        assert result.exit_code == 1
        assert told in result.stderr
    else:
        assert result.exit_code == 0, result.stderr
        assert "looks at pairs that it trains on" in result.stderr


def test_the_wrong_language_is_refused(tmp_path: Path) -> None:
    from mirada.corpora.demo import generate

    pairs = [made.pair for made in generate(400, 3) if len(made.pair.target) > 50 and len(made.pair.source) > 50]
    (tmp_path / "t.tsv").write_text("".join(f"{pair.target}\t{pair.source}\n" for pair in pairs))
    words = ("train", tmp_path / "t.tsv", "--from", "en", "--to", "es", "--columns", "en,es", "-o", tmp_path / "m")
    result = mirada(*words)
    assert result.exit_code == 1
    assert "languages" in result.stderr


def test_a_full_disk_is_told_and_the_run_goes_on_later(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    sync = os.fsync
    written = 0

    def full(handle: int) -> None:
        nonlocal written
        written += 1
        if written > 14:  # the data is prepared, and the first steps are saved
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    saving = "--set=training.save_minutes=0.0001"
    monkeypatch.setattr(os, "fsync", full)
    result = train(corpus, model, "--steps", 30, saving)
    assert result.exit_code == 1
    assert "No space left" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.undo()
    result = train(corpus, model, "--steps", 30, saving)
    assert result.exit_code == 0, result.stderr


def test_ctrl_c_saves_and_says_how_to_go_on(corpus: Path, tmp_path: Path) -> None:
    words = ["train", corpus, "--from", "en", "--to", "es", "--output", tmp_path / "model", *SMALL, "--steps", 100_000]
    command = [sys.executable, "-m", "mirada", *map(str, words)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}) as run:
        for _ in range(600):
            if (tmp_path / "model" / "metrics.jsonl").exists():
                break
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        told = run.communicate(timeout=60)[1]
    assert run.returncode == 128 + signal.SIGINT, told
    assert "Give the same command to go on" in told
    assert (tmp_path / "model" / "training.safetensors").exists()


def test_a_model_that_cannot_be_exported_is_told_before_it_is_trained(corpus, tmp_path, monkeypatch) -> None:
    from mirada.training.session import Outcome

    monkeypatch.setattr("mirada.training.run.train", lambda *_: Outcome(True, 1, 1, None))
    for change, told in (("model.norm=batch", True), ("model.norm=rms", False)):
        result = train(corpus, tmp_path / "model", "--set", change, "--no-export")
        assert result.exit_code == 0, result.stderr
        lines = [line for line in result.stderr.splitlines() if "no CTranslate2 form" in line]
        assert len(lines) == told
        assert ("model.norm = 'batch'" in result.stderr) == told
