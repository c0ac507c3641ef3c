"""Neighbours of words: who is seen, the same for the same seed, and how often frequent words stay."""

import numpy as np
import torch

from mirada.data.neighbours import BLOCK, STRETCH, NeighbourText

END = 50


def text_of(ids: list[int], window: int = 3, sample: float = 0.0) -> NeighbourText:
    counts = np.bincount(np.array(ids), minlength=END + 1)[:END]
    return NeighbourText(np.array(ids, dtype=np.uint16), counts, END, window, sample, seed=5)


def test_neighbours_are_near_and_in_the_same_line() -> None:
    chance = np.random.default_rng(0)
    ids = np.where(chance.random(101) < 0.1, END, chance.integers(0, END, 101)).tolist()
    words = [(one, line) for one, line in zip(ids, np.cumsum(np.array(ids) == END), strict=True) if one != END]
    (batch,) = text_of(ids).stretch(0, 0)
    assert batch.words.flatten().tolist()[: len(words)] == [word for word, _ in words]
    for block, row, place in batch.seen.nonzero().tolist():
        own, other = BLOCK * block + row, BLOCK * block + place - 3
        assert 1 <= abs(own - other) <= 3
        assert words[own][1] == words[other][1]
        assert int(batch.around[block, place]) == words[other][0]
    # Reaches are drawn from 1 to 3, so next neighbours see each other always.
    both = [number for number in range(len(words) - 1) if words[number][1] == words[number + 1][1]]
    assert all(bool(batch.seen[one // BLOCK, one % BLOCK, one % BLOCK + 4]) for one in both)
    assert not batch.seen.flatten(0, 1)[len(words) :].any()


def test_chance_is_a_function_of_seed_epoch_and_stretch() -> None:
    text = text_of(np.random.default_rng(1).integers(0, END, 300).tolist(), sample=0.01)
    first, again, other = (list(text.stretch(epoch, 0)) for epoch in (0, 0, 1))
    assert torch.equal(first[0].seen, again[0].seen)
    assert torch.equal(first[0].drawn, again[0].drawn)
    assert not torch.equal(first[0].drawn, other[0].drawn)


def test_a_frequent_word_is_thinned_as_word2vec_does() -> None:
    ids = [0] * 9_000 + list(range(1, 21)) * 50
    kept = torch.cat([batch.words.flatten() for batch in text_of(ids, sample=0.01).stretch(0, 0)])
    share = 0.01 / 0.9
    expected = 9_000 * (share**0.5 + share)
    assert abs(int((kept == 0).sum()) - expected) < 4 * expected**0.5 + BLOCK


def test_a_long_text_has_several_stretches_and_an_empty_one_nothing() -> None:
    text = text_of([1, 2] * (STRETCH // 2) + [3])
    assert text.stretches == 2
    assert [len(list(text.stretch(0, number))) > 0 for number in (0, 1)] == [True, True]
    assert list(text_of([END, END]).stretch(0, 0)) == []
