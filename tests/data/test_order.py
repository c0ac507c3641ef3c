"""Batches: within their budget, every pair once an epoch, and the same from any position."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store, StoreWriter
from mirada.data.batch import make_batch
from mirada.data.order import Order, Position, cut
from mirada.text.subwords import BEGIN, END, PADDING


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("store") / "train"
    chance = np.random.default_rng(3)
    with StoreWriter(folder, "test", 100, 2) as writer:
        sides = []
        for _ in range(2):
            lengths = chance.integers(1, 12, 97)
            texts = [[*chance.integers(4, 100, length - 1), END] for length in lengths]
            flat = np.concatenate(texts).astype(np.uint32), lengths.astype(np.int64)
            sides.append([flat, flat])
        writer.add(*sides)
    return Store.open(folder)


def test_every_pair_comes_once_an_epoch_and_the_next_differs(store: Store) -> None:
    order = Order(store, 60, 7, 100, 2)
    epochs = [[row for rows in order._cut(epoch) for row in rows.tolist()] for epoch in (0, 1)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(97))
    assert epochs[0] != epochs[1]


def test_a_batch_stays_within_its_budget(store: Store) -> None:
    order = Order(store, 60, 7, 100, 2)
    for batch, _ in islice(order.from_position(Position()), order.batches_in(0)):
        assert batch.source.numel() + batch.target.numel() <= 60


def test_any_position_is_taken_up_with_the_same_batches(store: Store) -> None:
    order = Order(store, 60, 7, 100, 2)
    whole = list(islice(order.from_position(Position()), 2 * order.batches_in(0) + 3))
    for number in (0, 1, order.batches_in(0) - 1, order.batches_in(0), len(whole) - 2):
        again = next(Order(store, 60, 7, 100, 2).from_position(whole[number][1]))
        assert again[0].source.equal(whole[number + 1][0].source)
        assert again[1] == whole[number + 1][1]


def test_what_enters_is_what_is_said_one_place_later(store: Store) -> None:
    batch = make_batch(store, np.array([3, 14, 15]))
    for row, pair in enumerate((3, 14, 15)):
        said = store.target(pair).tolist()
        entered = batch.target[row].tolist()
        assert entered[: len(said)] == [BEGIN, *said[:-1]]
        assert set(entered[len(said) :]) <= {PADDING}
    said = [token for pair in (3, 14, 15) for token in store.target(pair).tolist()]
    assert batch.expected.tolist() == said
    assert batch.tokens == len(said) + sum(len(store.source(pair)) for pair in (3, 14, 15))


def test_long_pairs_are_left_out_and_counted(store: Store) -> None:
    order = Order(store, 60, 7, 8, 2)
    lengths = np.maximum(store.source_lengths, store.target_lengths).max(axis=1)
    assert order.left_out == int((lengths > 8).sum()) > 0
    with pytest.raises(CorpusError, match=r"data\.longest"):
        Order(store, 60, 7, 0)
    with pytest.raises(CorpusError, match=r"training\.batch_tokens = 10 cannot hold"):
        Order(store, 10, 7, 100)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), max_size=60), st.integers(40, 200))
@settings(max_examples=60)
def test_cutting_keeps_all_in_order_within_the_budget(lengths: list[tuple[int, int]], budget: int) -> None:
    source, target = (np.array([pair[side] for pair in lengths], dtype=np.int64) for side in (0, 1))
    pieces = cut(source, target, budget)
    assert [place for first, last in pieces for place in range(first, last)] == list(range(len(lengths)))
    for first, last in pieces:
        assert (last - first) * (source[first:last].max() + target[first:last].max()) <= budget
