"""Windows over a text: every token once in an epoch, in an order that can be taken up anywhere."""

from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.data.position import Position
from mirada.data.windows import Windows


@given(some.integers(6, 200), some.integers(1, 5), some.integers(1, 40), some.integers(0, 9))
def test_the_windows_of_an_epoch_lie_side_by_side(length: int, context: int, budget: int, epoch: int) -> None:
    windows = Windows(np.arange(length), context, max(budget, context), seed=3)
    starts = np.sort(windows.starts(epoch))
    assert (np.diff(starts) == context).all()
    assert 0 <= starts[0] < context
    assert length - 1 - context < starts[-1] + context <= length - 1


def test_what_is_expected_is_what_stands_next() -> None:
    windows = Windows(np.arange(100, dtype=np.uint16), 7, 21, seed=1)
    for batch, _ in islice(windows.from_position(Position()), 20):
        assert torch.equal(batch.entered.flatten() + 1, batch.expected)
        assert batch.tokens == batch.entered.numel() <= 21


def test_it_can_be_taken_up_at_any_batch() -> None:
    windows = Windows(np.arange(101), 5, 17, seed=2)
    steps = list(islice(windows.from_position(Position()), 25))
    assert {after.epoch for _, after in steps} >= {0, 1, 2}
    for number in (3, 7, 19):
        again = Windows(np.arange(101), 5, 17, seed=2).from_position(steps[number][1])
        batch, after = next(again)
        assert torch.equal(batch.entered, steps[number + 1][0].entered)
        assert after == steps[number + 1][1]


def test_epochs_and_seeds_cut_at_other_places() -> None:
    first, second = (Windows(np.arange(10_000), 64, 640, seed) for seed in (1, 2))
    beginnings = {int(one.starts(epoch).min()) for one in (first, second) for epoch in range(4)}
    assert len(beginnings) > 4
    assert not np.array_equal(first.starts(0), np.sort(first.starts(0)))


def test_too_little_text_or_too_small_a_batch_is_told() -> None:
    with pytest.raises(CorpusError, match=r"has 8 tokens, too few for model\.context = 8.*model\.context=3"):
        Windows(np.arange(8), 8, 100, seed=1)
    with pytest.raises(CorpusError, match=r"batch_tokens = 7 cannot hold a window of model\.context = 8"):
        Windows(np.arange(80), 8, 7, seed=1)


def test_windows_can_be_varied_by_a_chance_that_is_the_epochs_own() -> None:
    def vary(rows: NDArray[np.int64], chances: NDArray[np.float64]) -> NDArray[np.int64]:
        return rows + 1_000 * np.floor(10 * chances).astype(np.int64)[:, None]

    plain = Windows(np.arange(400), 5, 20, seed=2)
    varied = [Windows(np.arange(400), 5, 20, 2, vary) for _ in range(2)]
    drawn = set()
    for number, ((batch, after), (bare, _)) in enumerate(
        islice(zip(varied[0].from_position(Position()), plain.from_position(Position()), strict=True), 45)
    ):
        assert torch.equal(batch.entered % 1_000, bare.entered)  # the same windows
        assert torch.equal(batch.expected, batch.entered.flatten() + 1)  # moved with their row
        drawn |= set((batch.entered // 1_000).flatten().tolist())
        if number == 20:
            following = next(varied[1].from_position(after))[0]
        elif number == 21:
            assert torch.equal(batch.entered, following.entered)  # also when taken up there
    assert drawn == set(range(10))
    assert not np.array_equal(*(varied[0]._drawn(epoch)[1] for epoch in (0, 1)))
