"""Searching many sources: order, batches, the second attempt, and what is refused."""

from dataclasses import dataclass, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.decoding.checked import Checked, decode_checked
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import Flag, cap
from mirada.decoding.options import Search
from mirada.decoding.protocol import Reader
from mirada.decoding.rein import Reined
from mirada.decoding.search import BUDGET, decode_many
from mirada.text.subwords import END
from tests.decoding.stubs import Actor
from tests.models.build import small_transformer

SEARCHES = {
    "greedy": Search(beam=1, longest=12),
    "beam": Search(beam=3, n_best=2, longest=12),
    "sample": Search(sampling=True, n_best=2, seed=7, longest=12),
}


def some_sources(count: int = 5) -> list[list[int]]:
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(1, 12, (count,), generator=generator).tolist()
    return [[*torch.randint(4, 23, (length,), generator=generator).tolist(), END] for length in lengths]


@dataclass(frozen=True)
class Plain:
    """A model as something that decodes."""

    model: Reader

    def decode(self, sources: list[list[int]], search: Search, demands: object = ()) -> list[list[Hypothesis]]:
        return decode_many(self.model, sources, search)

    def reined(self) -> "Plain":
        return Plain(Reined(self.model, END))


def checked(model: Reader, sources: list[list[int]], search: Search) -> list[Checked]:
    return decode_checked(Plain(model), sources, search)


def mirror(source: list[int]) -> list[int]:
    return source[::-1]


def test_a_translation_is_judged_by_its_own_text_and_not_by_what_stands_before_it() -> None:
    before, own = [*range(10, 40), END], [*[7] * 20, END]
    actor, search = Plain(Actor(lambda row: [9] * 20, sure=0.99, ending=0.0)), Search(beam=1)
    assert decode_checked(actor, [own], search)[0].flags == ()
    (judged,) = decode_checked(actor, [before + own], search, own=[own])
    assert (judged.flags, judged.hypotheses[0].tokens) == ((), [9] * 20)
    (other,) = decode_checked(actor, [before + own], search)
    assert other.hypotheses[0].tokens != [9] * 20


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_alone_or_in_any_batch(search, monkeypatch) -> None:
    torch.manual_seed(3)
    model = small_transformer().eval()
    assert isinstance(model, Reader)
    assert isinstance(Reined(model, END), Reader)
    sources = some_sources()
    together = decode_many(model, sources, search)
    monkeypatch.setattr("mirada.decoding.search.BUDGET", 50)
    in_small = decode_many(model, sources, search)
    for source, found, other in zip(sources, together, in_small, strict=True):
        (alone,) = decode_many(model, [source], search)
        assert len(found) == search.n_best
        assert [one.tokens for one in alone] == [one.tokens for one in found] == [one.tokens for one in other]


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(4, 49), max_size=9), max_size=8), st.integers(1, 3))
def test_the_order_is_restored(texts, beam) -> None:
    found = decode_many(Actor(mirror, ending=0), [[*text, END] for text in texts], Search(beam=beam))
    assert [best[0].tokens for best in found] == [mirror(text) for text in texts]


def test_batches_keep_the_budget() -> None:
    sources = [[5] * (length - 1) + [END] for length in (700, 3, 3, 900, 500, 20, 5000, 1)]
    for search in (Search(beam=1), Search(beam=4, longest=9), Search(sampling=True, n_best=3, longest=9)):
        model = Actor(lambda source: source[:5])
        decode_many(model, sources, search)
        rows = search.n_best if search.sampling else search.beam
        assert model.batches[0] == (1, 5000)  # longer than the budget: alone
        assert all(count * length * rows <= BUDGET for count, length in model.batches[1:])
        assert sum(count for count, _ in model.batches) == len(sources)


def test_nothing_is_decoded_to_nothing() -> None:
    assert decode_many(Actor(mirror), [], Search()) == []
    assert checked(Actor(mirror), [], Search()) == []


def test_beam_one_is_greedy_and_top_k_one_is_greedy() -> None:
    model, sources = small_transformer().eval(), some_sources()
    greedy = decode_many(model, sources, Search(beam=1, longest=9))
    for search in (Search(sampling=True, top_k=1, longest=9), Search(sampling=True, temperature=1e-6, longest=9)):
        drawn = decode_many(model, sources, search)
        assert [one[0].tokens for one in drawn] == [one[0].tokens for one in greedy]


def test_samples_differ_with_the_seed_and_the_draw() -> None:
    model, sources = small_transformer().eval(), some_sources()
    drawn = decode_many(model, sources, Search(sampling=True, n_best=4, longest=9))
    assert all(len({tuple(one.tokens) for one in found}) > 1 for found in drawn)
    assert all(
        [one.score(1.0) for one in found] == sorted((one.score(1.0) for one in found), reverse=True) for found in drawn
    )
    assert drawn != decode_many(model, sources, Search(sampling=True, n_best=4, seed=1, longest=9))


def endless(source: list[int]) -> list[int]:
    """For a source that begins with 9, one that loops for ever; else the source."""
    return [7, 8] * 500 if source[:1] == [9] else source


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_a_loop_is_tried_again_and_other_sources_are_not(search) -> None:
    search = replace(search, longest=None)  # room for a loop
    model = Actor(endless, sure=1 - 1e-12, ending=0.25 if search.sampling or search.beam == 1 else 0)
    sources = [[5, 6, END], [9, 5, END], [10, 11, 12, END]]
    first = decode_many(model, sources, search)
    assert first[1][0].tokens[:4] == [7, 8, 7, 8]
    model.batches.clear()
    found = checked(model, sources, search)
    assert [count for count, _ in model.batches] == [3, 1]
    assert [one.hypotheses[0].tokens for one in (found[0], found[2])] == [[5, 6], [10, 11, 12]]
    assert found[0].flags == found[2].flags == ()
    assert all(len(one.hypotheses) <= search.n_best for one in found)
    # The rein has broken the loop; where this model does not end by itself, that is still said.
    assert Flag.REPEATING not in found[1].flags
    assert found[1].hypotheses[0].finished == (Flag.CUT not in found[1].flags)


def test_a_failure_is_tried_again_with_two_candidates_and_then_with_five() -> None:
    """A source says how many it needs; what needs fewer is not asked again, and what needs more is flagged."""
    asked: list[tuple[int, list[int]]] = []

    class Needing:
        def decode(self, sources: list[list[int]], search: Search, demands: object = ()) -> list[list[Hypothesis]]:
            asked.append((search.beam, [needed for needed, _ in sources]))
            return [[Hypothesis([7], -1.0, finished=search.beam >= needed)] for needed, _ in sources]

        def reined(self) -> "Needing":
            return self

    def flagged(*needed: int, beam: int) -> list[bool]:
        asked.clear()
        return [bool(one.flags) for one in decode_checked(Needing(), [[one, END] for one in needed], Search(beam=beam))]

    assert flagged(1, 2, 5, 6, beam=1) == [False, False, False, True]
    assert asked == [(1, [1, 2, 5, 6]), (2, [2, 5, 6]), (5, [5, 6])]
    assert flagged(1, 2, beam=1) == [False, False]
    assert asked == [(1, [1, 2]), (2, [2])]
    assert flagged(3, 5, beam=3) == [False, False]
    assert asked == [(3, [3, 5]), (5, [5])]
    assert flagged(7, 9, beam=7) == [False, True]
    assert asked == [(7, [7, 9]), (7, [9])]


def test_what_cannot_be_mended_is_flagged() -> None:
    def chatter(source: list[int]) -> list[int]:
        return [4 + number * number % 45 for number in range(500)]

    (found,) = checked(Actor(chatter, sure=1.0), [[5, END]], Search(beam=2))
    assert Flag.CUT in found.flags
    assert len(found.hypotheses[0].tokens) == cap(2)


def test_an_empty_translation_is_tried_again() -> None:
    (found,) = checked(Actor(lambda _: [], sure=1 - 1e-12), [[5, 6, END]], Search(beam=1))
    assert found.flags == ()
    assert found.hypotheses[0].tokens
    (nothing,) = checked(Actor(lambda _: []), [[END]], Search(beam=1))
    assert (nothing.hypotheses[0].tokens, nothing.flags) == ([], ())


def test_a_sound_one_of_the_beam_comes_first() -> None:
    model = Actor(lambda _: [], sure=0.9)
    (found,) = checked(model, [[5, 6, END]], Search(beam=4, n_best=2))
    assert len(model.batches) == 1  # no second attempt
    assert found.flags == ()
    assert [bool(one.tokens) for one in found.hypotheses] == [True, False]


def test_the_limit_of_the_search_holds() -> None:
    (found,) = decode_many(Actor(endless), [[9, END]], Search(beam=1, longest=5))
    assert len(found[0].tokens) <= 5


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"beam": 0}, "beam = 0; use 1"),
        ({"n_best": 0}, "n_best = 0"),
        ({"n_best": 6}, "n_best = 6 is more than beam = 5.*use beam = 6"),
        ({"length_penalty": -1.0}, "length_penalty = -1.0; use 0"),
        ({"length_penalty": float("nan")}, "length_penalty = nan"),
        ({"temperature": 0.0}, "temperature = 0.0; use a number above 0"),
        ({"temperature": float("nan")}, "temperature = nan"),
        ({"top_k": 0}, "top_k = 0"),
        ({"top_p": 0.0}, "top_p = 0.0"),
        ({"top_p": 1.5}, "top_p = 1.5"),
        ({"longest": 0}, "longest = 0"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, told) -> None:
    with pytest.raises(ValueError, match=told):
        Search(**wrong)


def test_sampling_may_draw_more_than_a_beam_is_wide() -> None:
    assert Search(sampling=True, n_best=9).n_best == 9
