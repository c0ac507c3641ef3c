"""Coding: texts to ids and back, symbols in slots."""

import random

import pytest
from hypothesis import given, settings

from mirada.text.coding import decode, encode, pieces
from mirada.text.normalise import normalise
from mirada.text.sampling import Sampler
from mirada.text.slots import COUNT, MARKS, without_marks
from mirada.text.slotting import slotted
from mirada.text.subwords import END, SPECIAL, Subwords
from mirada.text.vocabulary import learn
from tests.text.test_slots import texts

NAMES = ("file", "user", "page", "limit", "total")


def pairs(count: int) -> list[tuple[str, str]]:
    draw = random.Random(2)
    return [
        (f"Open {{{draw.choice(NAMES)}{number}}} with %s, <b>please</b>.", f"Abre %s <b>ya</b> {number}.")
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    return learn((text for pair in pairs(300) for text in slotted(*pair, 1).variant(0)), size=500).subwords


@pytest.fixture(scope="module")
def without() -> Subwords:
    return learn((text for pair in pairs(300) for text in pair), size=500).subwords


def test_marks_are_pieces_where_a_text_has_one(subwords: Subwords, without: Subwords) -> None:
    assert subwords.slots == COUNT
    assert subwords.protected[:COUNT] == MARKS
    assert "%s" not in subwords.protected
    assert without.slots == 0
    assert "%s" in without.protected


@settings(max_examples=200)
@given(text=texts)
def test_nothing_is_lost_and_symbols_keep_their_spaces(subwords: Subwords, text: str) -> None:
    (coded,) = encode(subwords, [text])
    assert coded.ids[-1] == END
    (back,) = decode(subwords, [coded.ids], [coded.symbols])
    if len(coded.symbols) < COUNT:
        assert normalise(back) == normalise(without_marks(text))
    for symbol in coded.symbols:
        assert symbol in back


@settings(max_examples=100)
@given(text=texts)
def test_a_model_without_slots_reads_and_writes_literally(without: Subwords, text: str) -> None:
    (coded,) = encode(without, [text])
    assert coded.symbols == ()
    assert coded.ids[:-1] == without.encode(without_marks(text))
    assert decode(without, [coded.ids], [()]) == [normalise(without_marks(text))]


def test_every_symbol_is_one_subword(subwords: Subwords) -> None:
    known, unknown = encode(subwords, ["Open {file1}: <b>please</b>", 'Open {{  x }}: <i class="a b">please</u>'])
    assert known.ids == unknown.ids
    assert pieces(subwords, unknown.ids[1:4], unknown.symbols)[1:] == ["{{▁▁x▁}}", ":"]
    assert decode(subwords, [unknown.ids], [unknown.symbols]) == ['Open {{  x }}: <i class="a b">please</u>']


def test_a_mark_that_stands_for_nothing_goes(subwords: Subwords) -> None:
    ids = subwords.encode(f"{MARKS[4]} Open {MARKS[0]} {MARKS[3]}, please {MARKS[7]}")
    assert decode(subwords, [ids], [("%s",)]) == ["Open %s, please"]


def test_drawn_segmentations_keep_marks_whole(subwords: Subwords) -> None:
    text = f"Open {MARKS[2]} with {MARKS[3]}please{MARKS[4]}."
    sampler = Sampler(subwords, seed=3, alpha=0.1)
    drawn = sampler.segmentations(text, 8)
    marks = [len(SPECIAL) + number for number in (2, 3, 4)]
    assert len({tuple(ids) for ids in drawn}) > 1
    assert all([one for one in ids if one < len(SPECIAL) + COUNT] == marks for ids in drawn)
    assert {subwords.decode(ids) for ids in drawn} == {text}
