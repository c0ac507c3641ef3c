"""A language model and a text become a view."""

import numpy as np
import pytest
import torch

from mirada.attention.record import record
from mirada.text.units import encode_text
from mirada.viewing.contract import View
from mirada.viewing.language import look
from mirada.viewing.packing import error_of, unpack
from mirada.viewing.telling import lens_table, told
from tests.viewing.generators import RECURRENT, generator, on_subwords

TEXT = "the cat\nsat."


@pytest.fixture(scope="module")
def view() -> View:
    return look(generator(), TEXT)


def test_the_weights_are_those_of_record(view: View) -> None:
    loaded = generator().loaded
    entered = torch.tensor([[loaded.units.line_end, *encode_text(loaded.units, TEXT)]])
    with torch.inference_mode(), record(loaded.model) as looks:
        loaded.model(entered)
    assert [(one.group, one.layer, one.queries, one.keys) for one in view.maps] == [
        ("decoder", layer, "read", "read") for layer in range(3)
    ]
    assert [pattern.name for pattern in view.patterns] == ["causal"]
    for number, found in enumerate(looks):
        difference = np.abs(unpack(view, number) - found.weights[0].numpy()).max()
        assert difference <= error_of(view.maps[number]) + 1e-6


def test_each_step_tells_what_stands_there_and_the_last_what_comes_next(view: View) -> None:
    read = view.sequences["read"]
    assert "".join(read.labels) == "⏎the▁cat⏎sat."
    assert read.marks == {0: "begin", 8: "line"}
    assert read.words == (0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4)
    assert [step.place for step in view.steps] == list(range(1, 14))
    assert [step.token for step in view.steps[:-1]] == list(read.labels[1:])
    assert (view.steps[-1].token, view.steps[-1].probability, view.steps[-1].rank) == (None, None, None)
    assert len(view.steps[-1].candidates) == 6


def test_the_score_is_what_evaluating_says(view: View) -> None:
    flat = generator()
    chances = [step.probability for step in view.steps[:-1]]
    assert view.score == pytest.approx(np.mean(np.log(chances)), abs=2e-2)
    # Evaluating counts the end of the last line as well, which nobody has read here yet.
    whole = flat.score(TEXT.split("\n"))
    end = np.log(next(one.probability for one in every(flat) if one.token == "⏎"))
    assert -whole.loss * whole.tokens == pytest.approx(view.score * (whole.tokens - 1) + end, abs=2e-2)


def every(flat: object) -> list[object]:
    """All that could stand behind the text, each with its probability."""
    return [look(flat, f"{TEXT}\n.").steps[12]]


def test_subwords_and_json() -> None:
    view = look(on_subwords(), "Open the file")
    assert View.model_validate_json(view.model_dump_json()) == view
    assert "".join(view.sequences["read"].labels[1:]).replace("▁", " ").strip() == "Open the file"


def test_the_terminal_is_told_what_comes_next(view: View) -> None:
    lines = list(told(view))
    assert lines[0] == TEXT
    assert lines[1].startswith("mean log-probability of a token: -")
    assert lines[2].startswith("next: ")
    table = list(lens_table(view))
    assert table[0].split() == ["layer", "1", "layer", "2", "layer", "3"]
    assert [line.split()[1] for line in table[1:5]] == ["t", "h", "e", "␣"]
    assert table[-1].startswith("→ …")


@pytest.mark.parametrize(("text", "wrong"), [(" \n", "no text to look at"), ("a" * 23, "has 24 tokens, and 23 can be")])
def test_what_cannot_be_looked_at(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        look(generator(), text)


def test_of_characters_that_nobody_sees_nothing_is_left() -> None:
    for nothing in ("\u200b", "\xad"):
        with pytest.raises(ValueError, match="no text to look at"):
            look(on_subwords(), nothing)


def test_a_model_without_attention_says_so() -> None:
    with pytest.raises(ValueError, match=r"no attention.*mirada generate"):
        look(generator(shape=RECURRENT), TEXT)
