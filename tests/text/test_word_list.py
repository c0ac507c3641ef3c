"""Words of lines: every script whole, marks at the ends taken off, and the list that gives them numbers."""

import pytest

from mirada.text.word_list import WordKind, Words, count_words, words_in


@pytest.mark.parametrize(
    ("line", "kind", "lower", "expected"),
    [
        ("Don't stop-gap, 'she' said—twice!", "letters", True, ["don't", "stop-gap", "she", "said", "twice"]),
        ("Paris, 1999 €5", "letters", False, ["Paris", "1999", "5"]),
        ("हिन्दी भाषा।", "letters", True, ["हिन्दी", "भाषा"]),  # vowel signs are marks, and stay
        ("cafe\u0301 ÉTÉ", "letters", True, ["café", "été"]),
        ("-- ' …", "letters", True, []),
        ("Hello , world !", "spaces", False, ["Hello", ",", "world", "!"]),
        ("  ", "spaces", False, []),
    ],
)
def test_a_line_is_divided_into_words(line: str, kind: WordKind, lower: bool, expected: list[str]) -> None:
    assert words_in(line, kind, lower) == expected


def test_known_words_have_numbers_and_others_are_left_out() -> None:
    words = Words(["b", "a"], [3, 2], "letters", True)
    assert words.encode(["A b, c!", "", "B"]).tolist() == [1, 0, 2, 2, 0, 2]
    assert words.decode([1, 0, 2, 0]) == "a b\nb"
    assert (words.find("A"), words.find("c")) == (1, None)


def test_a_list_survives_being_written() -> None:
    words = Words(["naïve", "a"], [3, 2], "letters", True)
    again = Words.of_bytes(words.to_bytes(), "letters", True)
    assert (again.words, again.counts.tolist()) == (("naïve", "a"), [3, 2])


@pytest.mark.parametrize("data", [b"a\t1\nb\n", b"a\tx\n", b"\t1\n", b"\xff\t1\n", b"a\t-1\n"])
def test_a_damaged_list_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="is no word with its count"):
        Words.of_bytes(data, "letters", True)


def test_words_are_counted() -> None:
    assert count_words(["a b a", "b"], "spaces", False) == {"a": 2, "b": 2}
