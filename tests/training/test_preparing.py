"""Prepared data: made once, used again while it is the same, and made again when it is damaged or from other things."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mirada.corpora import telling
from mirada.training import preparing
from mirada.training.config import DataConfig
from mirada.training.preparing import DATA, FACTS, Files, Prepared, Progress, prepare_data
from tests.training.small import write_corpus

CONFIG = DataConfig(vocabulary=500, variants=2, dev_share=0.1, test_share=0.05)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"), 120)


def prepare(corpus: Path, folder: Path, seed: int = 1) -> tuple[Prepared, str]:
    said: list[str] = []
    files = Files((corpus,), source="en", target="es")
    return prepare_data(folder, files, CONFIG, seed, None, 5, said.append), "\n".join(said)


def test_it_is_made_once_and_leaves_no_spool(corpus: Path, tmp_path: Path) -> None:
    first, said = prepare(corpus, tmp_path)
    assert "Reading" in said
    again, said = prepare(corpus, tmp_path)
    assert "Reading" not in said
    assert "was prepared before" in said
    assert again.facts == first.facts
    assert np.array_equal(again.train.source_lengths, first.train.source_lengths)
    names = {path.name for path in (tmp_path / DATA).iterdir()}
    assert names == {"train", "dev", "dev.json", "test.json", FACTS}


def test_from_another_seed_it_is_made_again(corpus: Path, tmp_path: Path) -> None:
    first, _ = prepare(corpus, tmp_path)
    other, said = prepare(corpus, tmp_path, seed=2)
    assert "Reading" in said
    assert other.facts.made_from != first.facts.made_from


@pytest.mark.parametrize("name", ["train/source.tokens", "dev/header.json", "dev.json", FACTS])
def test_what_is_damaged_is_told_and_made_again(corpus: Path, tmp_path: Path, name: str) -> None:
    first, _ = prepare(corpus, tmp_path)
    (tmp_path / DATA / name).write_bytes(b"{")
    again, said = prepare(corpus, tmp_path)
    assert "is made again" in said
    assert again.facts == first.facts
    assert again.dev_pairs == first.dev_pairs


def test_a_store_of_another_run_is_not_used(corpus: Path, tmp_path: Path) -> None:
    first, _ = prepare(corpus, tmp_path / "one")
    prepare(corpus, tmp_path / "other", seed=2)
    (tmp_path / "one" / DATA / "train").rename(tmp_path / "aside")
    (tmp_path / "other" / DATA / "train").rename(tmp_path / "one" / DATA / "train")
    again, _ = prepare(corpus, tmp_path / "one")
    assert again.train.made_from == first.train.made_from


def test_a_stage_tells_what_is_done_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 102.0, 110.0, 112.0, 130.0, 142.0])
    monkeypatch.setattr(preparing, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    said: list[str] = []
    progress = Progress("stored", said.append)
    for share in (0.1, 0.2, 0.3, 0.5, 0.9, 1.2):
        progress(share)
    assert said == ["  30 % stored, 35 s left", "  90 % stored, 4 s left", "  longer than usual, 42 s so far"]


def test_every_stage_tells(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "TELL_SECONDS", -1.0)
    monkeypatch.setattr(telling, "SECONDS", 1e-4)
    monkeypatch.setattr(telling, "EVERY", 10)
    _, said = prepare(corpus, tmp_path)
    for what in ("of the texts looked at", "of the time that learning takes"):
        assert f"% {what}, " in said


def test_synthetic_pairs_change_nothing_but_what_is_trained_on(corpus: Path, tmp_path: Path) -> None:
    usual, _ = prepare(corpus, tmp_path / "usual")
    held_out = usual.test_pairs[0]
    made = tmp_path / "made.tsv"
    made.write_text(f"es\ten\nUn perro viejo.\tAn old dog.\nOtra cosa.\t{held_out[0]}\n")  # the header names the sides
    files = Files((corpus,), source="en", target="es", columns=("en", "es"), synthetic=(made,))
    mixed = prepare_data(tmp_path / "mixed", files, CONFIG, 1, None, 5, print)
    assert (mixed.dev_pairs, mixed.test_pairs) == (usual.dev_pairs, usual.test_pairs)
    assert (mixed.facts.train, mixed.facts.synthetic) == (usual.facts.train + 1, 1)
    assert len(mixed.train) == mixed.facts.train
    assert "source stands in dev or test" in (tmp_path / "mixed" / "drops.tsv").read_text()
    names = {path.name for path in (tmp_path / "mixed" / DATA).iterdir()}
    assert names == {"train", "dev", "dev.json", "test.json", FACTS}
