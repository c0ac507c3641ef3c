"""From a model to a view: what is shown is what was recorded, and looking changes nothing."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mirada.attention import Rotary, Shaw
from mirada.attention.record import record
from mirada.decoding.options import Search
from mirada.models.build import build
from mirada.models.config import RecurrentConfig, StackConfig
from mirada.models.folder import FolderConfig, Loaded
from mirada.text.subwords import BEGIN, END
from mirada.translator import Translator
from mirada.viewing.contract import View
from mirada.viewing.packing import error_of, unpack
from mirada.viewing.sequences import direction
from mirada.viewing.translation import look
from tests.translators import config, copier, slotted_subwords, subwords

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"
SENTENCE = "The animal was too tired."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(MODEL)


@pytest.fixture(scope="module")
def view(translator: Translator) -> View:
    return look(translator, SENTENCE, beam=3)


def ids(translator: Translator, view: View) -> tuple[list[int], list[int]]:
    pieces = list(translator.loaded.subwords.pieces)
    return tuple([pieces.index(label) for label in view.sequences[name].labels] for name in ("source", "read"))


def test_the_weights_are_those_of_record(translator: Translator, view: View) -> None:
    source, read = ids(translator, view)
    with torch.inference_mode(), record(translator.loaded.model) as looks:
        translator.loaded.model(torch.tensor([source]), None, torch.tensor([read]), None)
    assert [one.group for one in view.maps] == ["encoder", "decoder", "cross"]
    for number, found in enumerate(looks):
        difference = np.abs(unpack(view, number) - found.weights[0].numpy()).max()
        assert difference <= error_of(view.maps[number]) + 1e-6
        assert view.maps[number].heads == found.weights.shape[1]
    assert [view.patterns[one.pattern].name for one in view.maps] == ["full", "causal", "full"]


def test_looking_changes_no_translation(translator: Translator, view: View) -> None:
    (said,) = translator.translate_with([SENTENCE], Search(beam=3), align=True)
    with record(translator.loaded.model):
        assert translator.translate_with([SENTENCE], Search(beam=3), align=True) == [said]
    assert (view.translation, view.score) == (said.text, round(said.score, 4))
    assert view.sequences["written"].labels == (*said.tokens, "</s>")
    assert view.alignment is not None
    assert tuple((link.source, link.target) for link in view.alignment.links) == said.alignment


def test_sequences_have_words_and_marks(view: View) -> None:
    source, read, written = (view.sequences[name] for name in ("source", "read", "written"))
    assert source.words[-2:] == (4, 5)  # "tired." and the mark
    assert (source.marks, read.marks) == ({len(source.labels) - 1: "end"}, {0: "begin"})
    assert read.labels[1:] == written.labels[:-1]
    assert (source.language, written.language, source.direction) == ("en", "es", "ltr")


def test_the_steps_and_the_tree_agree(view: View) -> None:
    assert view.tree is not None
    assert [view.tree.tokens[node] for node in view.tree.best] == [step.token for step in view.steps]
    for node, step in zip(view.tree.best, view.steps, strict=True):
        assert view.tree.probabilities[node] == pytest.approx(step.probability, abs=2e-4)
        ranked = [one.probability for one in step.candidates]
        assert ranked == sorted(ranked, reverse=True)
        assert step.rank > 1 or step.candidates[0].token == step.token
    assert view.tree.ended[view.tree.best[-1]]
    assert all(parent < node for node, parent in enumerate(view.tree.parents))


def test_json_there_and_back(view: View) -> None:
    assert View.model_validate_json(view.model_dump_json()) == view
    assert view.model_dump()["schema_number"] == 1


def test_a_reference_is_what_the_model_is_made_to_say(translator: Translator, view: View) -> None:
    forced = look(translator, SENTENCE, reference="La casa.", beam=3)
    pieces = translator.loaded.subwords.pieces
    assert forced.translation == view.translation
    assert forced.tree == view.tree
    wanted = [pieces[one] for one in translator.loaded.subwords.encode("La casa.")]
    assert [step.token for step in forced.steps] == [*wanted, pieces[END]]
    assert forced.sequences["read"].labels == (pieces[BEGIN], *wanted)
    assert min(step.probability for step in forced.steps) < min(step.probability for step in view.steps)
    assert look(translator, SENTENCE, reference=view.translation, beam=3).maps == view.maps


@pytest.mark.parametrize(
    ("text", "reference", "told"),
    [(" \n", None, "no sentence"), (SENTENCE, " ", "reference is empty"), ("word " * 600, None, "shorter one")],
)
def test_what_cannot_be_looked_at(translator: Translator, text: str, reference: str | None, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        look(translator, text, reference=reference)


def test_lines_are_joined_and_what_has_no_words_is_looked_at_too(translator: Translator) -> None:
    assert look(translator, "The house.\n  The cat.", beam=1).text == "The house. The cat."
    numbers = look(translator, "12.5", beam=1)
    assert (numbers.translation, numbers.tree) == ("12.5", None)
    assert len(numbers.steps) == len(numbers.sequences["written"].labels)


def test_the_tree_is_that_of_the_search_that_found_the_translation() -> None:
    word = subwords().encode("no, not")[:3]
    looping = copier(lambda words: word * 6, sure=0.98)
    view = look(looping, "Go home.", beam=2)
    assert view.tree is not None
    assert view.flags == ()  # the first attempt loops, the second one ends
    assert [view.tree.tokens[node] for node in view.tree.best] == list(view.sequences["written"].labels)
    assert view.tree.ended[view.tree.best[-1]]


def test_positions_of_every_kind() -> None:
    made = config(layers=2)
    stacks = {
        "encoder": StackConfig(heads=2, layers=2, position=Shaw(3)),
        "decoder": StackConfig(heads=2, layers=2, position=Rotary()),
    }
    model = build(made.model.model_copy(update=stacks), made.vocabulary, seed=3).eval()
    view = look(Translator.of(Loaded(made, model, subwords())), "Go home.", reference="Go home.", beam=1)
    assert [(one.kind, one.maps) for one in view.positions] == [
        ("sinusoidal", ()),
        ("shaw", (0,)),
        ("shaw", (1,)),
        ("rotary", (2, 4)),
    ]
    assert [view.maps[number].group for number in (0, 1, 2, 4)] == ["encoder", "encoder", "decoder", "decoder"]
    assert (view.positions[1].first, view.positions[1].rows) == (-3, 7)


@pytest.mark.parametrize(
    ("text", "way"), [("a cat", "ltr"), ("12 חתול", "rtl"), ("قطة a", "rtl"), ("12.", "ltr"), ("", "ltr")]
)
def test_directions(text: str, way: str) -> None:
    assert direction(text) == way


def test_a_symbol_is_shown_where_its_slot_stands() -> None:
    view = look(copier(known=slotted_subwords()), "Open {name} now.", reference="Open {name} now.", beam=1)
    for sequence in view.sequences.values():
        assert [label for label in sequence.labels if "name" in label] == ["{name}"]
    assert "{name}" in view.translation


def recurrent(shape: dict[str, object]) -> FolderConfig:
    return config().model_copy(update={"model": RecurrentConfig.model_validate(shape)})


def test_a_model_without_attention_says_so() -> None:
    made = recurrent({"width": 8, "attention": {"score": "none"}})
    model = build(made.model, subwords().size, seed=1).eval()
    with pytest.raises(ValueError, match="has no attention"):
        look(Translator.of(Loaded(made, model, subwords())), "Go home.", beam=1)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_recurrent_model_is_looked_at_as_well(when: str) -> None:
    shape = {"width": 8, "encoder": {"width": 8}, "decoder": {"width": 8}, "attention": {"when": when}}
    made = recurrent(shape)
    model = build(made.model, subwords().size, seed=1).eval()
    view = look(Translator.of(Loaded(made, model, subwords())), "Go home.", reference="Go home.", beam=2)
    assert [one.group for one in view.maps] == ["cross"]
    assert view.alignment is not None
