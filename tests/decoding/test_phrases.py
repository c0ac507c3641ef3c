"""Phrases: found by the beam wherever they are demanded, and nothing changed where they are not."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.decoding.beam import beam
from mirada.decoding.demand import NOTHING_DEMANDED, Demand, limit_of
from mirada.decoding.holding import Demands
from mirada.decoding.limits import cap
from mirada.decoding.options import Search
from mirada.decoding.phrases import Phrased, allot
from mirada.decoding.progress import NONE, Progress
from mirada.decoding.search import decode_many
from mirada.text.joints import Joints
from mirada.text.subwords import END
from tests.decoding.stubs import Actor
from tests.decoding.test_beam import END as TABLE_END
from tests.decoding.test_beam import SIZE, Said, Table
from tests.decoding.test_search import some_sources
from tests.models.build import RECURRENT, VOCABULARY, small_recurrent, small_transformer

BEGINS = torch.tensor([False, False, True, True, False, True])  # tokens that go on with a word
ENDS = torch.tensor([False, True, True, False, True, True])  # tokens whose word goes on with those
NO_JOINTS = Joints(np.zeros(VOCABULARY, np.bool_), np.zeros(VOCABULARY, np.bool_))

# A first form begins with a token that begins a word, as those behind a space do; a second one may go on with it.
tokens = st.integers(1, 5)
first_forms = st.tuples(st.sampled_from([1, 4]), st.lists(tokens, max_size=2)).map(lambda form: (form[0], *form[1]))
second_forms = st.lists(tokens, min_size=1, max_size=3).map(tuple)
phrases = st.lists(st.tuples(first_forms, second_forms) | st.tuples(first_forms), min_size=1, max_size=3)


def progress_of(rows) -> Progress:
    return Progress.of(rows, torch.zeros(len(rows), dtype=torch.int64), BEGINS, ENDS)


def joined(left: int, right: int) -> bool:
    return bool(ENDS[left] & BEGINS[right])


def holds(said: list[int], forms) -> bool:
    """Whether a form stands in what was said, between two joints: written as loops."""
    around = [0, *said, 0]
    for form in forms:
        for place in range(1, len(around) - len(form)):
            end = place + len(form)
            if tuple(around[place:end]) == form:
                before, after = joined(around[place - 1], form[0]), joined(form[-1], around[end])
                if not before and not after:
                    return True
    return False


@settings(max_examples=150)
@given(phrases, st.lists(tokens, max_size=9))
def test_a_phrase_is_met_where_it_stands_between_joints(demanded, said) -> None:
    progress = progress_of([demanded])
    for token in said:
        progress = progress.after(torch.tensor([token]))
    ended = progress.after(torch.tensor([0]))
    wanted = [holds(said, forms) for forms in demanded]
    assert ended.met[0].tolist() == wanted
    assert (int(progress.waiting) == 0) == all(wanted), "the end may be said where nothing is waited for"


@settings(max_examples=60)
@given(phrases, st.lists(tokens, max_size=6))
def test_a_token_that_goes_on_always_brings_all_phrases_nearer(demanded, said) -> None:
    """So a row that has as much room as it needs can always fulfil its demand."""
    progress = progress_of([demanded])
    for token in said:
        progress = progress.after(torch.tensor([token]))
    for _ in range(int(progress.needed)):
        needed = int(progress.needed)
        if needed == 0:
            break
        nexts = [progress.after(torch.tensor([token])) for token in progress.following()[0].tolist() if token != NONE]
        progress = min(nexts, key=lambda one: int(one.needed))
        assert int(progress.needed) < needed
    assert int(progress.waiting) == 0


@settings(max_examples=40)
@given(phrases, phrases, st.lists(st.tuples(tokens, tokens), max_size=6))
def test_a_row_of_progress_does_not_depend_on_the_others(one, other, said) -> None:
    together, alone = progress_of([one, other]), progress_of([other])
    for left, right in said:
        together, alone = together.after(torch.tensor([left, right])), alone.after(torch.tensor([right]))
    assert int(together.needed[1]) == int(alone.needed)
    assert int(together.select(torch.tensor([1])).needed) == int(alone.needed)


class Reading(Table):
    """The table, whose sentence has the number 7 and begins with the end mark."""

    def start(self, source, padding) -> Said:
        return Said(torch.full((len(source), 1), 7))


def windows(said: tuple[int, ...], size: int) -> set[tuple[int, ...]]:
    return {said[place : place + size] for place in range(len(said) - size + 1)}


def every_sequence(limit: int) -> dict[tuple[int, ...], float]:
    """The log-probability of each finished sequence of at most `limit` tokens, the end mark counted."""
    found: dict[tuple[int, ...], float] = {}
    for length in range(limit):
        for said in itertools.product(range(1, SIZE), repeat=length):
            history, total = (7, TABLE_END), 0.0
            for token in (*said, TABLE_END):
                total += float(Table.scores(history)[token])
                history = (*history, token)
            found[said] = total
    return found


@pytest.mark.parametrize("phrase", [(2,), (3, 1), (1, 1), (2, 3, 2)])
def test_a_wide_beam_finds_the_best_of_all_that_contain_the_phrase(phrase) -> None:
    limit, free = 5, torch.zeros(SIZE, dtype=torch.bool)
    first, limits = torch.tensor([TABLE_END]), torch.tensor([limit])
    model = Phrased(Reading(), TABLE_END, limits, Progress.of([[(phrase,)]], first, free, free))
    (found,) = beam(model, model.start(first[:, None], None), first, TABLE_END, limits, 300, 1.0, None, allot)
    counted = {said: log for said, log in every_sequence(limit).items() if phrase in windows(said, len(phrase))}
    wanted = sorted(counted, key=lambda said: counted[said] / (len(said) + 1), reverse=True)
    finished = [one for one in found if one.finished]
    assert [tuple(one.tokens) for one in finished[:5]] == wanted[:5]
    for one in finished[:5]:
        assert math.isclose(one.log_probability, counted[tuple(one.tokens)], abs_tol=1e-4)


MODELS = {"transformer": small_transformer, "recurrent": lambda: small_recurrent(**RECURRENT["additive, before"])}
SOURCES = some_sources()
DEMANDS = [
    NOTHING_DEMANDED,
    Demand(phrases=(((7, 8, 9),), ((11,),))),
    Demand(prefix=(5, 6), phrases=(((6, 12),),)),
    Demand(prefix=(20,)),
    Demand(phrases=(((4, 4, 5), (5, 4)), ((4, 5, 9, 9),), ((9,),))),
]


@pytest.fixture(params=MODELS)
def model(request):
    torch.manual_seed(3)
    return MODELS[request.param]().eval()


def demands(each=DEMANDS) -> Demands:
    return Demands(each, NO_JOINTS)


@pytest.mark.parametrize("width", [1, 4])
def test_every_translation_contains_what_it_must(model, width) -> None:
    found = decode_many(model, SOURCES, Search(beam=width, n_best=width, longest=14), demands=demands())
    for hypotheses, demand in zip(found, DEMANDS, strict=True):
        for one in hypotheses:
            assert tuple(one.tokens[: len(demand.prefix)]) == demand.prefix
            assert all(any(form in windows(tuple(one.tokens), len(form)) for form in forms) for forms in demand.phrases)
            assert len(one.tokens) <= 14


def test_there_is_always_room(model) -> None:
    """With not a token to spare, the phrases are still said, one after another."""
    for demand in DEMANDS[1:]:
        longest = demand.tokens + 1
        (found,) = decode_many(model, SOURCES[:1], Search(beam=3, longest=longest), demands=demands([demand]))
        said = tuple(found[0].tokens)
        assert len(said) <= longest
        assert all(any(form in windows(said, len(form)) for form in forms) for forms in demand.phrases)


@pytest.mark.parametrize("search", [Search(beam=3, n_best=3, longest=12), Search(beam=1, longest=12)], ids=str)
def test_without_demands_it_is_the_plain_search_to_the_bit(model, search) -> None:
    plain = decode_many(model, SOURCES, search)
    assert decode_many(model, SOURCES, search, demands=demands([NOTHING_DEMANDED] * len(SOURCES))) == plain
    one = [Demand(phrases=(((7, 8),),)), *[NOTHING_DEMANDED] * (len(SOURCES) - 1)]
    beside = decode_many(model, SOURCES, search, demands=demands(one))
    for row, other in zip(beside[1:], plain[1:], strict=True):
        assert [found.tokens for found in row] == [found.tokens for found in other]
        if search.beam > 1:  # else the demanded one has a wider beam, and the others are a batch of their own
            assert row == other


def test_alone_or_in_any_batch(model, monkeypatch) -> None:
    search = Search(beam=3, n_best=2, longest=11)
    together = decode_many(model, SOURCES, search, demands=demands())
    monkeypatch.setattr("mirada.decoding.search.BUDGET", 50)
    in_small = decode_many(model, SOURCES, search, demands=demands())
    for source, demand, found, other in zip(SOURCES, DEMANDS, together, in_small, strict=True):
        (alone,) = decode_many(model, [source], search, demands=demands([demand]))
        assert [one.tokens for one in alone] == [one.tokens for one in found] == [one.tokens for one in other]


def test_what_the_model_says_anyway_is_left_as_it_is() -> None:
    actor = Actor(lambda source: source[::-1], ending=0, size=VOCABULARY)
    demand = Demand(phrases=(((8, 7),),))
    (found,) = decode_many(actor, [[5, 7, 8, 9, END]], Search(beam=4), demands=demands([demand]))
    assert found[0].tokens == [9, 8, 7, 5]


def test_a_phrase_is_put_where_it_costs_least() -> None:
    actor = Actor(lambda source: source, ending=0, size=VOCABULARY, sure=0.5)
    demand = Demand(phrases=(((6, 19),),))
    (found,) = decode_many(actor, [[5, 6, 7, 8, END]], Search(beam=5), demands=demands([demand]))
    assert found[0].tokens == [5, 6, 19, 8], (
        "the model's second word begins the phrase, which then takes the third's place"
    )


def test_what_a_model_can_never_say_ends_at_the_limit() -> None:
    class Mute(Actor):
        def step(self, tokens, state):
            scores, state = super().step(tokens, state)
            scores[:, 9] = float("-inf")
            return scores, state

    mute = Mute(lambda source: source, size=VOCABULARY)
    (found,) = decode_many(mute, [[5, 6, END]], Search(beam=2), demands=demands([Demand(phrases=(((9,),),))]))
    assert not found[0].finished


def test_too_little_room_is_an_error_before_anything_is_computed() -> None:
    demand = Demand(prefix=(4, 5), phrases=(((6, 7), (8,)),))
    assert limit_of(3, demand, None) == cap(3) + 4
    assert limit_of(3, demand, 5) == 5
    with pytest.raises(ValueError, match="take 4 tokens, and this translation may have 4 with its end mark"):
        limit_of(3, demand, 4)
    actor = Actor(lambda source: source)
    with pytest.raises(ValueError, match="ask for fewer or shorter ones"):
        decode_many(actor, [[5, END]], Search(longest=4), demands=demands([demand]))
    assert actor.batches == []


def test_phrases_are_not_left_to_chance() -> None:
    demand = Demand(phrases=(((6,),),))
    with pytest.raises(ValueError, match="not by chance"):
        decode_many(Actor(list), [[5, END]], Search(sampling=True), demands=demands([demand]))
