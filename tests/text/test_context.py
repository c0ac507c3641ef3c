"""What stands before a text: never from another document, and the oldest goes first where there is no room."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.coding import encode, preceded
from mirada.text.context import LONGEST, Before, counts_of, fitting, in_order, joined
from mirada.text.slots import MARKS
from mirada.text.subwords import END
from tests.translators import slotted_subwords, subwords


def test_the_last_sentences_of_a_document_stand_before_the_next() -> None:
    before = Before(2)
    passed = [before.pass_by(text) for text in ("one", "two", "three", "four", " ", "five", "six", "\u200b", "seven")]
    assert passed == [(), ("one",), ("one", "two"), ("two", "three"), (), (), ("five",), (), ()]


def test_what_is_too_long_for_any_model_hides_all_before_it() -> None:
    before = Before(2)
    assert [before.pass_by(text) for text in ("one", "x" * (LONGEST + 1), "two", "three")] == [
        (),
        ("one",),
        (),
        ("two",),
    ]


def test_the_lines_of_a_text_stand_before_the_next_text() -> None:
    before = Before(3)
    assert [before.pass_lines(text) for text in ("one\n\ufeff\ntwo", "", "three")] == [
        (),
        ("one", "two"),
        ("one", "two"),
    ]
    assert Before(0).pass_lines("one\ntwo") == ()


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), max_size=7), st.integers(1, 20))
def test_whole_sentences_are_read_as_far_as_there_is_room(groups: list[list[int]], longest: int) -> None:
    wanted = []
    for group in groups:
        room, read = longest - group[-1], [True]
        for length in reversed(group[:-1]):
            room -= length
            read.append(read[-1] and room >= 0)
        wanted += reversed(read)
    lengths = np.array([length for group in groups for length in group], dtype=np.int64)
    assert fitting(lengths, np.array([len(group) for group in groups], dtype=np.int64), longest).tolist() == wanted


def test_a_store_and_a_translator_read_the_same() -> None:
    texts, contexts = ["No, not today!", "Save it.", "Go home."], [("Open the file.", "Wait."), (), ("One two three.",)]
    known = subwords()
    for longest in (None, 40, 12, 7, 1):
        ids, lengths = joined(known.encode_flat(in_order(texts, contexts), end=True), contexts, longest)
        rows = [row.tolist() for row in np.split(ids, np.cumsum(lengths)[:-1])]
        coded = preceded(known, encode(known, texts), contexts, longest)
        assert [one.ids for one in coded] == rows
        assert [one.ids[one.before :] for one in coded] == known.encode_many(texts, end=True)
    assert counts_of(contexts).tolist() == [3, 1, 2]


def test_sentences_end_with_the_end_mark_and_placeholders_before_a_text_are_none_of_its_own() -> None:
    known = slotted_subwords()
    text, context = "Open {name}.", (f"Save {{file}}{MARKS[0]}.",)
    (one,) = preceded(known, encode(known, [text]), [context], None)
    assert one.ids[: one.before] == [*known.encode("Save {file}."), END]
    assert one.symbols == ("{name}",)
