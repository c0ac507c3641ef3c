"""The pace: a run of minutes is fitted to them at its first validation, and then settled."""

import pytest

from mirada.training import record
from mirada.training.budget import Budget, by_time
from mirada.training.checkpoint import Progress
from mirada.training.pace import Pace
from mirada.training.session import Session
from tests.training.small import request, run, write_corpus
from tests.training.test_resume import weights_of

ASKED = Budget(steps=1_000, validations=10, epochs=5.0, why="as measured", spent=20.0, settled=False)


def at(step: int, seconds: float) -> Progress:
    return Progress(step=step, seconds=seconds, tokens=1_000 * step)


def settled(progress: Progress, start: Progress | None = None, held_out: tuple[float, float] = (0.0, 0.0)) -> Budget:
    return Pace(2.0, held_out, start or Progress()).settle(ASKED, progress)


def test_a_run_that_will_end_in_time_is_left_alone() -> None:
    assert settled(at(100, 10.0)) == ASKED.model_copy(update={"settled": True})
    assert settled(at(100, 10.9)).steps == 1_000, "a little slower"


def test_a_machine_that_was_busy_makes_more_steps_and_one_that_is_makes_fewer() -> None:
    faster, slower = settled(at(100, 5.0)), settled(at(100, 20.0))
    assert faster.steps == 100 + (120 - 20 - 5) / 0.05
    assert faster.epochs == pytest.approx(5.0 * faster.steps / 1_000)
    assert slower.steps == 100 + (120 - 20 - 20) / 0.2
    assert "50 ms a step, measured at step 100" in faster.why
    assert settled(at(900, 500.0)).steps == 901, "the time is over"


def test_the_end_takes_time_too() -> None:
    # A token takes 0.2 ms: two looks of 10,000 tokens and a test of 100,000.
    assert settled(at(100, 20.0), held_out=(10_000.0, 100_000.0)).steps == 100 + (120 - 20 - 20 - 24) / 0.2


def test_a_run_that_goes_on_measures_its_own_steps() -> None:
    assert settled(at(100, 60.0), start=at(50, 59.0)).steps == 100 + (120 - 20 - 60) / 0.02


def test_minutes_are_not_settled_at_first() -> None:
    assert not by_time(10.0, 3.0, (0.5, 2_000.0), 100.0, 20, (0.0, 0.0)).settled


def test_a_wrong_measure_is_made_good_once_and_kept_when_the_run_goes_on(tmp_path, monkeypatch) -> None:
    first = ASKED.model_copy(update={"steps": 60, "validations": 2})
    monkeypatch.setattr(Session, "_within", lambda *_: first)
    monkeypatch.setattr(Pace, "settle", lambda _, budget, __: budget.model_copy(update={"settled": True, "steps": 83}))
    corpus = write_corpus(tmp_path)
    unbroken, broken = (
        request(corpus, tmp_path / name, training={"budget": {"steps": None, "minutes": 0.1}})
        for name in ("unbroken", "broken")
    )
    outcome, listener = run(unbroken)
    assert outcome.total == outcome.step == 83
    assert any("83 steps fit into the time" in said for said in listener.said)
    assert run(broken, stop_at=60)[0].total == 83
    monkeypatch.setattr(Pace, "settle", lambda *_: pytest.fail("the length was settled before"))
    assert run(broken)[0].step == 83
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "unbroken")
    kept = record.read(tmp_path / "broken")
    assert kept is not None
    assert (kept.budget.steps, kept.budget.settled) == (83, True)
