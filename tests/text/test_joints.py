"""Joints: where words end, between pieces and in texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.text.joints import contains, joints_of
from mirada.text.subwords import END
from tests.translators import slotted_subwords, subwords


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("The house is old.", "house", True),
        ("The households are old.", "house", False),
        ("The greenhouse is old.", "house", False),
        ("A greenhouse, a house.", "house", True),
        ("(house)", "house", True),
        ("l'eau", "eau", True),
        ("¿Dónde está?", "Dónde está", True),
        ("house", "house", True),
        ("Save 12.5 times", "12.5", True),
        ("Save 112.5 times", "12.5", False),
        ("私は東京に住んでいます。", "東京", True),
        ("Cafe\u0301 del mar", "Café", True),
        ("Cafe\u0301", "Cafe", False),
        ("one  two", "one two", True),
        ("", "house", False),
        ("wait, then go", ", then", True),
    ],
)
def test_a_phrase_is_found_as_whole_words(text, phrase, found) -> None:
    assert contains(text, phrase) is found


@settings(max_examples=30)
@given(st.text(max_size=8), st.text(min_size=1, max_size=8), st.text(max_size=8))
def test_between_spaces_every_phrase_is_found(before, phrase, after) -> None:
    if phrase.strip() and phrase.isprintable():
        assert contains(f"{before} {phrase} {after}", phrase)


@pytest.mark.parametrize("known", [subwords(), slotted_subwords()], ids=["plain", "slots"])
def test_pieces(known) -> None:
    joints = joints_of(known)
    assert joints_of(known) is joints
    for number, piece in enumerate(known.pieces):
        begins, ends = bool(joints.begins[number]), bool(joints.ends[number])
        if number < 4:
            assert (begins, ends) == (number != END,) * 2
        elif known.is_byte[number]:
            assert (begins, ends) == (True, True)
        else:
            assert begins == piece[0].isalnum()
            assert ends == piece[-1].isalnum()
