"""Classifiers of pictures become views: the patches, what they look at, their rollout, and what is said."""

import base64
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from mirada.attention.record import record
from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.picture import PictureShape
from mirada.tasks.labelling import predict
from mirada.viewing.contract import View
from mirada.viewing.lens import cells_of
from mirada.viewing.packing import error_of, unpack
from mirada.viewing.recognising import look
from mirada.viewing.rollout import rollout
from tests.viewing.seers import LABELS, drawn, recogniser


@pytest.mark.parametrize("class_token", [False, True])
def test_a_picture_becomes_a_view(tmp_path: Path, class_token: bool) -> None:
    made = recogniser("first" if class_token else "mean", class_token)
    path = drawn(tmp_path)
    view = look(made, path)
    assert View.model_validate_json(view.model_dump_json()) == view
    assert (view.task, view.text) == ("classify", "a.png")
    read = view.sequences["read"]
    assert (read.kind, read.grid, read.marks) == ("patches", (3, 5), {0: "class"} if class_token else {})
    assert read.labels[-5:] == ("3, 1", "3, 2", "3, 3", "3, 4", "3, 5")
    shown = np.asarray(Image.open(BytesIO(base64.b64decode(read.picture))))
    assert np.array_equal(shown, np.asarray(Image.open(path)))
    (right,) = made.recognise([path])
    assert {one.token: one.probability for one in view.said} == pytest.approx(right.probabilities, abs=1e-4)
    assert [one.token for one in view.said] == sorted(LABELS, key=lambda name: -right.probabilities[name])
    assert cells_of(view.lens)[-1][0][0].token == right.label
    (positions,) = view.positions
    assert (positions.kind, positions.name, positions.rows) == (
        "sinusoidal",
        "sinusoidal(row, column)",
        len(read.labels),
    )


@pytest.mark.parametrize("pooling", ["first", "mean", "attention"])
def test_the_numbers_are_those_that_were_recorded(tmp_path: Path, pooling: str) -> None:
    made = recogniser(pooling, class_token=True)
    view = look(made, drawn(tmp_path))
    pixels = np.asarray(Image.open(tmp_path / "a.png"))[None, None]
    entered = made.entered(pixels).batch(np.arange(1)).entered.values
    with torch.inference_mode(), record(made.loaded.model) as looks:
        made.loaded.model(entered, None, None)
    recorded = [one.weights[0].numpy() for one in looks]
    for number, weights in enumerate(recorded):
        assert np.abs(unpack(view, number) - weights).max() <= 1.01 * error_of(view.maps[number])
    assert [one.group for one in view.maps] == ["encoder"] * 2 + ["pooling"] * (pooling == "attention") + ["rollout"]
    whole = {"first": np.eye(16)[0], "mean": np.full(16, 1 / 16), "attention": recorded[-1][0, 0]}[pooling]
    held = unpack(view, len(view.maps) - 1)
    assert held.shape == (1, 1, 16)
    assert held[0, 0] == pytest.approx(whole @ rollout(recorded[:2]), abs=2 * error_of(view.maps[-1]))
    assert (view.start.group, view.maps[-1].queries, view.maps[-1].keys) == ("rollout", "class", "read")


def test_the_largest_numbers_of_all_patches_have_no_rollout(tmp_path: Path) -> None:
    view = look(recogniser("max"), drawn(tmp_path))
    assert [one.group for one in view.maps] == ["encoder", "encoder"]
    assert (view.start.group, view.start.layer) == ("encoder", 1)


def test_looking_changes_no_bit_of_the_prediction(tmp_path: Path) -> None:
    made = recogniser("attention", class_token=True)
    path = drawn(tmp_path)
    labelled = made.entered(np.asarray(Image.open(path))[None, None])
    before = predict(made.loaded.model, labelled)
    with record(made.loaded.model) as looks:
        during = predict(made.loaded.model, labelled)
    look(made, path)
    assert looks
    assert before.tobytes() == during.tobytes() == predict(made.loaded.model, labelled).tobytes()


def test_one_of_several_pictures(tmp_path: Path) -> None:
    made = recogniser()
    pixels = np.random.default_rng(3).integers(0, 256, (4, 6, 10, 3), dtype=np.uint8)
    path = tmp_path / "some.npz"
    np.savez(path, images=pixels, labels=np.array(["cat", "dog", "fox", "cat"]))
    assert look(made, path).text == "some.npz:1 (cat)"
    third = look(made, path, number=3)
    assert third.text == "some.npz:3 (fox)"
    Image.fromarray(pixels[2]).save(tmp_path / "third.png")
    assert look(made, tmp_path / "third.png").maps == third.maps
    with pytest.raises(CorpusError, match=r"some\.npz has no picture 9; it holds 4"):
        look(made, path, number=9)
    folder = tmp_path / "fox"
    folder.mkdir()
    drawn(folder)
    assert look(made, folder).text == "a.png"


def test_frames_of_a_clip_stand_below_one_another(tmp_path: Path) -> None:
    made = recogniser(class_token=True, shape=PictureShape(frames=2, height=4, width=6, channels=3))
    clip = np.random.default_rng(3).integers(0, 256, (1, 2, 4, 6, 3), dtype=np.uint8)
    np.savez(tmp_path / "clip.npz", clips=clip)
    read = look(made, tmp_path / "clip.npz").sequences["read"]
    assert read.grid == (4, 3)
    assert (read.labels[1], read.labels[-1]) == ("1: 1, 1", "2: 2, 3")
    shown = np.asarray(Image.open(BytesIO(base64.b64decode(read.picture))))
    assert np.array_equal(shown, clip[0].reshape(8, 6, 3))


def test_a_large_picture_is_shown_small(tmp_path: Path) -> None:
    shape = PictureShape(height=900, width=1200, channels=3)
    view = look(recogniser(shape=shape, patch=300), drawn(tmp_path))
    read = view.sequences["read"]
    assert Image.open(BytesIO(base64.b64decode(read.picture))).size == (512, 384)
    assert read.grid == (3, 4)


def test_what_cannot_be_looked_at(tmp_path: Path) -> None:
    path = drawn(tmp_path, "torn.png", 64, 64)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CorpusError, match=r"nothing to look at in .*torn\.png: .*damaged"):
        look(recogniser(), path)
    with pytest.raises(CorpusError, match=r"1 × 1 pixels; a picture has 2 × 2 or more"):
        look(recogniser(), drawn(tmp_path, "one.png", 1, 1))
    many = recogniser(shape=PictureShape(height=32, width=68, channels=3))
    with pytest.raises(CorpusError, match=r"into 544 patches, and 512 can be looked at"):
        look(many, drawn(tmp_path))
