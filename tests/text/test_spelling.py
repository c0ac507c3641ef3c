"""Spelling: what a word shows of itself, by hand, and ids that stay within their table."""

from mirada.text.spelling import MOST_PIECES, Spelling, features, shape
from mirada.text.vocabulary import learn


def test_the_features_of_a_word() -> None:
    assert list(features("Cats")) == ["pc", "pca", "pcat", "ss", "sts", "sats", "scats", "wcats", "xXxx"]
    assert list(features("a")) == ["pa", "sa", "wa", "xx"]


def test_shapes_are_short() -> None:
    assert [shape(word) for word in ("McDonald", "USA", "1994", "e-mail", "Ü2")] == ["XxXxx", "XX", "dd", "x-xx", "Xd"]


def test_ids_are_subwords_and_a_place_in_the_table() -> None:
    subwords = learn(["the cats sleep on the mats", "a cat sees mats"] * 50, 400).subwords
    spelling = Spelling(subwords, 97)
    words = ["cats", "Cats", "x" * 100, "\u200b"]
    found = spelling.encode_many(words)
    assert found == spelling.encode_many(words)
    known, capital, long, nothing = found
    assert set(known) - set(range(subwords.size)) <= set(range(subwords.size, subwords.size + 97))
    assert known[-9:-1] == capital[-9:-1], "only subwords and the shape tell a capital"
    assert sum(one < subwords.size for one in long) == MOST_PIECES
    assert nothing[0] == 1
