"""Runs of forecasters: learning what no line can, going on bit for bit, parts by time, and what cannot be done."""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.clock import Clock
from mirada.corpora.pair import CorpusError
from mirada.corpora.series import read_series
from mirada.forecaster import Forecaster
from mirada.models.folder import FolderError
from mirada.training.forecasting_preparing import divide
from mirada.training.preparing import Files
from mirada.training.result import ForecastResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from tests.training.small import run

SETTINGS: Tree = {
    "data": {"horizon": 2},
    "model": {
        "context": 6,
        "patch": 2,
        "stride": 1,
        "width": 16,
        "feed_forward": 32,
        "quantiles": [0.1, 0.5, 0.9],
        "stack": {"layers": 1, "heads": 2},
    },
    "training": {"batch_tokens": 320, "dropout": 0.0, "rate": 0.02, "budget": {"steps": 150}, "save_minutes": 0.001},
}


def write_chaos(path: Path, steps: int = 900) -> Path:
    """x ← 3.7 x (1 − x), twice: each step follows from the last, and no line foretells it."""
    values, now = [], np.array([0.3, 0.6])
    for _ in range(steps):
        now = 3.7 * now * (1 - now)
        values.append(now)
    rows = (f"{number},{10 * one:.9f},{other:.9f}\n" for number, (one, other) in enumerate(values))
    path.write_text("step,a,b\n" + "".join(rows))
    return path


def request(series: Path, output: Path, **changes: object) -> Request:
    return Request(Files((series,)), output, None, merge(SETTINGS, changes), task="forecast")


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_chaos(tmp_path_factory.mktemp("series") / "chaos.csv")


@pytest.fixture(scope="module")
def trained(series: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    outcome, listener = run(request(series, folder))
    assert outcome.finished
    assert isinstance(outcome.result, ForecastResult)
    test = outcome.result.test
    assert test.linear.mse > 0.3, "a line knows little more than the mean, whose error is 1"
    assert test.model.mse < 0.25 * test.linear.mse
    assert test.model.mse < 0.25 * test.naive.mse
    assert any("630 steps to train on, then 90 to look at, then 180 to test with" in said for said in listener.said)
    return folder


def weights_of(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def test_a_stopped_run_goes_on_as_if_it_had_not_been(series: Path, tmp_path: Path) -> None:
    shorter: Tree = {"budget": {"steps": 30}, "dropout": 0.3}
    whole, broken = (request(series, tmp_path / name, training=shorter) for name in ("whole", "broken"))
    assert run(whole)[0].finished
    assert run(broken, stop_at=13)[0].step == 13
    assert run(broken)[0].finished
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "whole")


def test_a_finished_folder_scores_as_its_run_did(series: Path, trained: Path) -> None:
    names = {path.name for path in trained.iterdir()}
    assert {"config.json", "model.safetensors", "linear.safetensors", "card.md", "curves.png"} <= names
    assert "| seasonal naive |" in (trained / "card.md").read_text()
    forecaster = Forecaster.load(trained)
    scores, which = forecaster.score(forecaster.read(series))
    recorded = forecaster.loaded.config.scores
    assert which == "the test part of the series that it learnt from"
    assert scores.model.windows == 179
    assert scores.model.mse == pytest.approx(recorded["mse"].score)
    assert scores.linear.mse == pytest.approx(recorded["linear_mse"].score)


def test_a_forecast_has_the_units_of_its_series(series: Path, trained: Path) -> None:
    forecaster = Forecaster.load(trained)
    found = forecaster.forecast(read_series(series, ("a", "b")), back=2)
    assert (found.times, found.said.shape, found.truth.shape) == (("898", "899"), (2, 2, 3), (2, 2))
    assert np.abs(found.point[:, 0] - found.truth[:, 0]).max() < 3
    assert np.abs(found.point[:, 1] - found.truth[:, 1]).max() < 0.3
    assert (np.diff(found.said, axis=-1) >= 0).all()
    assert len(forecaster.forecast(read_series(series, ("a", "b"))).truth) == 0


@pytest.mark.parametrize("changes", [{"kind": "forecast_transformer"}, {"channels": "joint", "quantiles": []}])
def test_every_kind_learns(series: Path, tmp_path: Path, changes: Tree) -> None:
    kept = {name: value for name, value in SETTINGS["model"].items() if name != "stack"}  # type: ignore[attr-defined]
    training: Tree = {"training": {"budget": {"steps": 70}}}
    settings = merge({**SETTINGS, "model": {**kept, **changes}}, training)
    outcome, _ = run(Request(Files((series,)), tmp_path / "model", "tiny", settings, task="forecast"))
    assert isinstance(outcome.result, ForecastResult)
    assert outcome.result.test.model.mse < 0.7 * outcome.result.test.linear.mse


def test_parts_follow_each_other_in_time() -> None:
    hours = Clock(datetime.fromisoformat("2016-07-01"), seconds=3_600)
    assert divide(17_420, "ett", hours) == (8_640, 11_520, 14_400)
    assert divide(10, (0.7, 0.1, 0.2), hours) == (7, 8, 10)
    assert divide(10, (5.0, 2.0, 2.0), hours) == (5, 7, 9)
    with pytest.raises(CorpusError, match="asks for 14,400 steps, but the series has 100"):
        divide(100, "ett", hours)
    with pytest.raises(CorpusError, match="for steps of hours or minutes"):
        divide(100, "ett", Clock(0, numbers=1))


def test_what_cannot_be_done_is_told(series: Path, trained: Path, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"data\.horizon: 2 before, 3 now"):
        run(request(series, trained, data={"horizon": 3}))
    with pytest.raises(CorpusError, match="fewer than a window"):
        run(request(series, tmp_path / "long", model={"context": 800}))
    with pytest.raises(CorpusError, match="the development part has 90 steps, fewer than"):
        run(request(series, tmp_path / "far", data={"horizon": 91}))
    with pytest.raises(ConfigError, match="learns from one series"):
        run(Request(Files((series, series)), tmp_path / "two", None, SETTINGS, task="forecast"))
    with pytest.raises(ConfigError, match="--start is not for forecasters"):
        run(Request(Files((series,)), tmp_path / "start", None, SETTINGS, start=trained, task="forecast"))
    with pytest.raises(ConfigError, match=r"data\.split .* mixes shares and steps"):
        run(request(series, tmp_path / "split", data={"split": [0.5, 100, 100]}))
    with pytest.raises(ConfigError, match="--preset gpt is no size of a forecaster"):
        run(Request(Files((series,)), tmp_path / "preset", "gpt", SETTINGS, task="forecast"))
