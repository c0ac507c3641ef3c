"""Captioners become views: the patches of a picture, and the words that look at them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from mirada.attention.record import record
from mirada.text.subwords import BEGIN
from mirada.viewing.captioning import look
from mirada.viewing.contract import View
from mirada.viewing.packing import error_of, unpack
from mirada.viewing.telling import told
from tests.translators import subwords
from tests.viewing.seers import describer, drawn


def test_a_caption_looks_at_the_picture(tmp_path: Path) -> None:
    made, path = describer(), drawn(tmp_path)
    view = look(made, path, beam=3)
    assert View.model_validate_json(view.model_dump_json()) == view
    (right,) = made.describe([path], beam=3)
    assert (view.task, view.text, view.translation) == ("caption", "a.png", right.text)
    assert {name: one.kind for name, one in view.sequences.items()} == {
        "source": "patches",
        "read": "text",
        "written": "text",
    }
    count = len(view.sequences["written"].labels)
    assert [(one.group, one.queries, one.keys) for one in view.maps[2:4]] == [
        ("decoder", "read", "read"),
        ("cross", "written", "source"),
    ]
    assert unpack(view, 5).shape == (2, count, 15)
    assert (view.start.group, view.start.layer) == ("cross", 1)
    assert [step.token for step in view.steps] == list(view.sequences["written"].labels)
    assert view.lens.layers == 2
    assert {one.name for one in view.positions} == {"sinusoidal(row, column)", "learned(places=40)"}
    best = [view.tree.tokens[node] for node in view.tree.best]
    assert best == list(view.sequences["written"].labels)[: len(best)]
    assert list(told(view))[:2] == ["a.png", right.text]


def test_the_numbers_are_those_that_were_recorded(tmp_path: Path) -> None:
    made = describer()
    view = look(made, drawn(tmp_path), reference="the lazy dog")
    assert (view.reference, view.sequences["written"].marks) == ("the lazy dog", {len(view.steps) - 1: "end"})
    pixels = np.asarray(Image.open(tmp_path / "a.png"))[None, None]
    entered = torch.from_numpy(made.loaded.config.standard.apply(pixels))
    target = torch.tensor([[BEGIN, *subwords().encode("the lazy dog")]])
    with torch.inference_mode(), record(made.loaded.model) as looks:
        made.loaded.model(entered, None, target, None)
    assert len(looks) == len(view.maps) == 6
    for number, one in enumerate(looks):
        weights = one.weights[0].numpy()
        assert np.abs(unpack(view, number) - weights).max() <= 1.01 * error_of(view.maps[number])


def test_looking_changes_no_bit_of_the_caption(tmp_path: Path) -> None:
    made, path = describer(), drawn(tmp_path)
    (before,) = made.describe([path], beam=2)
    with record(made.loaded.model) as looks:
        (during,) = made.describe([path], beam=2)
    look(made, path, beam=2)
    assert looks
    assert before == during == next(made.describe([path], beam=2))


def test_what_cannot_be_said(tmp_path: Path) -> None:
    path = drawn(tmp_path)
    with pytest.raises(ValueError, match="the reference is empty"):
        look(describer(), path, reference=" ")
    with pytest.raises(ValueError, match=r"the reference has \d+ tokens, and 12 can be looked at"):
        look(describer(), path, reference="the quick brown fox jumps over the lazy dog")
    with pytest.raises(ValueError, match="language = 'es'"):
        look(describer(), path, language="es")
