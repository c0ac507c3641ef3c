"""Taggers and classifiers become views: what they say, and what they look at while they do."""

from pathlib import Path

import numpy as np
import pytest

from mirada.models.reading_config import RecurrentReaderConfig
from mirada.viewing.contract import View
from mirada.viewing.labelling import look_at_class, look_at_tags
from mirada.viewing.lens import cells_of
from mirada.viewing.looking import Asked, look_into
from mirada.viewing.packing import unpack
from mirada.viewing.telling import told
from tests.viewing.labellers import SHAPE, TAGS, classifier, saved, tagger

TEXT = "The quick unfox jumps"
BAGS = SHAPE.model_copy(update={"spelling": 101})


@pytest.mark.parametrize("shape", [SHAPE, BAGS], ids=["subwords", "bags"])
def test_a_tagger(shape: object) -> None:
    made = tagger(shape)
    view = look_at_tags(made, TEXT)
    assert View.model_validate_json(view.model_dump_json()) == view
    read = view.sequences["read"]
    words = [
        "".join(label for label, word in zip(read.labels, read.words, strict=True) if word == number)
        for number in range(4)
    ]
    assert [word.replace("▁", "") for word in words] == TEXT.split()
    assert [(one.group, one.layer) for one in view.maps] == [("encoder", 0), ("encoder", 1)]
    (right,) = made.tag([TEXT.split()])
    assert [step.token for step in view.steps] == list(right.labels)
    assert [step.probability for step in view.steps] == pytest.approx(right.probabilities, abs=1e-4)
    assert [step.place for step in view.steps] == [read.words.index(number) for number in range(4)]
    assert {one.token for one in view.steps[0].candidates} == set(TAGS)
    assert [cell[0].token for cell in cells_of(view.lens)[-1]] == list(right.labels)
    assert list(told(view))[1].startswith("The: ")


@pytest.mark.parametrize("pooling", ["attention", "mean", "first"])
def test_a_classifier(pooling: str) -> None:
    made = classifier(pooling)
    view = look_at_class(made, TEXT)
    assert View.model_validate_json(view.model_dump_json()) == view
    (right,) = made.classify([TEXT])
    assert view.said[0].token == right.label
    assert {one.token: one.probability for one in view.said} == pytest.approx(right.probabilities, abs=1e-4)
    assert view.sequences["read"].marks == {0: "begin"}
    assert cells_of(view.lens)[-1][0][0].token == right.label
    assert ("pooling" in {one.group for one in view.maps}) == (pooling == "attention")
    if pooling == "attention":
        assert (view.start.group, view.maps[-1].queries, view.maps[-1].keys) == ("pooling", "class", "read")
        weights = unpack(view, len(view.maps) - 1)
        assert weights.shape == (1, 1, len(view.sequences["read"].labels))
        assert np.isclose(weights.sum(), 1, atol=0.02)


def test_a_recurrent_reader_can_be_looked_at_where_it_pools_by_looking() -> None:
    shape = RecurrentReaderConfig(width=8)
    view = look_at_class(classifier(shape=shape), TEXT)
    assert ([one.group for one in view.maps], view.lens) == (["pooling"], None)
    with pytest.raises(ValueError, match=r"no attention.*mirada predict"):
        look_at_class(classifier("mean", shape), TEXT)


def test_folders_are_told_apart(tmp_path: Path) -> None:
    assert look_into(Asked(saved(tagger(), tmp_path / "tagger"), TEXT)).task == "tag"
    assert look_into(Asked(saved(classifier(), tmp_path / "classifier"), TEXT)).task == "classify"


def test_what_cannot_be_looked_at() -> None:
    with pytest.raises(ValueError, match="no text to look at"):
        look_at_tags(tagger(), " ")
    with pytest.raises(ValueError, match="give a shorter one"):
        look_at_tags(tagger(), "fox " * 40)
    with pytest.raises(ValueError, match="shorten it"):
        look_at_class(classifier(), "fox " * 40)
