import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beside.rounds import Answer, Rounds, Side, SideError, Spread, alternate, fastest


@dataclass(frozen=True)
class Pretended(Side):
    """A side that answers by a function, in this process."""

    by: Callable[[str, int], Answer] = lambda name, number: {}

    def answer(self, number: int) -> Answer:
        return self.by(self.name, number)


def sides(names: str, by: Callable[[str, int], Answer]) -> list[Side]:
    return [Pretended(name, Path(sys.executable), "unused.py", {}, by=by) for name in names]


def script(folder: Path, text: str, patience: float = 60.0) -> Side:
    path = folder / "side.py"
    path.write_text(text)
    return Side("one", Path(sys.executable), str(path), {"wanted": 2}, patience)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_a_median_lies_between_the_least_and_the_most(values: list[float]) -> None:
    spread = Spread.of(values)
    assert spread.low <= spread.median <= spread.high
    assert spread.low in values
    assert spread.high in values


def test_sides_take_turns_and_every_second_round_is_reversed() -> None:
    seen: list[tuple[str, int]] = []

    def answer(name: str, number: int) -> Answer:
        seen.append((name, number))
        return {"speed": 1.0}

    alternate(sides("abc", answer), 3)
    assert "".join(name for name, _ in seen) == "abccbaabc"
    assert [number for _, number in seen] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_ratio_is_that_of_neighbours_and_not_of_medians() -> None:
    # The machine is ten times slower in the second round: within each round the first side is twice as fast.
    speeds = {"a": [20.0, 2.0, 22.0], "b": [10.0, 1.0, 11.0]}
    rounds = alternate(sides("ab", lambda name, number: {"speed": speeds[name][number]}), 3)
    assert rounds.ratio(("a", "speed"), ("b", "speed")) == Spread(2.0, 2.0, 2.0)
    assert rounds.spread("b", "speed") == Spread(10.0, 1.0, 11.0)


def test_a_side_that_fails_is_told_and_left_out_while_the_others_go_on() -> None:
    def answer(name: str, number: int) -> Answer:
        if name == "b" and number == 1:
            raise SideError("out of memory")
        return {"speed": 3.0 + number}

    rounds = alternate(sides("ab", answer), 4)
    assert rounds.failures == {"b": "out of memory"}
    assert rounds.values("a", "speed") == [3.0, 4.0, 5.0, 6.0]
    assert rounds.values("b", "speed") == [3.0]
    assert rounds.ratio(("a", "speed"), ("b", "speed")) == Spread(1.0, 1.0, 1.0)


def test_there_is_no_figure_of_those_who_never_answered() -> None:
    rounds = Rounds([{"a": {"speed": 1.0}}])
    assert rounds.spread("b", "speed") is None
    assert rounds.spread("a", "memory") is None
    assert rounds.ratio(("a", "speed"), ("b", "speed")) is None
    assert rounds.best(["b", "c"], "speed") is None


def test_the_best_has_the_greatest_median() -> None:
    answers = [{"a": {"speed": a}, "b": {"speed": b}} for a, b in ((1.0, 2.0), (9.0, 2.0), (1.0, 2.0))]
    assert Rounds(answers).best(["a", "b"], "speed") == "b"


def test_a_trial_finds_the_fastest_and_says_how_fast_all_were() -> None:
    best, told = fastest(sides("ab", lambda name, _: {"speed": 1_000.0 + (name == "b")}), "speed")
    assert best.name == "b"
    assert told == "a 1,000, b 1,001"


def test_a_trial_where_nobody_answers_leaves_the_first() -> None:
    def answer(name: str, number: int) -> Answer:
        raise SideError("no")

    assert fastest(sides("ab", answer), "speed")[0].name == "a"


def test_a_side_is_told_its_round_and_its_last_line_is_the_answer(tmp_path: Path) -> None:
    one = script(tmp_path, "import sys; print('some words'); print(sys.argv[1])")
    assert one.answer(3) == {"wanted": 2, "round": 3}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import sys; sys.exit('this went wrong')", "status 1: this went wrong"),
        ("print('no answer')", "no JSON: no answer"),
        ("pass", "nothing was said"),
        ("import time; time.sleep(60)", "no answer in 0 seconds"),
    ],
)
def test_a_side_without_an_answer_says_why(tmp_path: Path, text: str, told: str) -> None:
    one = script(tmp_path, text, patience=0.3 if "sleep" in text else 60.0)
    with pytest.raises(SideError, match=told):
        one.answer(0)


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SideError, match="python cannot be run"):
        Side("one", tmp_path / "python", "side.py", {}).answer(0)
