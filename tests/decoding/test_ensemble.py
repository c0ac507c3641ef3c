"""Ensembles: the mean of what the members say."""

import pytest
import torch

from mirada.decoding.ensemble import Ensemble
from mirada.decoding.options import Search
from mirada.decoding.protocol import Reader
from mirada.decoding.search import decode_many
from tests.decoding.stubs import Actor
from tests.decoding.test_phrases import MODELS, SOURCES
from tests.models.build import sentences


@pytest.fixture
def members():
    torch.manual_seed(3)
    return [make().eval() for make in MODELS.values()]


@pytest.mark.parametrize("mean", ["probabilities", "logs"])
@pytest.mark.parametrize("search", [Search(beam=1, longest=9), Search(beam=3, n_best=2, longest=9)], ids=str)
def test_a_model_with_itself_is_the_model(members, mean, search) -> None:
    for model in members:
        twice = Ensemble([model, model, model], mean)
        assert isinstance(twice, Reader)
        for one, other in zip(decode_many(model, SOURCES, search), decode_many(twice, SOURCES, search), strict=True):
            assert [found.tokens for found in one] == [found.tokens for found in other]
            assert one[0].log_probability == pytest.approx(other[0].log_probability, abs=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("mean", ["probabilities", "logs"])
def test_unlike_models_say_the_mean(members, mean) -> None:
    source, padding = sentences([5, 3])
    together = Ensemble(members, mean)
    tokens = torch.tensor([2, 2])
    scores, state = together.step(tokens, together.start(source, padding))
    said = torch.stack([model.step(tokens, model.start(source, padding))[0] for model in members])
    wanted = said.exp().mean(0) if mean == "probabilities" else said.mean(0).softmax(-1)
    torch.testing.assert_close(scores.exp(), wanted)
    torch.testing.assert_close(scores.exp().sum(-1), torch.ones(2))
    turned = torch.tensor([1, 0])
    chosen, _ = together.step(tokens, state.select(turned))
    following, _ = together.step(tokens, state)
    torch.testing.assert_close(chosen, following[turned])


def test_an_ensemble_is_searched_as_any_model(members) -> None:
    search = Search(beam=3, n_best=2, longest=9)
    together = decode_many(Ensemble(members), SOURCES, search)
    for source, found in zip(SOURCES, together, strict=True):
        (alone,) = decode_many(Ensemble(members), [source], search)
        assert [one.tokens for one in alone] == [one.tokens for one in found]


def test_the_surer_member_is_heard() -> None:
    sure, doubting = Actor(lambda source: source, sure=0.99), Actor(lambda source: source[::-1], sure=0.6)
    (found,) = decode_many(Ensemble([doubting, sure]), [[5, 6, 7, 3]], Search(beam=1))
    assert found[0].tokens == [5, 6, 7]
