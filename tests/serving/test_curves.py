"""The curves of a training, from what it has written so far."""

import json
from pathlib import Path

from mirada.serving.curves import POINTS, read_curves, thinned
from mirada.serving.messages import Point


def write(folder: Path, lines: list[object], torn: str = "") -> None:
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + torn)


def test_a_run_that_goes_on(tmp_path: Path) -> None:
    lines = [
        {"step": 10, "kind": "training", "loss": 5.0, "seconds": 1.0, "tokens": 100},
        {"step": 20, "kind": "training", "loss": float("nan")},
        {"step": 20, "kind": "validation", "loss": 4.0, "chrf": 12.5, "bleu": 1.25, "seconds": 2.0},
        {"step": "30", "kind": "training", "loss": 3.0},
        ["no object"],
    ]
    write(tmp_path, lines, torn='{"step": 40, "kind": "trai')
    (tmp_path / "training.json").write_text('{"status": "running"}')
    found = read_curves(tmp_path)
    assert (found.name, found.status) == (tmp_path.name, "running")
    assert [(one.step, one.value) for one in found.training] == [(10, 5.0)]
    assert [(one.step, one.value) for one in found.development] == [(20, 4.0)]
    assert {name: [one.value for one in points] for name, points in found.scores.items()} == {
        "bleu": [1.25],
        "chrf": [12.5],
    }


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    found = read_curves(tmp_path)
    assert (found.status, found.training, found.scores) == ("unknown", [], {})
    (tmp_path / "training.json").write_text("[]")
    assert read_curves(tmp_path).status == "unknown"


def test_long_curves_are_thinned() -> None:
    points = [Point(step=step, value=float(step)) for step in range(7 * POINTS + 3)]
    found = thinned(points)
    assert len(found) <= POINTS
    assert found[-1] == points[-1]
    steps = [one.step for one in found]
    assert steps == sorted(set(steps))
    assert all(abs(one.value - one.step) <= 8 for one in found)
    assert thinned(points[:5]) == points[:5]
