"""Looks between words: by hand, by family, and whatever the batch."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mirada.attention.record import record
from mirada.corpora.treebank import Words
from mirada.models.folder import load
from mirada.tasks import looked
from mirada.tasks.looked import merged
from mirada.tasks.lookers import looker_of
from mirada.text.spans import NOBODY
from tests.viewing.labellers import classifier, saved, tagger

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"
RECURRENT = MODEL.with_name("schema-1-recurrent")


def words(text: str) -> Words:
    forms = tuple(text.split())
    return Words(forms, (True,) * len(forms))


TEXTS = [
    words(text) for text in ("The animal was too tired .", "Go home .", "The black cat sleeps because it was tired")
]


def test_merged_by_hand() -> None:
    # A mark, then two words, of two places and of one.
    weights = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 0.5, 0.1, 0.4], [0.2, 0.1, 0.1, 0.6], [0.3, 0.3, 0.2, 0.2]])
    found = merged(weights[None, None], torch.tensor([[NOBODY, 0, 0, 1]]), 3)
    wanted = [[0.4, 0.5, 0.0], [0.5, 0.2, 0.0], [0.0, 0.0, 0.0]]
    assert torch.allclose(found[0, 0], torch.tensor(wanted))


def test_the_looks_are_those_of_the_encoder() -> None:
    looker = looker_of(MODEL)
    loaded = load(MODEL)
    ((number, looks),) = looker.looks(TEXTS[1:2])
    row = looker.encode(TEXTS[1])
    with torch.inference_mode(), record(loaded.model.encoder) as seen:
        loaded.model.read(torch.tensor([row.ids]), None)
    assert (number, looker.heads, looks.seen.all()) == (0, [(0, 0), (0, 1)], True)
    wanted = merged(seen[0].weights, torch.tensor([row.words]), 3)[0]
    assert np.allclose(looks.weights, wanted.numpy(), atol=1e-6)


def test_looks_do_not_depend_on_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    looker = looker_of(MODEL)
    together = dict(looker.looks(TEXTS))
    monkeypatch.setattr(looked, "LOOKS_AT_ONCE", 1)
    alone = dict(looker.looks(TEXTS))
    for number in range(len(TEXTS)):
        assert np.allclose(together[number].weights, alone[number].weights, atol=1e-5)
        assert together[number].weights.shape[1] == len(TEXTS[number].forms)


def test_untrained_weights_are_others_and_the_same_each_time() -> None:
    trained, one, two = (
        dict(looker_of(MODEL, untrained=untrained).looks(TEXTS[:1]))[0].weights for untrained in (False, True, True)
    )
    assert np.array_equal(one, two)
    assert not np.allclose(one, trained, atol=1e-2)


def test_what_cannot_be_probed() -> None:
    with pytest.raises(ValueError, match="no self-attention"):
        looker_of(RECURRENT)
    ((_, reason),) = looker_of(MODEL).looks([words("word " * 600)])
    assert "tokens, which are read at once" in reason


def test_taggers_and_classifiers_are_probed_too(tmp_path: Path) -> None:
    text = words("The quick brown fox")
    for made in (tagger(), classifier("mean")):
        looker = looker_of(saved(made, tmp_path / type(made).__name__))
        ((_, looks),) = looker.looks([text])
        assert looks.weights.shape == (6, 4, 4)
        assert looks.seen.all()
        assert (looks.weights.sum(-1) <= 1 + 1e-5).all()
