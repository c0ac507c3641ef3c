"""A forced prefix: said by every search, and what follows is what the model says behind it."""

import pytest
import torch

from mirada.decoding.demand import NOTHING_DEMANDED, Demand
from mirada.decoding.options import Search
from mirada.decoding.prefix import Prefixed
from mirada.decoding.protocol import Reader
from mirada.decoding.search import decode_many
from tests.decoding.test_phrases import MODELS, SOURCES, demands
from tests.decoding.test_search import SEARCHES

PREFIXES = [(7, 8, 9), (), (20,), (5, 5, 5, 5), (11, 4)]


@pytest.fixture(params=MODELS)
def model(request):
    torch.manual_seed(3)
    return MODELS[request.param]().eval()


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_every_search_begins_with_it(model, search) -> None:
    assert isinstance(Prefixed(model, PREFIXES), Reader)
    held = demands([Demand(prefix) for prefix in PREFIXES])
    plain, found = decode_many(model, SOURCES, search), decode_many(model, SOURCES, search, demands=held)
    for prefix, hypotheses in zip(PREFIXES, found, strict=True):
        assert len(hypotheses) == search.n_best
        assert all(tuple(one.tokens[: len(prefix)]) == prefix for one in hypotheses)
    assert [one.tokens for one in found[1]] == [one.tokens for one in plain[1]], "no prefix changes nothing"
    (alone,) = decode_many(model, SOURCES[3:4], search, demands=demands([Demand(PREFIXES[3])]))
    assert [one.tokens for one in alone] == [one.tokens for one in found[3]]


def test_the_beginning_of_a_translation_leads_to_it(model) -> None:
    """And the log-probability is that of what follows, given the prefix."""
    search = SEARCHES["greedy"]
    plain = decode_many(model, SOURCES, search)
    for count in (1, 3):
        held = demands([Demand(tuple(found[0].tokens[:count])) for found in plain])
        again = decode_many(model, SOURCES, search, demands=held)
        for one, other in zip(plain, again, strict=True):
            shared = min(len(one[0].tokens), len(other[0].tokens))
            assert other[0].tokens[:shared] == one[0].tokens[:shared]
            assert other[0].log_probability > one[0].log_probability


def test_a_prefix_has_room_of_its_own() -> None:
    held = demands([Demand((4,) * 60), NOTHING_DEMANDED])
    model = MODELS["recurrent"]().eval()
    found = decode_many(model, SOURCES[:2], Search(beam=2), demands=held)
    assert found[0][0].tokens[:60] == [4] * 60
