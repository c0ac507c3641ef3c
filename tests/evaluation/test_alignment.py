"""Alignment error rate, precision and recall: by hand, by their laws, and against chance."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.evaluation.alignment import Gold, read_gold, require_within, score, write_links

LINKS = st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)
GOLD = st.builds(Gold.of, LINKS, LINKS)
PAIRS = st.lists(st.tuples(LINKS, GOLD), min_size=1, max_size=4)


def test_by_hand() -> None:
    gold = Gold.of(sure={(0, 0), (1, 1), (2, 2)}, possible={(3, 2)})
    found = score([{(0, 0), (1, 1), (3, 2), (3, 3)}], [gold])
    assert (found.links, found.sure) == (4, 3)
    assert found.precision == 3 / 4  # (3, 3) is not even possible
    assert found.recall == 2 / 3
    assert found.error == pytest.approx(1 - (2 + 3) / (4 + 3))
    assert found.as_json() == {"aer": 0.285714, "precision": 0.75, "recall": 0.666667, "links": 4, "sure": 3}


def test_counts_are_summed_before_they_are_divided() -> None:
    gold = [Gold.of({(0, 0)}), Gold.of({(0, 0), (1, 1), (2, 2)})]
    assert score([{(0, 0)}, {(0, 1)}], gold).precision == 1 / 2
    assert score([{(0, 0)}, {(0, 1)}], gold).recall == 1 / 4


def test_nothing_found_and_nothing_to_find() -> None:
    assert score([()], [Gold.of({(0, 0)})]).as_json()["aer"] == 1
    empty = score([(), ()], [Gold.of(()), Gold.of((), {(0, 1)})])
    assert (empty.error, empty.precision, empty.recall) == (0, 1, 1)


@given(PAIRS)
def test_all_are_shares(pairs: list[tuple[frozenset[tuple[int, int]], Gold]]) -> None:
    found = score([own for own, _ in pairs], [gold for _, gold in pairs])
    assert all(0 <= share <= 1 for share in (found.error, found.precision, found.recall))


@given(LINKS, LINKS, st.data())
def test_whatever_lies_between_sure_and_possible_is_right(sure, possible, data) -> None:
    gold = Gold.of(sure, possible)
    own = sure | data.draw(st.frozensets(st.sampled_from(sorted(gold.possible)))) if gold.possible else sure
    assert score([own], [gold]).as_json() | {"links": 0, "sure": 0} == {
        "aer": 0, "precision": 1, "recall": 1, "links": 0, "sure": 0,
    }  # fmt: skip


@given(LINKS.filter(bool), LINKS, LINKS)
def test_where_all_is_sure_the_error_is_what_f1_lacks(shared, own, sure) -> None:
    own, sure = own | shared, sure | shared
    found = score([own], [Gold.of(sure)])
    assert found.error == pytest.approx(1 - 2 / (1 / found.precision + 1 / found.recall))


@given(PAIRS, st.randoms())
def test_the_order_of_sentences_does_not_matter(pairs, chance: random.Random) -> None:
    turned = chance.sample(pairs, len(pairs))
    one, other = (score([own for own, _ in rows], [gold for _, gold in rows]) for rows in (pairs, turned))
    assert one == other


def test_shuffled_gold_is_clearly_worse() -> None:
    chance = random.Random(7)
    gold = []
    for _ in range(50):
        targets = list(range(9))
        chance.shuffle(targets)
        gold.append(Gold.of(enumerate(targets)))
    found = [{link for link in one.sure if chance.random() < 0.8} for one in gold]
    shuffled = gold[1:] + gold[:1]
    assert score(found, gold).error < 0.2
    assert score(found, shuffled).error > 0.7


@given(LINKS)
def test_links_are_read_as_they_are_written(links: frozenset[tuple[int, int]]) -> None:
    assert read_gold(write_links(links)) == Gold.of(links)


def test_links_are_written_in_the_order_of_the_target() -> None:
    assert write_links({(2, 0), (0, 1), (1, 0)}) == "1-0 2-0 0-1"
    assert write_links(()) == ""


def test_gold_that_is_sure_or_possible_and_counted_from_one() -> None:
    assert read_gold("2-2 1p1 10-11", first=1) == Gold.of({(1, 1), (9, 10)}, {(0, 0)})
    assert read_gold(" \n") == Gold.of(())


def test_gold_in_the_last_column_of_a_table() -> None:
    assert read_gold("a b\tc d\t0-1 1-0\t\t \t") == Gold.of({(0, 1), (1, 0)})


@pytest.mark.parametrize("word", ["1", "1-", "1-2-3", "1:2", "-1-2", "1x2", "²-1", "1234567-1", "word"])
def test_what_is_no_link(word: str) -> None:
    with pytest.raises(ValueError, match="is no link; write 3-4 for a sure one and 3p4 for a possible one"):
        read_gold(f"0-0 {word}")


@pytest.mark.parametrize(("line", "first"), [("3-0", 0), ("0-2", 0), ("2p2", 0), ("0-1", 1), ("4-1", 1)])
def test_links_to_words_that_are_not_there(line: str, first: int) -> None:
    with pytest.raises(ValueError, match=r"names a word that is not there: the source has 3 words and the target 2"):
        require_within(read_gold(line, first), 3, 2, first)


def test_links_to_words_that_are_there() -> None:
    require_within(read_gold("2-1 0-0"), 3, 2)
    require_within(read_gold("3-2 1p1", first=1), 3, 2, first=1)


def test_as_many_alignments_as_gold_ones() -> None:
    with pytest.raises(ValueError, match="1 alignments for 2 gold ones"):
        score([()], [Gold.of(()), Gold.of(())])
