"""Slots: what is hidden is shown again to the letter, and pairs teach to copy marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.placeholders import compare, symbols
from mirada.text.slots import COUNT, MARK, MARKS, Hidden, hide, holds_marks, show, without_marks

ONE, TWO, THREE, *_ = MARKS
PARTS = ["%s", "%d", "%1$s", "%2$s", "{{ limit }}", "{}", "<b>", "</b>", "&amp;", "%%", "%(a)s", "$HOME", "%name%"]
texts = st.lists(
    st.sampled_from([*PARTS, *MARKS[:3], " ", "word", "Ünïcode", "12", ":", "\u00a0", "  ", "{{  a }}"])
    | st.text(max_size=4),
    max_size=24,
).map("".join)


@given(texts, st.integers(0, COUNT))
def test_what_is_hidden_is_shown_to_the_letter(text: str, most: int) -> None:
    hidden = hide(text, most)
    assert show(hidden.text, hidden.symbols) == without_marks(text)
    assert len(hidden.symbols) <= most
    assert set(hidden.symbols) <= set(symbols(without_marks(text)))


@given(texts)
def test_only_what_is_beyond_the_last_mark_is_left(text: str) -> None:
    hidden = hide(text)
    if len(hidden.symbols) < COUNT:
        assert len(MARK.findall(hidden.text)) == len(symbols(without_marks(text)))


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("<b>word</b>", Hidden(f"{ONE}word{TWO}", ("<b>", "</b>"))),
        ("%s: it's {{ limit }}!", Hidden(f"{ONE}: it's {TWO}!", ("%s", "{{ limit }}"))),
        ("{a} and {b}, or {a}", Hidden(f"{ONE} and {TWO}, or {ONE}", ("{a}", "{b}"))),
        ("%s of %s", Hidden(f"{ONE} of {TWO}", ("%s", "%s"))),
        ("%1$s of %1$s", Hidden(f"{ONE} of {ONE}", ("%1$s",))),
        ("%d%% of {} and {}", Hidden(f"{ONE}{TWO} of {THREE} and {THREE}", ("%d", "%%", "{}"))),
        ("{{ a\u00a0b  c }} x", Hidden(f"{ONE} x", ("{{ a\u00a0b  c }}",))),
        ("nothing, 10 % of it", Hidden("nothing, 10 % of it")),
        (f"{ONE}stray{TWO} %s", Hidden(f"stray {ONE}", ("%s",))),
    ],
)
def test_what_is_hidden(text: str, hidden: Hidden) -> None:
    assert hide(text) == hidden


def test_the_thirteenth_symbol_stays_as_it_is() -> None:
    hidden = hide(" ".join(f"{{n{number}}}" for number in range(COUNT + 2)) + " {n0}")
    assert hidden.text == " ".join([*MARKS, f"{{n{COUNT}}}", f"{{n{COUNT + 1}}}", ONE])


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"{TWO} de {ONE}", "%2$d de %1$s"),
        (f"{ONE} de {TWO}", "%s de %d"),
        (f"{TWO}", "%d"),
        (f"{ONE} y {ONE}", "%1$s y %1$s"),
        (f"a {THREE} b{THREE} {ONE}", "a b %s"),
    ],
)
def test_formats_that_change_places_are_numbered_and_marks_of_nothing_go(said: str, shown: str) -> None:
    assert show(said, ("%s", "%d")) == shown


@given(st.permutations(range(4)))
def test_no_order_of_the_marks_counts_as_a_loss(order: list[int]) -> None:
    source = "%s {name} %d <b>"
    hidden = hide(source)
    assert not compare(source, show(" ".join(MARKS[number] for number in order), hidden.symbols))


def test_symbols_that_are_not_formats_are_shown_as_they_are_in_any_order() -> None:
    assert show(f"{TWO}{ONE} {TWO}", ("{a}", "{{ b  }}")) == "{{ b  }}{a} {{ b  }}"


def test_which_texts_hold_marks() -> None:
    assert holds_marks(f"a{MARKS[-1]}")
    assert not holds_marks("a\ufdd0é\ufddd")
