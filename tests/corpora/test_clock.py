"""Clocks: which times make steps that are alike, and which come next."""

from datetime import datetime

import pytest

from mirada.corpora.clock import Clock, clock_of, read_moment

at = datetime.fromisoformat


def moments(*texts: str) -> list[datetime | int]:
    found = [read_moment(text) for text in texts]
    assert None not in found
    return [one for one in found if one is not None]


@pytest.mark.parametrize(
    ("texts", "step", "season", "after"),
    [
        (("2016-07-01 00:00:00", "2016-07-01 01:00:00"), "hour", 24, "2016-07-01 02:00:00"),
        (("2016-07-01 00:00", "2016-07-01 00:15"), "15 minutes", 96, "2016-07-01 00:30:00"),
        (("2020/02/28", "2020/02/29"), "day", 7, "2020-03-01 00:00:00"),
        (("2020-01-06", "2020-01-13"), "week", 52, "2020-01-20 00:00:00"),
        (("1949-01", "1949-02", "1949-03"), "month", 12, "1949-04-01 00:00:00"),
        (("2019-11-30", "2019-12-31", "2020-01-31"), "month", 12, "2020-02-29 00:00:00"),
        (("2020-01-01", "2020-04-01", "2020-07-01"), "3 months", 4, "2020-10-01 00:00:00"),
        (("2020-03-29T00:30:00+01:00", "2020-03-29T03:30:00+02:00"), "2 hours", 12, "2020-03-29 03:30:00"),
        (("1990", "1991", "1992"), "1", 1, "1993"),
    ],
)
def test_steps_are_found_and_gone_on_with(texts: tuple[str, ...], step: str, season: int, after: str) -> None:
    clock = clock_of(moments(*texts))
    assert clock is not None
    assert (clock.step, clock.season, clock.shown(len(texts))) == (step, season, after)
    assert [clock.step_of(one) for one in moments(*texts)] == list(range(len(texts)))


def test_a_time_between_two_steps_is_none() -> None:
    hours = Clock(at("2020-01-01"), seconds=3_600)
    assert hours.step_of(at("2020-01-01 02:30")) == 2.5
    months = Clock(at("2020-01-01"), months=1)
    assert months.step_of(at("2020-03-01")) == 2
    assert months.step_of(at("2020-03-09")) != 2


@pytest.mark.parametrize("text", ["", "soon", "3/4/2020", "1" * 20, "2020-13-01"])
def test_other_text_is_no_time(text: str) -> None:
    assert read_moment(text) is None


def test_time_does_not_run_backwards() -> None:
    assert clock_of(moments("2020-01-02", "2020-01-01")) is None
    assert clock_of(moments("5", "5", "5")) is None
    assert clock_of(moments("2020-01-01", "7")) is None
