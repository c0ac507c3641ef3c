"""Batches: within their budget, every pair once an epoch, and the same from any position."""

import tracemalloc
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store, StoreWriter
from mirada.data.batch import make_batch
from mirada.data.order import POOL, ROWS, TOGETHER, Order, alike, cut
from mirada.data.position import Position
from mirada.text.sampling import variant_of
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
    epochs = [[row for rows in order.cut(epoch) for row in rows.tolist()] for epoch in (0, 1)]
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


SIDES = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), max_size=60)


def test_the_longest_text_is_told_without_what_stands_before_it(tmp_path: Path) -> None:
    sources = [[5, 6, END], [5, 6, END, 7, 8, 9, END], [4] * 9 + [END, 5, END], [4] * 30 + [END]]
    targets = [[4, END], [4, END], [4, END], [4] * 40 + [END]]
    sides = [
        [(np.concatenate(rows).astype(np.uint32), np.array([len(row) for row in rows], dtype=np.int64))]
        for rows in (sources, targets)
    ]
    with StoreWriter(tmp_path / "train", "test", 100) as writer:
        writer.add(*sides)
    store = Store.open(tmp_path / "train")
    order = Order(store, 60, 7, 20)
    assert (order.longest, order.longest_text) == (12, 4)
    assert Order(store, 100, 7, 50).longest_text == 41


def plainly_cut(source: list[int], target: list[int], budget: int) -> list[int]:
    """Where the groups end, row by row."""
    ends, first = [], 0
    while first < len(source):
        sizes = range(1, len(source) - first + 1)
        tokens = [n * (max(source[first : first + n]) + max(target[first : first + n])) for n in sizes]
        rows = next((n - 1 for n in sizes if tokens[n - 1] > budget), len(sizes))
        if rows > ROWS and rows < len(sizes):
            rows = rows // ROWS * ROWS
        first += max(1, rows)
        ends.append(first)
    return ends


@given(SIDES, st.integers(1, 200))
@settings(max_examples=100)
def test_cutting_takes_as_many_neighbours_as_fit(lengths: list[tuple[int, int]], budget: int) -> None:
    """A row that is too large alone is a group of its own."""
    source, target = (np.array([pair[side] for pair in lengths], dtype=np.int32) for side in (0, 1))
    assert cut(source, target, budget).tolist() == plainly_cut(source.tolist(), target.tolist(), budget)


def snaked(source: list[int], target: list[int]) -> list[int]:
    """An order that goes through source lengths down and up, from one pair of target lengths to the next."""
    groups = sorted({length // 2 for length in target})
    order = []
    for number, group in enumerate(groups):
        rows = [row for row, length in enumerate(target) if length // 2 == group]
        order += sorted(rows, key=lambda row: source[row], reverse=number % 2 == 0)
    return order


def test_neighbours_are_alike_on_both_sides() -> None:
    """Less is padded than in the order of target and source."""
    chance = np.random.default_rng(3)
    source = chance.integers(5, 30, 4_000)
    target = np.clip(source + chance.integers(-6, 7, 4_000), 1, None)

    def padded(order: NDArray[np.int64]) -> int:
        ends = [0, *cut(source[order], target[order], 4_000).tolist()]
        groups = [order[first:last] for first, last in pairwise(ends)]
        return sum(len(rows) * int(source[rows].max() + target[rows].max()) for rows in groups)

    assert padded(alike(source, target)) < 0.98 * padded(np.lexsort((source, target)))


def plain_batches(store: Store, budget: int, seed: int, epoch: int, longest: int, variants: int) -> list[list[int]]:
    """The batches of an epoch as lists of wide numbers: what an order must equal, however little it holds."""
    lengths = [
        side.astype(np.int64).reshape(len(store), store.variants)[:, :variants]
        for side in (store.source_lengths, store.target_lengths)
    ]
    chance = np.random.Generator(np.random.Philox(key=[seed, epoch]))
    rows = chance.permutation(np.flatnonzero(np.maximum(*lengths).max(axis=1) <= longest))
    source, target = (side[rows, variant_of(seed, epoch, rows, variants)] for side in lengths)
    pool = max(1, POOL * budget // max(1, int((source + target).mean())))
    batches = []
    for start in range(0, len(rows), pool):
        inside = slice(start, start + pool)
        places = start + np.array(snaked(source[inside].tolist(), target[inside].tolist()))
        ends = plainly_cut(source[places].tolist(), target[places].tolist(), budget)
        batches += [places[first:last].tolist() for first, last in pairwise([0, *ends])]
    while len(batches) >= TOGETHER and len(batches) % TOGETHER:
        largest = batches.index(max(batches, key=len))
        half = (len(batches[largest]) + 1) // 2
        batches[largest : largest + 1] = [batches[largest][:half], batches[largest][half:]]
    batches.sort(key=lambda places: int((source + target)[places].sum()))
    rest, whole = batches[: len(batches) % TOGETHER], batches[len(batches) % TOGETHER :]
    groups = chance.permutation(np.arange(len(whole)).reshape(-1, TOGETHER)).ravel()
    shuffled = [whole[number] for number in groups] + [rest[number] for number in chance.permutation(len(rest))]
    return [rows[places].tolist() for places in shuffled]


def test_batches_that_follow_each_other_are_alike(tmp_path: Path) -> None:
    """Threads that take one batch each are done together, in the second epoch too."""
    lengths = np.random.default_rng(5).integers(5, 30, 5_001)
    flat = np.full(lengths.sum(), END, dtype=np.uint32), lengths
    with StoreWriter(tmp_path / "train", "test", 100) as writer:
        writer.add([flat], [flat])
    order = Order(Store.open(tmp_path / "train"), 2_000, 7, 100)
    tokens = np.array([batch.tokens for batch, _ in islice(order.from_position(Position()), 2 * len(order.cut(0)))])
    assert len(tokens) % (2 * TOGETHER) == 0
    assert sorted(np.concatenate(list(order.cut(1))).tolist()) == list(range(5_001))
    for threads in (2, TOGETHER):
        slowest = tokens.reshape(-1, threads).max(axis=1)
        assert tokens.sum() > 0.98 * threads * slowest.sum()


@pytest.mark.parametrize(("longest", "variants"), [(100, 1), (100, 2), (9, 2)])
def test_the_batches_are_those_of_the_plain_version(
    store: Store, monkeypatch: pytest.MonkeyPatch, longest: int, variants: int
) -> None:
    monkeypatch.setattr("mirada.data.order.POOL", 3)  # several pools
    monkeypatch.setattr(f"{__name__}.POOL", 3)
    order = Order(store, 60, 7, longest, variants)
    for epoch in (0, 1, 5):
        assert [rows.tolist() for rows in order.cut(epoch)] == plain_batches(store, 60, 7, epoch, longest, variants)


def test_an_order_holds_little(tmp_path: Path) -> None:
    """Four bytes for each row and as many for the epoch: 80 MB for 10 million pairs."""
    pairs = 50_000
    lengths = np.random.default_rng(5).integers(5, 30, pairs)
    flat = np.full(lengths.sum(), END, dtype=np.uint32), lengths
    with StoreWriter(tmp_path / "train", "test", 100) as writer:
        writer.add([flat], [flat])
    store = Store.open(tmp_path / "train")
    tracemalloc.start()
    order = Order(store, 2_000, 7, 100)
    order.cut(0)
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 10 * pairs
    assert most < 40 * pairs
