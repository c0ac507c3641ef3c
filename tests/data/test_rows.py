"""Rows of sentences: nothing is lost, none is too long, segments come from where they say, and all can be had again."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store, StoreWriter
from mirada.data.position import Position
from mirada.data.rows import ALONE, Gathered, Lines, RowBatches, held_out
from mirada.text.subwords import BEGIN, END, PADDING

LONGEST = 17


def store_of(folder: Path, documents: list[list[int]]) -> Store:
    """Documents of sentences of these lengths; every token but the end marks is its own number."""
    lengths = np.array([length for document in documents for length in [*document, 0]], dtype=np.int64)
    ids = np.arange(int(lengths.sum()), dtype=np.uint32) + 10
    ids[np.cumsum(lengths[lengths > 0]) - 1] = END
    nothing = np.zeros(0, dtype=np.uint32), np.zeros(len(lengths), dtype=np.int64)
    with StoreWriter(folder, "x", 100_000) as writer:
        writer.add([(ids, lengths)], [nothing])
    return Store.open(folder)


documents = some.lists(some.lists(some.integers(2, LONGEST - 1), min_size=1, max_size=9), min_size=1, max_size=9)


@settings(max_examples=25)
@given(documents, some.integers(0, 3))
def test_rows_without_pairs_read_every_token_once(
    tmp_path_factory: pytest.TempPathFactory, given: list[list[int]], epoch: int
) -> None:
    store = store_of(tmp_path_factory.mktemp("x") / "store", given)
    lines = Lines(store, LONGEST)
    rows = lines.lay(5, epoch, pairs=False)
    assert rows.places.max() <= LONGEST
    assert (rows.follows == ALONE).all()
    read = [lines.gather(rows, np.array([row])).ids[0, 1:] for row in range(len(rows))]
    assert np.array_equal(np.concatenate(read), store.stream("source"))


@settings(max_examples=25)
@given(documents, some.integers(0, 3))
def test_pairs_are_what_they_are_said_to_be(
    tmp_path_factory: pytest.TempPathFactory, given: list[list[int]], epoch: int
) -> None:
    store = store_of(tmp_path_factory.mktemp("x") / "store", given)
    lines = Lines(store, LONGEST)
    rows = lines.lay(5, epoch, pairs=True)
    stream = store.stream("source")
    firsts = []
    for row in range(len(rows)):
        found = lines.gather(rows, np.array([row]))
        length = int(found.lengths[0])
        assert length <= LONGEST
        assert found.ids[0, 0] == BEGIN
        first, second = (found.ids[0, 1:length][found.segments[0, 1:length] == part] for part in (0, 1))
        start = int(rows.starts[row])
        assert np.array_equal(first, stream[start : start + len(first)])
        assert (len(second) == 0) == (found.follows[0] == ALONE)
        after = stream[start + len(first) : start + len(first) + len(second)]
        if found.follows[0] != ALONE:
            assert np.array_equal(second, after) == bool(found.follows[0])
            assert first[-1] == END
        firsts.append(first if found.follows[0] == 0 else np.concatenate([first, second]))
    assert np.array_equal(np.concatenate(firsts), stream), "what was replaced begins the next row"


def text(tmp_path: Path) -> Lines:
    chance = np.random.default_rng(3)
    sizes = [chance.integers(2, 9, chance.integers(1, 12)).tolist() for _ in range(60)]
    return Lines(store_of(tmp_path / "store", sizes), LONGEST)


def test_half_of_the_pairs_are_real_and_epochs_differ(tmp_path: Path) -> None:
    lines = text(tmp_path)
    told = np.concatenate([lines.lay(1, epoch, pairs=True).follows for epoch in range(20)])
    told = told[told != ALONE]
    assert 0.45 < told.mean() < 0.55
    assert not np.array_equal(lines.lay(1, 0, pairs=False).names, lines.lay(1, 1, pairs=False).names)


def same(one: Gathered, other: Gathered) -> bool:
    return np.array_equal(one.ids, other.ids) and np.array_equal(one.names, other.names)


def test_batches_can_be_taken_up_anywhere_and_hold_every_row_once(tmp_path: Path) -> None:
    lines = text(tmp_path)
    batches = RowBatches(lines, 64, 7, lambda found, epoch: found, pairs=True)  # type: ignore[type-var]
    count = batches.batches_in(0) + 2
    whole = list(islice(batches.from_position(Position()), count))
    again = RowBatches(lines, 64, 7, lambda found, epoch: found, pairs=True)  # type: ignore[type-var]
    taken_up = next(iter(again.from_position(whole[4][1])))
    assert same(taken_up[0], whole[5][0])
    epoch = [batch for batch, after in whole[: batches.batches_in(0)]]
    assert whole[batches.batches_in(0) - 1][1] == Position(1)
    assert all(batch.ids.size <= 64 for batch in epoch)
    names = np.concatenate([batch.names for batch in epoch])
    assert np.array_equal(np.sort(names), lines.lay(7, 0, pairs=True).names)
    for batch in epoch:
        assert (batch.ids[np.arange(batch.ids.shape[1]) >= batch.lengths[:, None]] == PADDING).all()


def test_what_is_looked_at_is_always_the_same(tmp_path: Path) -> None:
    lines = text(tmp_path)
    first, second = (held_out(lines, 10_000, 64, pairs=False) for _ in range(2))
    assert all(same(one, other) for one, other in zip(first, second, strict=True))
    assert sum(int(one.lengths.sum() - len(one.lengths)) for one in first) == lines.tokens
    few = held_out(lines, lines.tokens // 4, 64, pairs=False)
    assert 0 < sum(int(one.lengths.sum()) for one in few) < lines.tokens / 2


def test_long_sentences_are_cut_and_told(tmp_path: Path) -> None:
    lines = Lines(store_of(tmp_path / "store", [[40, 3]]), LONGEST)
    batches = RowBatches(lines, 64, 7, lambda found, epoch: found)  # type: ignore[type-var]
    assert batches.remarks == ["1 sentences have more than 16 tokens; their beginnings are read."]
    assert lines.lay(1, 0, pairs=False).places.tolist() == [LONGEST, 4]
    with pytest.raises(CorpusError, match=r"training\.batch_tokens = 16 cannot hold a row of data\.longest = 17"):
        RowBatches(lines, 16, 7, lambda found, epoch: found)  # type: ignore[type-var]
    with pytest.raises(CorpusError, match="no sentence to read"):
        Lines(store_of(tmp_path / "empty", [[]]), LONGEST)
