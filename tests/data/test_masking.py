"""Masking: the right share, whole words, marks left alone, and choices that depend on nothing but their row."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from mirada.data.masking import Masker, mask_rows
from mirada.data.rows import ALONE, Gathered
from mirada.text.marks import CLASS, FIRST_WORD, MASK, SEPARATOR, word_beginnings
from mirada.text.vocabulary import learn

VOCABULARY = 1_000
BEGINS = np.arange(VOCABULARY) % 2 == 0  # even ids begin a word
BEGINS[:FIRST_WORD] = True


def rows(count: int, places: int, seed: int = 1) -> Gathered:
    ids = np.random.default_rng(seed).integers(FIRST_WORD, VOCABULARY, (count, places))
    ids[:, 0], ids[:, -1] = CLASS, SEPARATOR
    lengths = np.full(count, places)
    return Gathered(ids, lengths, np.zeros_like(ids), np.arange(count) * 3, np.full(count, ALONE))


def words_of(ids: NDArray[np.int64]) -> list[list[int]]:
    """The places of each word of a row without its marks, found by a loop."""
    found: list[list[int]] = []
    for place, one in enumerate(ids.tolist()):
        if one < FIRST_WORD:
            continue
        if BEGINS[one] or not found or ids[place - 1] < FIRST_WORD:
            found.append([])
        found[-1].append(place)
    return found


@pytest.mark.parametrize("whole", [True, False])
def test_of_each_row_its_share_is_chosen(whole: bool) -> None:
    masker, given = Masker(BEGINS, share=0.15, whole_words=whole), rows(300, 42)
    chosen = masker.choose(given.ids, given.names, 1, 0)
    assert not chosen[given.ids < FIRST_WORD].any()
    counts = chosen.sum(1)
    if not whole:
        assert (counts == 6).all()
        return
    assert counts.min() >= 6
    assert counts.mean() < 8
    for row in range(len(chosen)):
        for word in words_of(given.ids[row]):
            assert chosen[row, word].all() or not chosen[row, word].any()


def test_what_is_chosen_is_replaced_in_the_given_shares() -> None:
    masker, given = Masker(BEGINS, masked=0.7, random=0.2), rows(400, 200)
    batch = mask_rows(given, masker, 1, 0)
    entered = batch.entered.flatten()[batch.places].numpy()
    expected = batch.expected.numpy()
    assert np.array_equal(given.ids.ravel()[batch.places.numpy()], expected)
    assert (entered == MASK).mean() == pytest.approx(0.7, abs=0.01)
    assert (entered == expected).mean() == pytest.approx(0.1, abs=0.01)
    others = np.ones(given.ids.size, dtype=bool)
    others[batch.places.numpy()] = False
    assert np.array_equal(batch.entered.numpy().ravel()[others], given.ids.ravel()[others])


def test_a_row_is_masked_alike_in_every_batch_and_differently_in_every_epoch() -> None:
    masker, given = Masker(BEGINS), rows(9, 40)
    whole = mask_rows(given, masker, 1, 4).entered
    some = np.array([7, 2])
    part = Gathered(*(getattr(given, name)[some] for name in ("ids", "lengths", "segments", "names", "follows")))
    assert torch.equal(mask_rows(part, masker, 1, 4).entered, whole[some])
    assert not torch.equal(mask_rows(given, masker, 1, 5).entered, whole)
    assert not torch.equal(mask_rows(given, masker, 2, 4).entered, whole)


def test_every_place_is_hidden_as_often_as_any_other() -> None:
    masker, given = Masker(BEGINS, whole_words=False), rows(1, 22)
    chosen = np.mean([masker.choose(given.ids, given.names, 1, epoch)[0, 1:-1] for epoch in range(2_000)], axis=0)
    assert chosen == pytest.approx(np.full(20, 0.15), abs=0.03)


def test_a_short_row_has_one_hidden_word_at_least() -> None:
    given = rows(5, 3)
    assert (Masker(BEGINS).choose(given.ids, given.names, 1, 0).sum(1) == 1).all()


def test_pieces_after_a_space_begin_words() -> None:
    subwords = learn(["el gato mira la ventana"] * 50, 420).subwords
    begins = word_beginnings(subwords)
    ids = subwords.encode("la ventana gató")
    assert sum(begins[one] for one in ids) == 3
    assert begins[ids[0]]
    assert begins[:FIRST_WORD].all()
