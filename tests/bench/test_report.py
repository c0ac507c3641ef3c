import json
from pathlib import Path

import pytest

from beside.report import NONE, Bar, Section, figure, machine, table, write
from beside.rounds import Rounds, Spread


@pytest.mark.parametrize(
    ("kind", "bound", "holds"), [("at least", 2.0, True), ("at least", 2.1, False), ("at most", 2.0, True)]
)
def test_a_bar_holds_at_its_bound(kind: str, bound: float, holds: bool) -> None:
    bar = Bar("speed", 2.0, kind, bound, " ×")
    assert bar.holds is holds
    assert str(bar).startswith("holds: speed: 2 ×, " if holds else "MISSED: speed: 2 ×, ")


def test_a_figure_is_a_median_with_its_spread_in_its_unit() -> None:
    assert figure(Spread(12_345.6, 12_000.0, 13_000.0)) == "12,346 (12,000–13,000)"
    assert figure(Spread(1.5e9, 1.4e9, 1.6e9), ".2f", 1e-9) == "1.50 (1.40–1.60)"
    assert figure(Spread(9.0, 9.0, 9.0)) == "9"
    assert figure(None) == NONE


def test_a_table_is_markdown_and_aligned() -> None:
    lines = table(("who", "speed"), [("mirada", "9"), ("a peer", "10")])
    assert lines == ["| who    | speed |", "| ------ | ----- |", "| mirada | 9     |", "| a peer | 10    |"]


def test_a_section_tells_bars_notes_and_failures() -> None:
    section = Section(
        "Training",
        ("", "speed"),
        [("mirada", "9")],
        bars=[Bar("ratio", 1.9, "at least", 2.0)],
        notes=["a note"],
        rounds=Rounds([], {"eole": "no memory"}),
    )
    told = str(section)
    for words in ("### Training", "| mirada | 9     |", "- MISSED: ratio", "- a note", "- eole failed: no memory"):
        assert words in told


def test_a_section_that_was_not_measured_has_no_table() -> None:
    assert str(Section("Training", (), [], notes=["not measured: no data"])) == (
        "### Training\n\n- not measured: no data\n"
    )


def test_every_answer_is_written(tmp_path: Path) -> None:
    rounds = Rounds([{"mirada": {"speed": 9.0, "engine": "torch"}}])
    section = Section("Training", ("",), [("mirada",)], [Bar("ratio", 2.5, "at least", 2.0)], [], rounds)
    path = tmp_path / "results" / "bench.json"
    write(path, machine(), {"training": section})
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["cores"] >= 1
    assert found["measures"]["training"]["rounds"]["answers"] == [{"mirada": {"speed": 9.0, "engine": "torch"}}]
    assert found["measures"]["training"]["bars"][0]["holds"] is True
