"""Asking: what a translation must begin with and contain, as subwords in their context."""

import pytest

from mirada.text.asking import MOST_CHARACTERS, MOST_PHRASES, Asked, forms_of, shared_out
from mirada.text.sentences import Part
from mirada.text.slots import MARKS
from mirada.text.vocabulary import learn
from tests.translators import slotted_subwords, subwords


@pytest.mark.parametrize("phrase", ["file", "the lazy dog", "home.", "xylophone", "Ñandú", "  go  home "])
def test_a_phrase_has_the_ids_that_it_has_in_a_text(phrase) -> None:
    known = subwords()
    forms = forms_of(known, phrase, "a source")
    clean = " ".join(phrase.split())
    assert list(forms[0]) == known.encode(phrase)
    assert known.decode([*known.encode("Wait"), *forms[0]]) == f"Wait {clean}"
    assert known.decode([*known.encode("Wait ("), *forms[-1]]) == f"Wait ({clean}"


def test_scripts_without_spaces_have_a_form_for_the_inside() -> None:
    known = learn(["東京に行く", "私は東京に住んでいます。", "京都と東京", "東京。"] * 3, 390).subwords
    forms = forms_of(known, "東京", "Tokyo")
    assert len(forms) == 2
    assert known.decode([*known.encode("私は"), *forms[1]]) == "私は東京"
    assert known.decode(forms[0]) == "東京"


def test_symbols_take_the_slots_of_the_source() -> None:
    known = slotted_subwords()
    marks = [known.pieces.index(mark) for mark in MARKS[:2]]
    (form, *_) = forms_of(known, "save {b}", "Open {a}, save {b}.")
    assert marks[1] in form
    (literal, *_) = forms_of(known, "save {c}", "Open {a}, save {b}.")
    assert not set(marks) & set(literal)
    assert known.decode(literal) == "save {c}"


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ValueError, match="an empty phrase"):
        Asked("Go.", must=("no", " \u200b"))
    with pytest.raises(ValueError, match=f"use at most {MOST_PHRASES}"):
        Asked("Go.", must=("no",) * 25)
    with pytest.raises(ValueError, match="2,001 characters"):
        Asked("Go.", prefix="x" * (MOST_CHARACTERS + 1))


def test_what_lacks() -> None:
    assert not Asked("Go.").lacks("")
    asked = Asked("Go home.", prefix="Ve a ", must=("casa", "ya"))
    assert not asked.lacks("  Ve a casa ya.")
    assert asked.lacks("Ve a casas ya.")
    assert asked.lacks("Vete a casa ya.")


def test_several_parts_share_the_prefix_only() -> None:
    asked = Asked("  One.\nTwo.", prefix="Uno", must=("dos",))
    parts = [Part("", "  "), Part("One.", "\n"), Part("Two.")]
    assert shared_out(asked, parts) == [Asked(""), Asked("One.", "Uno"), Asked("Two.")]
    assert shared_out(asked, parts[:2]) == [Asked(""), Asked("One.", "Uno", ("dos",))]
    assert shared_out(asked, [Part("", " ")]) == [Asked("")]
