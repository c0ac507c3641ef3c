"""A shortlist stays with an export only where it changes next to nothing."""

from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.store import StoreWriter
from mirada.export import shortlist
from mirada.export.agreement import Sentences
from mirada.export.ctranslate2 import write
from mirada.export.folder import read_about
from mirada.export.shortlist import Shortlist
from mirada.export.trial import PAIRS, Trial, Tried, try_shortlist
from mirada.text.asking import Asked
from mirada.text.subwords import BEGIN, END
from tests.export.models import random_model, shape
from tests.translators import TEXTS, subwords


@pytest.fixture(autouse=True)
def soon_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.decoding.limits.LENGTHS", 1)
    monkeypatch.setattr("mirada.decoding.limits.MORE", 2)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model with the pairs that it was trained on."""
    (tmp_path / "model" / "data").mkdir(parents=True)
    with StoreWriter(tmp_path / "model" / PAIRS, "test", subwords().size) as writer:
        writer.add(*([subwords().encode_flat(TEXTS, end=True)] for _ in range(2)))
    (tmp_path / "model" / "model.safetensors").write_bytes(b"weights")
    return tmp_path / "model"


def tried(folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch, ids: list[int] | None = None) -> Trial:
    loaded = random_model(shape())
    (folder / "without").mkdir()
    write(loaded, folder / "without", "int8")
    if ids is not None:
        made = Shortlist(np.array(ids), np.zeros(len(ids), dtype=np.float32))
        monkeypatch.setattr(shortlist, "learn", lambda store, known: made)
    both = Tried(model, folder / "without", folder / "short", "int8")
    return try_shortlist(both, loaded, Sentences([Asked(text) for text in TEXTS], "of the test"), lambda done: None)


def test_it_stays_where_all_is_the_same(tmp_path, model, monkeypatch) -> None:
    trial = tried(tmp_path, model, monkeypatch, list(range(subwords().size)))
    assert trial.kept
    assert str(trial) == f"Shortlist: {subwords().size} subwords can be said; 5 of 5 sentences are the same with it"
    assert trial.as_json() == {"kept": True, "outputs": subwords().size, "sentences": 5, "same": 5, "why": ""}
    about = read_about(tmp_path / "short")
    assert (about.shortlist, about.quantization) == (subwords().size, "int8")


def test_it_goes_where_too_much_changes(tmp_path, model, monkeypatch) -> None:
    trial = tried(tmp_path, model, monkeypatch, [BEGIN, END])
    assert not trial.kept
    assert "No shortlist: only " in str(trial)
    assert "99% must be" in str(trial)


def test_without_pairs_there_is_none(tmp_path, model, monkeypatch) -> None:
    trial = tried(tmp_path, tmp_path / "elsewhere", monkeypatch)
    assert (trial.kept, trial.agreement) == (False, None)
    assert "is not there" in str(trial)


def test_damaged_or_foreign_pairs_tell_nothing(tmp_path, model, monkeypatch) -> None:
    with StoreWriter(model / PAIRS, "test", 7) as writer:
        writer.add(*([(np.array([4, 3], dtype=np.uint32), np.array([2]))] for _ in range(2)))
    assert "made with 7 subwords" in str(tried(tmp_path, model, monkeypatch))
    (model / PAIRS / "header.json").write_text("{}")
    (tmp_path / "again").mkdir()
    assert "No shortlist: " in str(tried(tmp_path / "again", model, monkeypatch))
