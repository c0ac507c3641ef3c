"""A series of a hundred days, hour by hour: a day's season, a week's, a slow rise, and noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np

HOURS = 2_400
NOISE = 0.5


def write(folder: Path) -> None:
    """Write series.csv, with a date and a number in each row."""
    hours = np.arange(HOURS)
    day, week = 2 * np.pi * hours / 24, 2 * np.pi * hours / 168
    values = 10 + 3 * np.sin(day) + 1.5 * np.sin(2 * day + 1) + 2 * np.sin(week) + 0.01 * hours
    values += np.random.default_rng(1).normal(size=HOURS) * NOISE
    dates = np.datetime64("2024-01-01T00:00:00") + hours.astype("timedelta64[h]")
    rows = "".join(f"{str(date).replace('T', ' ')},{value:.3f}\n" for date, value in zip(dates, values, strict=True))
    (folder / "series.csv").write_text(f"date,demand\n{rows}", encoding="utf-8")
