"""The lens: the last layer says what the model says, and every layer what its states say."""

from pathlib import Path

import pytest
import torch

from mirada.attention import Facts
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.folder import Loaded
from mirada.translator import Translator
from mirada.viewing import language, lens, translation
from mirada.viewing.contract import View
from mirada.viewing.lens import cells_of, lens_of, tapped
from tests.translators import config, subwords
from tests.viewing.generators import generator

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"


def views() -> list[View]:
    made = config(layers=2)
    model = build(made.model, made.vocabulary, seed=3).eval()
    deep = translation.look(Translator.of(Loaded(made, model, subwords())), "Go home.", reference="Go home.", beam=1)
    return [
        deep,
        translation.look(Translator.load(MODEL), "The cat sleeps.", beam=2),
        language.look(generator(), "a cat"),
    ]


@pytest.mark.parametrize("view", views(), ids=["translator", "one layer", "language model"])
def test_the_last_layer_says_what_the_model_says(view: View) -> None:
    assert view.lens is not None
    cells = cells_of(view.lens)
    assert len(cells) == 1 + max(one.layer for one in view.maps if one.group == "decoder")
    for cell, step in zip(cells[-1], view.steps, strict=True):
        assert [one.token for one in cell] == [one.token for one in step.candidates[:3]]
        for one, other in zip(cell, step.candidates, strict=False):
            assert one.probability == pytest.approx(other.probability, abs=1 / 510 + 1e-4)


def test_a_layer_says_what_a_model_that_ends_there_says() -> None:
    whole = generator().loaded.model
    tokens = torch.tensor([[3, 9, 11, 7]])
    with torch.no_grad(), tapped(whole.stack) as states:
        whole(tokens)
    found = lens_of(states, whole.stack, lambda last: whole.output.scores(last[0, [1, 3]]), list(map(str, range(40))))
    del whole.stack.blocks[1:]
    with torch.no_grad():
        best = whole.output.scores(whole(tokens)[0]).topk(3, -1).indices
    assert [[one.token for one in cell] for cell in cells_of(found)[0]] == [
        [str(number) for number in best[place].tolist()] for place in (1, 3)
    ]


def test_nothing_is_left_on_the_modules() -> None:
    model = generator().loaded.model
    with torch.no_grad(), tapped(model.stack) as states:
        model(torch.tensor([[3, 5]]))
    assert len(states) == 3
    with torch.no_grad():
        assert torch.equal(model.stack.finish(states[-1], Facts()), model(torch.tensor([[3, 5]])))
    assert len(states) == 3


def test_long_texts_on_deep_models_have_fewer_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lens, "MOST_CANDIDATES", 20)
    view = language.look(generator(), "a cat")
    assert (view.lens.best, len(cells_of(view.lens)[0])) == (1, 6)


def test_a_recurrent_decoder_has_no_layers_to_stop_after() -> None:
    shape = RecurrentConfig.model_validate({"width": 8, "encoder": {"width": 8}, "decoder": {"width": 8}})
    made = config().model_copy(update={"model": shape})
    model = build(shape, subwords().size, seed=1).eval()
    view = translation.look(Translator.of(Loaded(made, model, subwords())), "Go home.", reference="Go.", beam=1)
    assert view.lens is None
