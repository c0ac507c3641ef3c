"""Sentences: cut where they end, and joined to what they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.sentences import Part, divide, join, join_translated, split

LANGUAGES = st.sampled_from(["en", "de", "zh", "pt-BR", "am", "xx", "tlh-x-old", ""])
SIGNS = st.sampled_from(list("ab B.!?,;: \n\t\r'\"()<>{}%1é😀。，！？।…\u3000\u2028\xa0\ud800—")) | st.characters()
TEXTS = st.text(SIGNS, max_size=80)


@given(TEXTS, LANGUAGES)
def test_joined_sentences_are_the_text(text, language) -> None:
    parts = split(text, language)
    assert join(parts) == text
    assert all(part.text == part.text.strip() and not part.after.strip() for part in parts)
    assert all(part.text for part in parts[1:])


@given(TEXTS, LANGUAGES, st.integers(1, 30))
def test_joined_parts_are_the_text_and_are_short(text, language, longest) -> None:
    parts = divide(text, language, longest, len)
    assert join(parts) == text
    assert all(len(part.text) <= longest for part in parts)
    assert all(part.text == part.text.strip() for part in parts)


def texts(parts: list[Part]) -> list[str]:
    return [part.text for part in parts]


def test_sentences_of_a_paragraph() -> None:
    parts = split("Mr. Smith came at 3.5 p.m. today.  He left!\n\nWhy?", "en")
    assert texts(parts) == ["Mr. Smith came at 3.5 p.m. today.", "He left!", "Why?"]
    assert [part.after for part in parts] == ["  ", "\n\n", ""]
    assert texts(split("你好。世界！", "zh")) == ["你好。", "世界！"]


def test_a_short_text_stays_whole_but_for_its_lines() -> None:
    assert divide("One. Two.", "en", 9, len) == [Part("One. Two.")]
    assert divide(" One. Two.\r\n  Three. ", "en", 9, len) == [
        Part("", " "),
        Part("One. Two.", "\r\n  "),
        Part("Three.", " "),
    ]
    assert divide("", "en", 9, len) == [Part("")]
    assert divide(" \n", "en", 9, len) == [Part("", " \n")]


def test_a_long_text_becomes_sentences_and_a_long_sentence_is_cut_at_punctuation() -> None:
    text = "First it was there. Then, when all had gone home, it was no more seen by anyone."
    parts = divide(text, "en", 40, len)
    assert texts(parts) == ["First it was there.", "Then, when all had gone home,", "it was no more seen by anyone."]
    assert [part.cut for part in parts] == [False, True, False]


def test_without_punctuation_at_spaces_and_without_spaces_anywhere() -> None:
    assert texts(divide("one two three four five six", "en", 14, len)) == ["one two three", "four five six"]
    assert texts(divide("abcdefgh", "en", 2, len)) == ["ab", "cd", "ef", "gh"]


def test_symbols_stay_whole() -> None:
    link = '<a href="x. Y, z">'
    parts = divide(f"One {link} two. Three {link} four.", "en", 24, len)
    assert sum(link in part.text for part in parts) == 2


@pytest.mark.parametrize("text", ["word " * 20_000, "x" * 100_000, "This is one. " * 8_000])
def test_a_hundred_thousand_characters(text) -> None:
    parts = divide(text, "en", 250, len)
    assert join(parts) == text
    assert all(len(part.text) <= 250 for part in parts)


def test_translations_get_the_spaces_that_their_language_wants() -> None:
    english, chinese = split("One. Two.\nThree.", "en"), split("一。二。\n三。", "zh")
    assert join_translated(english, ["一。", "二。", "三。"], "zh-Hans") == "一。二。\n三。"
    assert join_translated(chinese, ["One.", "Two.", "Three."], "en") == "One. Two.\nThree."
    assert join_translated(english, ["Uno.", "Dos.", "Tres."], "es") == "Uno. Dos.\nTres."
    assert join_translated([Part("", "  "), Part("One.", " ")], ["", "Uno."], "es") == "  Uno. "
