"""The demonstration: words from pieces, the head that finds what "it" means, and the whole of it in seconds."""

import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from mirada.cli.app import app
from mirada.corpora.demo import animal_and_street
from mirada.demonstration import run as demonstration
from mirada.demonstration.pronoun import find_head, looks_between_words
from mirada.models.folder import load
from mirada.text.words import word_links, words_of_pieces
from mirada.training.settings import merge

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"


def test_pieces_belong_to_words() -> None:
    assert words_of_pieces(["▁The", "▁an", "imal", "▁s", "leep", "s", "."]) == [0, 1, 1, 2, 2, 2, 2]
    links = [(0, 0), (1, 1), (2, 1), (3, 2)]
    assert word_links(links, ["▁a", "▁b", "c", "▁d"], ["▁x", "▁y", "▁z"]) == [(0, 0), (1, 1), (2, 2)]


def test_the_looks_of_a_word_are_shares_of_one() -> None:
    loaded = load(MODEL)
    looks = looks_between_words(loaded, "The animal was too tired.", 1)
    assert looks.shape == (1, 2, 5)
    assert bool((looks.sum(-1) <= 1 + 1e-5).all())
    assert bool((looks >= 0).all())


def test_a_head_is_chosen_on_some_sentences_and_counted_on_others() -> None:
    known = [(made.pair, made.reference) for made in animal_and_street() if made.reference is not None] * 3
    found = find_head(load(MODEL), known)
    assert found.total == 3
    assert 0 <= found.right <= 3


def test_the_command_shows_all_it_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"width": 16, "feed_forward": 32, "encoder": {"layers": 1}, "decoder": {"layers": 1}}
    quick = merge(demonstration.SETTINGS, {"model": small, "training": {"validation_sentences": 4}})
    monkeypatch.setattr(demonstration, "SETTINGS", quick)
    monkeypatch.setattr(demonstration, "TRAIN", 1_000)
    monkeypatch.setattr(demonstration, "TEST", 12)
    before = torch.get_num_threads()
    output = tmp_path / "demo"
    result = CliRunner().invoke(app, ["demo", "--output", str(output), "--minutes", "0.2"], catch_exceptions=False)
    assert result.exit_code == 0
    for promised in ("Held-out sentences", "BLEU", "←", "it →", "head", "mirada train my.tmx"):
        assert promised in result.stdout
    again = CliRunner().invoke(app, ["demo", "--output", str(output), "--minutes", "0.2", "--json", "-q"])
    found = json.loads(again.stdout)
    assert found["test"]["sentences"] == 12
    assert len(found["it"]["sentences"]) == 2
    assert torch.get_num_threads() == before
