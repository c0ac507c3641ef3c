"""A run on texts with placeholders: its folder knows slots, unless the model that it began from does not."""

import json
from pathlib import Path

import pytest

from mirada.models.folder import load
from mirada.text.slots import COUNT, MARKS
from mirada.training.preparing import Files
from mirada.training.run import Request
from mirada.translator import Translator
from tests.training.small import request, run, write_corpus

FIXTURE = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"
SHORT = {"budget": {"steps": 2}, "batch_tokens": 600, "validation_sentences": 4}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = write_corpus(tmp_path, 120)
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(f"{{n{n}}} {one}\t{{n{n}}} {other}\n" for n, (one, other) in enumerate(lines)), "utf-8")
    return path


def test_a_run_on_placeholders_makes_a_model_with_slots(corpus: Path, tmp_path: Path) -> None:
    run(request(corpus, tmp_path / "model", training=SHORT))
    made = load(tmp_path / "model")
    assert made.config.slots == made.subwords.slots == COUNT
    dev = json.loads((tmp_path / "model" / "data" / "dev.json").read_text(encoding="utf-8"))
    assert all("{n" in text and not set(MARKS) & set(text) for pair in dev for text in pair), "scores are of real texts"
    (said,) = Translator.of(made).translate(["{name} sleeps"], beam=1)
    assert not set(MARKS) & set(said.text)


def test_a_model_to_begin_from_keeps_its_own_way(corpus: Path, tmp_path: Path) -> None:
    files = Files((corpus,), source="en", target="es")
    shares = {"dev_share": 0.1, "test_share": 0.05}
    settings = {"data": shares, "training": SHORT}
    run(Request(files, tmp_path / "old", None, settings, "the settings", FIXTURE))
    assert load(tmp_path / "old").config.slots == 0
    run(request(corpus, tmp_path / "new", training=SHORT))
    run(Request(files, tmp_path / "newer", None, settings, "the settings", tmp_path / "new"))
    assert load(tmp_path / "newer").config.slots == COUNT
