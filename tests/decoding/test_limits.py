"""Limits: what counts as a loop and what does not, and the rein."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import FEWEST_AGAIN, LEAST_VARIETY, Flag, _looping, _variety, cap, flags_of, repeats
from mirada.decoding.rein import Reined, ReinedState
from tests.decoding.stubs import SIZE, Actor

ORDINARY = list(range(10, 40))


@pytest.mark.parametrize(
    "tokens",
    [
        [7] * 10,
        [*ORDINARY, *[7] * 12],  # at the end
        [*ORDINARY, *[7, 8, 9] * 5],
        [7, 8] * 20 + [5],  # most of it
        ORDINARY * 5,  # a sentence again and again
        [token for number in range(20) for token in (7, 8, 9, *range(30, 39), number)],  # small changes
    ],
)
def test_loops_are_found(tokens) -> None:
    assert repeats(tokens)
    assert repeats(tokens, ORDINARY)
    assert not repeats(tokens, tokens)  # the source is like that, too


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        ORDINARY,
        [7] * 6,  # "......"
        [7, 8, 7, 8, 7, 8],  # "no, no, no"
        [*[7] * 11, *ORDINARY],  # somewhere at the beginning
        ORDINARY[:8] * 2,
    ],
)
def test_language_is_not_a_loop(tokens) -> None:
    assert not repeats(tokens)


@given(st.lists(st.integers(4, 400), max_size=60, unique=True))
def test_different_tokens_never_repeat(tokens) -> None:
    assert not repeats(tokens)


LOOPS = st.builds(
    lambda before, unit, copies: [*before, *unit * copies],
    st.lists(st.integers(4, 40), max_size=30, unique=True),
    st.lists(st.integers(4, 40), min_size=1, max_size=13),
    st.integers(0, 8),
)


@given(LOOPS | st.lists(st.integers(4, 9), max_size=60))
def test_no_loop_is_overlooked_where_few_tokens_come_again(tokens) -> None:
    if len(tokens) - len(set(tokens)) < FEWEST_AGAIN:
        assert _looping(tokens) == 0
        assert _variety(tokens) >= LEAST_VARIETY


def test_flags() -> None:
    assert flags_of(Hypothesis([5, 6], -1.0, True), [8, 3]) == ()
    assert flags_of(Hypothesis([5, 6], -1.0, False), [8, 3]) == (Flag.CUT,)
    assert flags_of(Hypothesis([5] * 20, -1.0, False), [8, 3]) == (Flag.CUT, Flag.REPEATING)
    assert flags_of(Hypothesis([], -1.0, True), [8, 3]) == (Flag.EMPTY,)
    assert flags_of(Hypothesis([], -1.0, True), [3]) == ()
    assert all(flag.meaning for flag in Flag)


def test_the_cap_follows_the_source() -> None:
    assert (cap(1), cap(100), cap(100, 50)) == (22, 220, 50)


def said_after(tokens: list[int], size: int) -> list[bool]:
    """Which tokens may follow these."""
    model = Reined(Actor(lambda _: []), 3, size)
    state = ReinedState(Actor(lambda _: []).start(torch.tensor([[3]]), None), torch.tensor([tokens[:-1]]))
    scores, _ = model.step(torch.tensor(tokens[-1:]), state)
    return scores[0].isfinite().tolist()


@given(st.lists(st.integers(4, 8), min_size=2, max_size=30), st.integers(2, 5))
def test_the_rein_refuses_just_what_was_said(tokens, size) -> None:
    before = {tuple(tokens[place : place + size]) for place in range(len(tokens) - size + 1)}
    for token, may in enumerate(said_after(tokens, size)):
        assert may == ((*tokens[len(tokens) - size + 1 :], token) not in before)


def test_the_rein_refuses_to_end_at_once() -> None:
    model = Reined(Actor(lambda _: []), 3)
    begin = torch.tensor([2, 2])
    state = model.start(torch.tensor([[3], [3]]), None)
    scores, state = model.step(begin, state)
    assert scores[:, 3].isinf().all()
    assert int(scores.isinf().sum()) == 2
    assert torch.allclose(scores.exp().sum(-1), torch.ones(2))  # what may be said shares all of the probability
    scores, state = model.step(torch.tensor([5, 6]), state.select(torch.tensor([1, 0])))
    assert scores.isfinite().all()
    assert scores.shape == (2, SIZE)
    assert state.said.tolist() == [[2, 5], [2, 6]]
