"""Windows of a series: each once in an epoch, none beyond its part, and taken up anywhere."""

from itertools import islice

import pytest
import torch

from mirada.corpora.pair import CorpusError
from mirada.data.position import Position
from mirada.data.series_windows import SeriesWindows, starts_in

VALUES = torch.arange(29.0)[:, None].repeat(1, 2)


def test_a_window_foretells_its_part_alone() -> None:
    assert starts_in(10, 17, 5, 3).tolist() == [10, 11, 12, 13, 14]
    assert starts_in(0, 9, 5, 3).tolist() == [5, 6]
    assert starts_in(0, 7, 5, 3).tolist() == []


def test_an_epoch_shows_each_window_once() -> None:
    windows = SeriesWindows(VALUES, 5, 3, 4, 28, 1)
    epoch = [batch for batch, _ in islice(windows.from_position(Position()), windows.batches_in(0))]
    firsts = torch.cat([batch.expected[:, 0, 0] for batch in epoch])
    assert sorted(firsts.tolist()) == list(range(5, 27))
    assert firsts.tolist() != sorted(firsts.tolist())
    for batch in epoch:
        assert torch.equal(batch.past[:, -1, 0] + 1, batch.expected[:, 0, 0])
        assert batch.expected.max() <= 28
    assert sum(batch.tokens for batch in epoch) == windows.tokens == 22 * 4


def test_batches_are_taken_up_anywhere() -> None:
    windows = SeriesWindows(VALUES, 5, 3, 4, 28, 1)
    all_of_them = list(islice(windows.from_position(Position()), 9))
    position = all_of_them[4][1]
    again = list(islice(SeriesWindows(VALUES, 5, 3, 4, 28, 1).from_position(position), 4))
    for (one, after), (other, after_too) in zip(all_of_them[5:], again, strict=True):
        assert torch.equal(one.past, other.past)
        assert after == after_too


def test_what_does_not_fit_is_told() -> None:
    with pytest.raises(CorpusError, match=r"fewer than one window .* use --set model\.context=13"):
        SeriesWindows(VALUES, 28, 3, 4, 28, 1)
    with pytest.raises(CorpusError, match=r"batch_tokens = 3 cannot hold a window of 4 patches"):
        SeriesWindows(VALUES, 5, 3, 4, 3, 1)
