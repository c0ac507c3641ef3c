"""Limits: what is too much is refused, with the number that is allowed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mirada.serving.limits import Limits, limits_from
from mirada.serving.problem import Problem
from tests.translators import subwords


@pytest.mark.parametrize(
    ("limits", "texts", "told"),
    [
        (Limits(texts=2), ["a", "b", "c"], "texts: 3 were asked for, at most 2 are allowed"),
        (Limits(characters=5), ["abc", "def"], "characters: 6 were asked for, at most 5 are allowed"),
    ],
)
def test_texts(limits: Limits, texts: list[str], told: str) -> None:
    with pytest.raises(Problem, match=told) as refused:
        limits.check_texts(texts)
    assert refused.value.status == 413


@given(st.lists(st.text(max_size=20), max_size=5), st.integers(1, 60))
@example(["\U0001d160" * 3], 20)  # 12 bytes, of which normalising makes 36
def test_tokens_are_counted_as_the_model_counts_them(texts: list[str], most: int) -> None:
    tokens = sum(map(len, subwords().encode_many(texts)))
    try:
        Limits(tokens=most).check_tokens(texts, lambda given: sum(map(len, subwords().encode_many(given))))
    except Problem:
        assert tokens > most
    else:
        assert tokens <= most


def test_a_search() -> None:
    Limits().check_search(10, 9)
    for beam, alternatives in ((11, 0), (1, 10_000), (1, 10**100)):
        with pytest.raises(Problem, match="at most") as refused:
            Limits().check_search(beam, alternatives)
        assert refused.value.status == 413


def test_limits_from_words() -> None:
    limits = limits_from(["characters=50000", "queue=7"])
    assert (limits.characters, limits.queue, limits.beam) == (50_000, 7, Limits().beam)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("chars=5", "there is no limit 'chars'; use one of bytes, characters"),
        ("characters", "has no number; write it as characters=1000"),
        ("characters=-1", "has no number"),
        ("characters=0", "the limit characters = 0; use 1 to"),
    ],
)
def test_words_that_are_no_limits(word: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        limits_from([word])
