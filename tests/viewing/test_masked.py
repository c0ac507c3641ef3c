"""A masked model becomes a view: what would stand in its gaps, and where it looks to know."""

from pathlib import Path

import pytest

from mirada.filler import Filler
from mirada.models.folder import tensors_of
from mirada.models.text_folders import save
from mirada.tasks.lookers import looker_of
from mirada.viewing.contract import View
from mirada.viewing.lens import cells_of
from mirada.viewing.looking import Asked, look_into
from mirada.viewing.masked import look
from tests.tasks.test_looked import words
from tests.viewing import fillers


@pytest.fixture(scope="module")
def filler() -> Filler:
    return fillers.filler()


def test_gaps_are_what_is_said(filler: Filler) -> None:
    view = look(filler, "Open the [MASK], then save it.")
    assert View.model_validate_json(view.model_dump_json()) == view
    read = view.sequences["read"]
    (gap,) = (place for place, mark in read.marks.items() if mark == "mask")
    assert (read.marks[0], read.marks[len(read.labels) - 1]) == ("begin", "end")
    assert [(step.place, step.token) for step in view.steps] == [(gap, None)]
    assert [one.token for one in cells_of(view.lens)[-1][0]] == [one.token for one in view.steps[0].candidates[:3]]
    assert [(one.group, one.heads) for one in view.maps] == [("encoder", 3), ("encoder", 3)]


def test_a_text_without_gaps_is_told_token_by_token(filler: Filler) -> None:
    view = look(filler, "Open the file")
    read = view.sequences["read"]
    assert [step.token for step in view.steps] == list(read.labels[1:-1])
    assert [step.place for step in view.steps] == list(range(1, len(read.labels) - 1))
    for nothing in (" ", "\u200b", "\xad \u200b"):
        with pytest.raises(ValueError, match="no text to look at"):
            look(filler, nothing)


def test_its_folder_is_looked_into_and_probed(filler: Filler, tmp_path: Path) -> None:
    folder = tmp_path / "bert"
    save(folder, filler.config, tensors_of(filler.model), filler.subwords, "# A model\n")
    assert look_into(Asked(folder, "Go ___ now")).task == "mlm"
    trained, fresh = (dict(looker_of(folder, untrained=one).looks([words("Go home now")]))[0] for one in (False, True))
    assert trained.weights.shape == fresh.weights.shape == (6, 3, 3)
    assert abs(trained.weights - fresh.weights).max() > 1e-3
