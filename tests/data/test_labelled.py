"""Labelled rows: words and their places, long sentences in parts, batches that cover every row once, balance."""

from itertools import islice

import numpy as np
import pytest

from mirada.corpora.pair import CorpusError
from mirada.data.encoding import TextEncoding, WordEncoding
from mirada.data.inputs import Numbers, Tokens
from mirada.data.labelled import Labelled, LabelledOrder, tiled
from mirada.data.position import Position
from mirada.text.subwords import BEGIN
from mirada.text.vocabulary import learn

SUBWORDS = learn(["the cats sleep on the mats", "a cat sees mats"] * 50, 400).subwords
SENTENCES = [["the", "cats", "sleep"], ["mats"], ["a", "zebra", "sees", "the", "cat"]]


@pytest.mark.parametrize("spelling", [0, 31])
def test_every_word_has_its_places(spelling: int) -> None:
    labels = [[0, 1, 2], [1], [0, -2, 2, -1, 1]]
    labelled = WordEncoding(SUBWORDS, spelling, 50).encode(SENTENCES, labels)
    batch = labelled.batch(np.array([2, 0]))
    assert batch.expected.tolist() == [0, 2, 1, 0, 1, 2], "what has no label, or one never met, is not learnt"
    assert batch.words is not None
    width = batch.entered.values.shape[1]
    chosen = [[0, 2, 4], [0, 1, 2]]
    for word, (row, place) in enumerate((row, place) for row, places in enumerate(chosen) for place in places):
        sentence = SENTENCES[(2, 0)[row]]
        found = (batch.words.places[batch.words.word == word] - row * width).tolist()
        if spelling:
            assert found == [place]
        else:
            before = [len(SUBWORDS.encode(one)) for one in sentence]
            assert found == list(range(sum(before[:place]), sum(before[: place + 1])))
            ids = batch.entered.values[row, found].tolist()
            assert ids == SUBWORDS.encode(sentence[place])


@pytest.mark.parametrize("spelling", [0, 31])
def test_a_long_sentence_is_read_in_parts(spelling: int) -> None:
    encoding = WordEncoding(SUBWORDS, spelling, 7)
    words = ["cats", "xyzxyz", "the"] * 9
    labelled = encoding.encode([words, ["a"]], [[number % 3 for number in range(27)], [2]])
    assert labelled.inputs.lengths.max() <= 7
    assert encoding.parts_of(words) == len(labelled) - 1 > 1
    every = labelled.batch(np.arange(len(labelled)), every=True)
    assert every.expected.tolist() == [number % 3 for number in range(27)] + [2]


def test_texts_begin_with_a_mark_and_are_cut() -> None:
    for spelling in (0, 31):
        encoding = TextEncoding(SUBWORDS, spelling, 4)
        inputs = encoding.encode(["the cats sleep on the mats", "cat"])
        values = inputs.batch(np.array([1, 0])).values
        assert inputs.lengths.tolist()[0] == 4
        assert (values[0, 0] if spelling == 0 else values[0, 0, 0]) == BEGIN
        assert [encoding.too_long(text) for text in ("the cats sleep on the mats", "cat")] == [True, False]


def rows(count: int = 101) -> Labelled:
    inputs = Tokens.of_rows([[4 + number % 3] * (1 + number % 7) for number in range(count)])
    return Labelled(inputs, np.array([int(number % 10 == 0) for number in range(count)]))


def test_an_epoch_shows_every_row_once_and_can_be_taken_up_anywhere() -> None:
    order = LabelledOrder(rows(), 32, seed=3)
    seen = np.concatenate([order.cut(0)[number] for number in range(order.batches_in(0))])
    assert sorted(seen) == list(range(101))
    assert any(not np.array_equal(order.cut(0)[number], order.cut(1)[number]) for number in range(3))
    stream = list(islice(order.from_position(Position()), 40))
    again = list(islice(LabelledOrder(rows(), 32, seed=3).from_position(stream[16][1]), 23))
    for (one, after), (other, later) in zip(stream[17:], again, strict=True):
        assert one.entered.values.equal(other.entered.values)
        assert after == later
        assert one.entered.values.numel() <= 32


def test_balance_draws_every_label_as_often() -> None:
    order = LabelledOrder(rows(2_000), 64, seed=3, balance=True)
    drawn = np.concatenate([order.cut(0)[number] for number in range(order.batches_in(0))])
    share = float(rows(2_000).labels[drawn].mean())
    assert len(drawn) == 2_000
    assert abs(share - 0.5) < 0.05, "one row of ten has this label"


def test_what_cannot_be_learnt_is_told() -> None:
    with pytest.raises(CorpusError, match="cannot hold a row of 7 tokens"):
        LabelledOrder(rows(), 5, seed=1)
    with pytest.raises(CorpusError, match="no row to train on has a label"):
        LabelledOrder(Labelled(Numbers(np.zeros((2, 3), np.float32)), np.array([-1, -2])), 5, seed=1)


def test_tiles_cover_all_rows() -> None:
    found = np.concatenate(list(tiled(rows().inputs.lengths, 20)))
    assert sorted(found) == list(range(101))
