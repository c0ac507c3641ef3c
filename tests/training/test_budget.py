"""Budgets: steps, epochs and minutes become a number of steps, and the defaults follow from it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.training.budget import LAST_VALIDATIONS, asked, by_count, by_time
from mirada.training.config import BudgetConfig, TrainingConfig
from mirada.training.defaults import SAMPLED_AFTER, default_dropout, default_rate, default_warmup


def test_steps_and_epochs_are_counted() -> None:
    assert by_count(BudgetConfig(steps=70), 35.0, 1_000, 20).epochs == 2
    assert by_count(BudgetConfig(epochs=1.5), 100.0, 1_000, 20).steps == 150
    assert by_count(BudgetConfig(), 100.0, 1_000_000, 20).why.startswith("30 epochs suit")


def test_one_budget_at_a_time() -> None:
    assert asked(BudgetConfig()) is None
    assert asked(BudgetConfig(minutes=3)) == "minutes"
    with pytest.raises(ValueError, match="steps and minutes; use one"):
        asked(BudgetConfig(steps=1, minutes=3))


def test_minutes_leave_room_for_all_that_is_no_step() -> None:
    whole = by_time(10.0, 0.0, (0.5, 2_000.0), 100.0, 20, (0.0, 0.0))
    assert whole.steps == 1_200
    less = by_time(10.0, 60.0, (0.5, 2_000.0), 100.0, 20, (16_000.0, 200_000.0))
    look, test = 16_000 / 4_000, 200_000 / 4_000
    assert less.steps == int((600 - 60 - test - LAST_VALIDATIONS * look - less.validations * look) / 0.5)
    assert less.validations == 12, "8 % of the time"
    slow = by_time(1.0, 0.0, (0.5, 2_000.0), 100.0, 20, (16_000.0, 0.0))
    assert slow.validations == 3, "looking may not eat the time"


def test_too_little_time_is_told_with_what_would_do() -> None:
    with pytest.raises(ValueError, match="--minutes 1 is too short"):
        by_time(1.0, 70.0, (0.5, 2_000.0), 100.0, 20, (0.0, 0.0))


@given(st.floats(0, 5_000), st.floats(0.01, 4), st.floats(100, 200_000), st.floats(0, 500_000))
@settings(max_examples=200)
def test_the_minutes_that_are_told_are_enough(spent: float, seconds: float, look: float, test: float) -> None:
    """Slow looks at held-out text count as well: on a busy machine they are most of the time."""
    slow = (spent, (seconds, 1_300.0), 900.0, 20, (look, test))
    with pytest.raises(ValueError, match="is too short") as told:
        by_time(spent / 60, *slow)
    found = re.search(r"use --minutes (\d+) or more", str(told.value))
    assert found is not None
    assert by_time(float(found[1]), *slow).steps >= 1


def test_short_runs_are_not_looked_at_after_every_step() -> None:
    assert by_count(BudgetConfig(steps=40), 10.0, 1_000, 20).validations == 1
    assert by_count(BudgetConfig(steps=5_000), 10.0, 1_000, 20).validations == 20


def test_defaults_follow_the_passes_and_the_width() -> None:
    rates = [default_dropout(epochs) for epochs in (1.0, 10.0, 20.0, 100.0)]
    assert rates == sorted(rates)
    assert rates[0] == 0
    assert 5.0 < SAMPLED_AFTER < 40.0
    assert default_rate(128) > default_rate(512)
    assert default_warmup(TrainingConfig(), 1_000) == 80
    assert default_warmup(TrainingConfig(schedule="noam"), 1_000) == 300
