"""Shares grow from 0 to 1, and a clock ends with its work."""

import threading
import time

import pytest

from mirada.corpora import telling
from mirada.corpora.telling import EVERY, clock, counted


def test_items_pass_and_their_share_is_told() -> None:
    told: list[float] = []
    total = 3 * EVERY + 7
    assert list(counted(range(total), total, told.append)) == list(range(total))
    assert told == [0.0, EVERY / total, 2 * EVERY / total, 3 * EVERY / total]


def test_a_clock_tells_the_share_of_the_expected_time_and_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "SECONDS", 0.01)
    told: list[float] = []
    before = threading.active_count()
    with clock(0.1, told.append):
        while not told or told[-1] <= 1:
            time.sleep(0.01)
    assert threading.active_count() == before
    assert told == sorted(told)
    assert told[0] > 0


def test_a_clock_ends_when_its_work_fails() -> None:
    before = threading.active_count()
    with pytest.raises(ValueError, match="broken"), clock(1.0, print):
        raise ValueError("broken")
    assert threading.active_count() == before
