"""A finished training leaves an export in the model's folder, in the fastest form that says the same."""

import json
from pathlib import Path

import pytest

from mirada.decoding.options import Search
from mirada.export.choice import open_engines
from mirada.export.folder import INSIDE, read_about
from mirada.export.kept import keep
from mirada.models.config import TransformerConfig
from mirada.models.folder import WEIGHTS
from tests.export.models import ROUNDED_ENGINE, model_folder, shape, stack
from tests.translators import TEXTS


@pytest.fixture(autouse=True)
def soon_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.decoding.limits.LENGTHS", 1)
    monkeypatch.setattr("mirada.decoding.limits.MORE", 2)


def kept(folder: Path, model: TransformerConfig | None = None):
    if not folder.exists():
        model_folder(folder, model)
        (folder / "data").mkdir()
        (folder / "data" / "test.json").write_text(json.dumps([[text, text] for text in TEXTS]))
    return keep(folder, lambda sentences: lambda done: None)


def test_rounded_where_that_changes_little(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.agreement.LEAST_ROUNDED", 0.0)
    made = kept(tmp_path / "model")
    assert made.quantization == "int8"
    assert str(made).startswith("Exported for CTranslate2 in int8, which translates faster: ")
    assert "of 5 sentences (the model's own test set) are translated to the same text" in str(made)
    engine = open_engines(tmp_path / "model").choose(Search()).engine
    assert engine.name == ROUNDED_ENGINE


def test_in_full_where_rounding_changes_too_much(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.agreement.LEAST_ROUNDED", 1.01)
    made = kept(tmp_path / "model")
    assert made.quantization == "none"
    assert "in float32, which translates faster: 5 of 5" in str(made)
    assert read_about(tmp_path / "model" / INSIDE).quantization == "none"


def test_it_is_made_once_for_the_same_weights(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.agreement.LEAST_ROUNDED", 0.0)
    kept(tmp_path / "model")
    before = (tmp_path / "model" / INSIDE / "model.bin").stat()
    again = kept(tmp_path / "model")
    assert again.quantization == "int8"
    assert "there already" in str(again)
    assert (tmp_path / "model" / INSIDE / "model.bin").stat().st_mtime_ns == before.st_mtime_ns
    other = model_folder(tmp_path / "other", shape(width=16))
    (other / WEIGHTS).replace(tmp_path / "model" / WEIGHTS)
    (other / "config.json").replace(tmp_path / "model" / "config.json")
    assert "there already" not in str(kept(tmp_path / "model"))


def test_nothing_agrees(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.agreement.LEAST_ROUNDED", 1.01)
    monkeypatch.setattr("mirada.export.agreement._said", lambda engine, texts: [engine.name] * len(texts))
    made = kept(tmp_path / "model")
    assert made.quantization is None
    assert str(made).startswith("Not exported: 0 of 5 sentences")
    assert not (tmp_path / "model" / INSIDE).exists()


def test_no_form_there(tmp_path) -> None:
    made = kept(tmp_path / "model", shape(decoder=stack(score="additive")))
    assert made.quantization is None
    assert "no CTranslate2 form: model.decoder.score = 'additive'" in str(made)


def test_without_ctranslate2(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.kept.is_installed", lambda: False)
    made = kept(tmp_path / "model")
    assert made.quantization is None
    assert "pip install 'mirada[ctranslate2]'" in str(made)
