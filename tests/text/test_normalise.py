"""Normalisation changes only what cannot be seen, and folding brings near-duplicates together."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.normalise import INVISIBLE, control_in, fold, fold_encoded, normalise

texts = st.text(st.characters(), max_size=60)


@given(texts)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


spaced = st.lists(st.sampled_from(["a", "é", "e\u0301", " ", "  ", "\t", "\u00a0", "\u200c"]), max_size=9).map("".join)


@given(texts | spaced)
def test_a_text_that_may_stay_as_it_is_was_normal(text: str) -> None:
    assert normalise(text) == " ".join(unicodedata.normalize("NFC", INVISIBLE.sub("", text)).split())


def test_composing_makes_no_white_space_of_what_is_printable() -> None:
    printable = [sign for sign in map(chr, range(0x110000)) if sign.isprintable() and sign != " "]
    assert not [sign for sign in printable if any(map(str.isspace, unicodedata.normalize("NFC", sign)))]


@given(texts)
def test_a_normalised_text_is_clean(text: str) -> None:
    clean = normalise(text)
    clean.encode()  # no halves of surrogate pairs
    assert unicodedata.is_normalized("NFC", clean)
    assert clean == clean.strip()
    assert "  " not in clean
    assert not any(sign.isspace() and sign != " " for sign in clean)
    assert not any(unicodedata.category(sign) == "Cc" for sign in clean)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  Hola,\t mundo\r\n", "Hola, mundo"),
        ("cafe\u0301", "café"),
        ("10\u00a0000\u202f€", "10 000 €"),
        ("so\u00adft \ufeffmark\u200b", "soft mark"),
        ("a\u200eb\u202ac\u2066d", "abcd"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("nul\x00l\x07", "null"),
        ("e\u200b\u0301", "é"),
        ("lone \ud83d half", "lone half"),
        ("\ufdd0x\uffff", "x"),
        (" \n\t ", ""),
    ],
)
def test_what_is_changed(raw: str, clean: str) -> None:
    assert normalise(raw) == clean


def test_a_control_character_is_named_and_white_space_is_none() -> None:
    assert control_in("a\x00b") == "U+0000"
    assert control_in("a\x9db") == "U+009D"
    assert control_in("a\tb\r\n\u00a0\u200b") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 12.", "room 7"),
        ("Wait!", "wait"),
        ("It costs 1,000.50 €", "it costs 3"),
        ("¿Qué?", "qué"),
        ("STRASSE", "Straße"),
        ("“Yes”", "'yes'"),
        ("٣ كتب", "٥ كتب"),
    ],
)
def test_near_duplicates_fold_alike(one: str, other: str) -> None:
    assert fold(normalise(one)) == fold(normalise(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("si", "sí"), ("का", "की"), ("!", "?"), ("😀", "😡"), ("un gato", "una gata"), ("año", "ano")],
)
def test_different_texts_do_not_fold_alike(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(texts)
def test_the_quick_way_for_ascii_is_the_same(text: str) -> None:
    ascii_text = normalise(text.encode("ascii", "ignore").decode())
    assert fold(ascii_text + " é").removesuffix(" é").removesuffix("é") == (
        fold(ascii_text) if any(sign.isalnum() for sign in ascii_text) else ""
    )


@given(texts | spaced)
def test_a_folded_text_is_the_definition_of_folding(text: str) -> None:
    kinds = ((sign, unicodedata.category(sign)) for sign in text.casefold())
    signs = ("0" if kind == "Nd" else " " if kind[0] in "PS" else sign for sign, kind in kinds)
    expected = re.sub("0(?: ?0)+", "0", " ".join("".join(signs).split())) or text
    assert fold(text) == expected
    assert fold_encoded(text) == expected.encode("utf-8", "surrogatepass")
