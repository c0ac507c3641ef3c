"""Forecasters on the command line: train, evaluate, predict as a table and as a picture, and every wrong turn."""

import csv
import json
import math
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app

SMALL = [
    "--set=data.horizon=4",
    "--set=model.context=24",
    "--set=model.patch=8",
    "--set=model.stride=8",
    "--set=training.batch_tokens=96",
    "--set=training.rate=0.003",
]


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("series") / "tides.csv"
    rows = []
    for number in range(400):
        high = 3 + math.sin(number / 4) + 0.3 * math.sin(number / 1.7)
        rows.append(f"2024-01-{1 + number // 24:02d} {number % 24:02d}:00:00,{high:.4f},{100 - 7 * high:.4f},calm\n")
    rows[9] = rows[9].replace(rows[9].split(",")[1], "")
    path.write_text("date,high,low,wind\n" + "".join(rows))
    return path


@pytest.fixture(scope="module")
def model(series: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "tides"
    words = ("train", "--task", "forecast", series, "--output", folder, "--preset", "tiny", "--steps", 40)
    result = mirada(*words, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["step"]) == (True, 40)
    assert 0 < told["test"]["mse"] < told["test"]["seasonal_naive"]["mse"]
    assert "Column wind is left out: 100% of it are no numbers." in result.stderr
    assert "1 of 800 numbers are missing" in result.stderr
    assert "Test part: linear" in result.stderr
    assert "mirada predict" in result.stderr
    assert json.loads(mirada(*words, *SMALL, "--json").stdout)["test"] == told["test"]
    return folder


def test_a_series_is_scored_beside_simpler_ways(model: Path, series: Path, tmp_path: Path) -> None:
    told = json.loads(mirada("evaluate", model, "--input", series, "--json").stdout)
    assert told["scored"] == "the test part of the series that it learnt from"
    assert told["windows"] == 80 - 4 + 1
    assert set(told["below"]) == {f"0.{digit}" for digit in range(1, 10)}
    lines = mirada("evaluate", model, "--input", series).stdout
    assert "seasonal naive" in lines
    assert "Between the outer two lie" in lines
    longer = tmp_path / "longer.csv"
    longer.write_text(series.read_text() + "2024-01-17 16:00:00,3,80,calm\n")
    assert json.loads(mirada("evaluate", model, "--input", longer, "--json").stdout)["scored"].startswith(
        "the part after"
    )


def test_what_comes_is_a_table(model: Path, series: Path, tmp_path: Path) -> None:
    place = tmp_path / "forecast.csv"
    assert mirada("predict", model, "--input", series, "--output", place).exit_code == 0
    rows = list(csv.DictReader(place.read_text().splitlines()))
    assert [row["date"] for row in rows] == [f"2024-01-17 {hour}:00:00" for hour in (16, 17, 18, 19)]
    assert list(rows[0])[:3] == ["date", "high", "high q0.1"]
    assert all(1 < float(row["high"]) < 5 and 60 < float(row["low"]) < 90 for row in rows)
    assert all(row["high"] == row["high q0.5"] for row in rows)
    assert mirada("predict", model, "--input", series).stdout == place.read_text()


def test_what_came_stands_beside_it(model: Path, series: Path) -> None:
    told = json.loads(mirada("predict", model, "--input", series, "--back", 3, "--json").stdout)
    assert told["times"][0] == "2024-01-17 13:00:00"
    assert len(told["channels"]["high"]["truth"]) == 3
    assert (
        max(abs(a - b) for a, b in zip(*(told["channels"]["high"][k][:3] for k in ("forecast", "truth")), strict=True))
        < 1
    )


@pytest.mark.parametrize(("name", "begins"), [("forecast.png", b"\x89PNG"), ("forecast.svg", b"<?xml")])
def test_a_forecast_is_drawn(model: Path, series: Path, tmp_path: Path, name: str, begins: bytes) -> None:
    words = ("predict", model, "--input", series, "--back", 4, "--output", tmp_path / name)
    assert mirada(*words, "--channels", "high").exit_code == 0
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert "is no channel of this model" in mirada(*words, "--channels", "wind").stderr


def test_info_tells_what_it_is(model: Path) -> None:
    lines = mirada("info", model).stdout
    assert "forecaster: 1 layers, width 16" in lines
    assert "2 channels in steps of one hour: 280 steps trained on, 40 looked at, 80 to test with" in lines
    assert "test: linear_mse" in lines
    told = json.loads(mirada("info", model, "--json").stdout)
    assert (told["task"], told["training"]["status"], told["data"]["season"]) == ("forecast", "finished", 24)


def test_wrong_turns_are_told(model: Path, series: Path, tmp_path: Path) -> None:
    assert "--input is missing" in mirada("predict", model).stderr
    days = tmp_path / "days.csv"
    days.write_text("date,high,low\n" + "".join(f"2024-01-{day:02d},1,2\n" for day in range(1, 31)))
    assert "has steps of one day" in mirada("predict", model, "--input", days).stderr
    short = tmp_path / "short.csv"
    short.write_text("".join(series.read_text().splitlines(keepends=True)[:20]))
    assert "and the model reads 24" in mirada("predict", model, "--input", short).stderr
    result = mirada("train", "--task", "forecast", series, "-o", tmp_path / "m", "--set", "model.patches=3")
    assert "model.patches is not known; did you mean model.patch?" in result.stderr
    assert (
        "does not serve --task forecast"
        in mirada("train", "--task", "forecast", series, "-o", tmp_path / "m", "--model", "ngram").stderr
    )
