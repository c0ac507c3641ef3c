"""Music on the command line: train on chorales, score steps, go on with a beginning, write and draw it."""

import json
from pathlib import Path

import mido
import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from mirada.corpora.music import as_midi

SCALE = [60, 62, 64, 65, 67, 69, 71, 72]
# Two voices that go up and down in thirds, begun at different places: easy to foretell.
PIECES = [[[SCALE[(start + step) % 6], SCALE[(start + step) % 6 + 2]] for step in range(24)] for start in range(8)]
SMALL = ["context=48", "width=32", "feed_forward=64", "stack.layers=1"]


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("music") / "chorales.json"
    path.write_text(json.dumps({"train": PIECES[:6], "valid": PIECES[6:7], "test": PIECES[7:]}))
    return path


@pytest.fixture(scope="module")
def model(music: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "composer"
    words = ["train", "--task", "lm", music, "-o", folder, "--steps", 60, "--set=data.units=events"]
    result = mirada(*words, *(f"--set=model.{one}" for one in SMALL), "--set=training.batch_tokens=192", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["test"]
    assert (told["steps"], told["tokens"]) == (24, 24 * 3 + 1), "the file's own test piece, with the end of its steps"
    assert told["nats_per_step"] == pytest.approx(told["loss"] * 73 / 24)
    assert told["nats_per_step"] < 6, "drawing two of 128 pitches would cost more than 9"
    return folder


def test_the_files_own_test_pieces_are_scored(model: Path, music: Path) -> None:
    result = mirada("evaluate", model, "--input", music)
    assert "the 1 pieces that it means for tests" in result.stderr
    assert "nats per step" in result.stdout
    assert "73 tokens, 24 steps" in result.stdout


def test_a_beginning_goes_on_as_midi_and_picture(model: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun.mid"
    begun.write_bytes(as_midi([frozenset(step) for step in PIECES[0]]))
    outputs = [tmp_path / name for name in ("new.mid", "new.png", "new.svg")]
    words = ["generate", model, "--beginning", begun, "--beginning-steps", 4, "--length", 30, "--top-k", 1]
    result = mirada(*words, *(f"--output={output}" for output in outputs))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("64 60 / 65 62 / 67 64 / 69 65 /")
    notes = [message.note for message in mido.MidiFile(outputs[0]) if message.type == "note_on"]
    assert {60, 64} <= set(notes)
    assert outputs[1].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in outputs[2].read_bytes()


def test_wrong_words_are_told(model: Path, music: Path, tmp_path: Path) -> None:
    assert "music is written as .mid" in mirada("generate", model, "--output", tmp_path / "x.wav").stderr
    assert "'H' is no pitch" in mirada("generate", model, "--prompt", "H").stderr
    empty = tmp_path / "x.mid"
    empty.write_bytes(b"")
    assert "holds no piece that can be read" in mirada("generate", model, "--beginning", empty).stderr
