"""A pair's side never moves, and nothing of dev or test is trained on."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.corpora.split import NO_KEYS, Keys, Shares, Side, key_of, shares_for, side_of, sides, split
from mirada.text.hashes import hash_texts
from mirada.text.normalise import fold, normalise

HALF = Shares(0.25, 0.25)


def keys(pairs: list[tuple[str, str]]) -> Keys:
    return Keys(
        hash_texts(fold(normalise(source)) for source, _ in pairs),
        hash_texts(fold(normalise(target)) for _, target in pairs),
    )


texts = st.sampled_from(
    [f"{word} {end}" for word in ("Uno", "dos", "tres", "Go", "x") for end in ("a", "B", "b!", "7", "12.")]
)
pairs_of_texts = st.lists(st.tuples(texts, texts), max_size=30)


@given(pairs_of_texts, pairs_of_texts)
def test_a_side_never_moves_when_pairs_are_added(pairs: list[tuple[str, str]], more: list[tuple[str, str]]) -> None:
    """A pair may become unfit for training by what is added, but never changes between train, dev and test."""
    before, after = split(keys(pairs), HALF), split(keys(pairs + more), HALF)
    for (source, _), old, new in zip(pairs, before, after, strict=False):
        side = side_of(source, HALF)
        assert old in (side, Side.SOURCE_HELD_OUT, Side.TARGET_HELD_OUT)
        assert new in (side, Side.SOURCE_HELD_OUT, Side.TARGET_HELD_OUT)
        if side == Side.TEST:
            assert old == new == Side.TEST


@given(pairs_of_texts, pairs_of_texts, pairs_of_texts, st.sampled_from([HALF, Shares(0.0, 0.0), Shares(0.5, 0.0)]))
def test_no_text_of_dev_or_test_is_trained_on(
    pairs: list[tuple[str, str]], dev: list[tuple[str, str]], test: list[tuple[str, str]], shares: Shares
) -> None:
    result = split(keys(pairs), shares, keys(dev), keys(test))
    on = {side: [pair for pair, found in zip(pairs, result, strict=True) if found == side] for side in Side}
    held_out = {Side.DEV: on[Side.DEV] + dev, Side.TEST: on[Side.TEST] + test}
    for lower, higher in ((Side.TRAIN, Side.DEV), (Side.TRAIN, Side.TEST), (Side.DEV, Side.TEST)):
        for place in (0, 1):
            folded = {fold(normalise(pair[place])) for pair in held_out[higher]}
            assert not folded & {fold(normalise(pair[place])) for pair in on[lower]}


@given(pairs_of_texts)
def test_nothing_is_left_out_without_need(pairs: list[tuple[str, str]]) -> None:
    result = split(keys(pairs), HALF)
    held_out = [pair for pair in pairs if side_of(pair[0], HALF) != Side.TRAIN]
    sources, targets = ({key_of(pair[place]) for pair in held_out} for place in (0, 1))
    for pair, found in zip(pairs, result, strict=True):
        if found == Side.SOURCE_HELD_OUT:
            assert key_of(pair[0]) in sources
        if found == Side.TARGET_HELD_OUT:
            assert key_of(pair[1]) in targets


def test_near_duplicates_stand_on_one_side() -> None:
    for text in ("Room 12 is free.", "Wait for me!", "¿Qué hora es?"):
        for other in (text.upper(), text.rstrip(".!?"), f"  {text}", text.replace("12", "7")):
            assert side_of(text, HALF) == side_of(other, HALF)


def test_the_order_of_the_pairs_does_not_matter() -> None:
    pairs = [(f"fuente {a}", f"meta {b}") for a in "abcdefghijklm" for b in "nopq"]
    order = random.Random(2).sample(range(len(pairs)), len(pairs))
    straight = split(keys(pairs), HALF)
    assert split(keys([pairs[place] for place in order]), HALF).tolist() == straight[order].tolist()


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_growing_corpus_only_ever_shrinks_the_held_out_part(one: int, other: int) -> None:
    smaller, larger = sorted((one, other))
    before, after = shares_for(smaller), shares_for(larger)
    assert after.dev <= before.dev
    places = hash_texts(map(str, range(300)))
    was, now = sides(places, before), sides(places, after)
    assert ((now == was) | (now == Side.TRAIN)).all()


@pytest.mark.parametrize(
    ("pairs", "least", "most"), [(0, 0, 0), (100, 3, 10), (2_000, 100, 200), (29_000, 400, 500), (10**6, 1_000, 2_000)]
)
def test_default_sizes(pairs: int, least: int, most: int) -> None:
    assert least <= pairs * shares_for(pairs).dev <= most


def test_shares_come_out_as_asked() -> None:
    found = sides(hash_texts(f"texto {number}" for number in range(40_000)), Shares(0.1, 0.2))
    assert np.bincount(found, minlength=3) / 40_000 == pytest.approx([0.7, 0.1, 0.2], abs=0.01)


def test_what_is_no_share_is_refused() -> None:
    for dev, test in ((-0.1, 0.1), (0.6, 0.6), (float("nan"), 0.1)):
        with pytest.raises(ValueError, match="are no shares"):
            Shares(dev, test)


def test_an_empty_corpus() -> None:
    assert split(NO_KEYS, shares_for(0)).tolist() == []
