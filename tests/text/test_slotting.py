"""Slotting: pairs with marks for what both sides share, as a function of the seed, the pair and the variant."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.slots import COUNT, MARK, MARKS, hide, holds_marks, without_marks
from mirada.text.slotting import SHARE, Slotted, hide_shared, slotted
from tests.text.test_slots import texts

ONE, TWO, THREE, *_ = MARKS


@pytest.mark.parametrize(
    ("pair", "hidden"),
    [
        (("Save <b>%s</b>", "Guardar <b>%s</b>"), (f"Save {ONE}{TWO}{THREE}", f"Guardar {ONE}{TWO}{THREE}")),
        (("{b} before {a}", "{a} tras {b}"), (f"{ONE} before {TWO}", f"{TWO} tras {ONE}")),
        (("%s of %s", "%2$s: %1$s"), (f"{ONE} of {TWO}", f"{TWO}: {ONE}")),
        (("%s of %s", "%s de %s"), (f"{ONE} of {TWO}", f"{ONE} de {TWO}")),
        (("%s of %s", "%1$s de %2$s"), ("%s of %s", "%1$s de %2$s")),  # `show` would write them without numbers
        (("only <i>here %d", "aquí %d"), (f"only <i>here {ONE}", f"aquí {ONE}")),
        (("here", "aquí <i>"), ("here", "aquí <i>")),
        ((f"{ONE}a %s", f"b{TWO} %s"), (f"a {ONE}", f"b {ONE}")),
        (("Ask Ana 12 times", "Pide a Ana 12 veces"), ("Ask Ana 12 times", "Pide a Ana 12 veces")),
    ],
)
def test_what_both_sides_share_is_hidden(pair: tuple[str, str], hidden: tuple[str, str]) -> None:
    assert hide_shared(*pair) == hidden


@pytest.mark.parametrize(
    ("pair", "hidden"),
    [
        (("Ask Ana {n} 12 times", "Pide a Ana 12 veces {n}"), (f"Ask {ONE} {TWO} {THREE} times", None)),
        (("Tom saw Tom and Eve", "Tom vio a Tom y Eve"), (f"Tom saw Tom and {ONE}", f"Tom vio a Tom y {ONE}")),
        (("Madrid is big", "Madrid es grande"), ("Madrid is big", "Madrid es grande")),  # any word may begin a text
        (("It was 2.7 in 2019.", "2019年是 2.7。"), (f"It was {ONE} in {TWO}.", f"{TWO}年是 {ONE}。")),
        (("the UTF-8 of A1", "el UTF-8 de A1"), (f"the {ONE} of {TWO}", f"el {ONE} de {TWO}")),
        (("a <i>Tom</i> Ann", "un Tom <b>Ann</b>"), (f"a <i>{ONE}</i> {TWO}", f"un {ONE} <b>{TWO}</b>")),
        (("the house", "the house"), ("the house", "the house")),
        (("x 1 2 3 4 5", "y 1 2 3 4 5"), (f"x {ONE} {TWO} {THREE} 4 5", f"y {ONE} {TWO} {THREE} 4 5")),
    ],
)
def test_anchors_are_names_and_numbers_that_stand_once_on_each_side(
    pair: tuple[str, str], hidden: tuple[str, str | None]
) -> None:
    source, target = hide_shared(*pair, anchors=True)
    assert source == hidden[0]
    assert hidden[1] is None or target == hidden[1]


@given(texts, texts, st.booleans())
def test_a_pair_gives_its_marks_to_both_sides_or_stays_as_it_was(source: str, target: str, anchors: bool) -> None:
    left, right = hide_shared(source, target, anchors)
    assert set(MARK.findall(left)) == set(MARK.findall(right))
    if not holds_marks(left):
        assert (left, right) == (without_marks(source), without_marks(target))


@given(texts)
def test_a_text_paired_with_itself_is_hidden_as_for_translation(text: str) -> None:
    assert hide_shared(text, text) == (hide(text).text,) * 2


def test_a_pair_is_a_function_of_seed_pair_and_variant() -> None:
    pairs = [(f"Open {{file{number}}} now", f"Abre {{file{number}}} ya") for number in range(600)]
    made = [slotted(*pair, 7) for pair in pairs]
    assert made == [slotted(*pair, 7) for pair in pairs]
    assert made != [slotted(*pair, 8) for pair in pairs]
    first = Counter(MARK.findall(one.variant(0)[0])[0] for one in made)
    assert set(first) == set(MARKS)
    assert min(first.values()) > 25, "every mark is met about equally often: 50 times"
    for one in made[:20]:
        assert len({one.variant(number) for number in range(COUNT)}) == COUNT
        assert one.variant(COUNT) == one.variant(0)


def test_marks_go_round_in_step_on_both_sides() -> None:
    assert Slotted(f"{ONE} {TWO}", f"{TWO} {ONE}", start=COUNT - 1).variant(0) == (
        f"{MARKS[-1]} {ONE}",
        f"{ONE} {MARKS[-1]}",
    )


def test_one_pair_in_eight_gives_its_anchors() -> None:
    made = [slotted(f"Ask Ana {number} times", f"Pide a Ana {number} veces", 3) for number in range(1_600)]
    share = sum(holds_marks(one.source) for one in made) / len(made)
    assert share == pytest.approx(1 / SHARE, abs=0.03)
