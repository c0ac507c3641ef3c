"""The n-grams of words."""

from mirada.text.ngrams import Spelling, default_buckets


def test_the_paper_has_these_grams_of_where() -> None:
    assert Spelling(3, 3, 7).grams("where") == ["<wh", "whe", "her", "ere", "re>"]
    assert Spelling(3, 6, 7).grams("a") == []  # <a> is the word itself
    assert Spelling(2, 3, 7).grams("a") == ["<a", "a>"]


def test_buckets_of_words_stand_one_behind_another() -> None:
    spelling = Spelling(3, 4, 11)
    buckets, starts = spelling.table(["where", "a", "her"])
    assert starts.tolist() == [0, 9, 9, 9 + 5]
    assert buckets[:9].tolist() == spelling.buckets_of("where")
    assert all(0 <= one < 11 for one in buckets)
    assert default_buckets(["where"] * 3, 3, 6) == 16_384
