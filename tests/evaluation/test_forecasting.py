"""Scores of forecasts, and what they are compared with: goldens that can be computed by hand."""

import numpy as np
import pytest

from mirada.evaluation.baselines import fit_linear, seasonal_naive
from mirada.evaluation.forecasting import Tally


def test_errors_by_hand() -> None:
    tally = Tally((0.1, 0.5, 0.9), 1)
    truth = np.array([[[2.0], [5.0]]])
    tally.add(np.array([[[[1.0, 3.0, 4.0]], [[1.0, 3.0, 4.0]]]]), truth)
    found = tally.score()
    # The outer ones stand for three tenths each, the median for four: 2.7 is the mean.
    assert found.mse == pytest.approx((0.7**2 + 2.3**2) / 2)
    assert (found.mae, found.windows) == (1.5, 1)
    # Of 2: 0.1 · 1, 0.5 · 1, 0.1 · 2; of 5: 0.1 · 4, 0.5 · 2, 0.9 · 1.
    assert found.pinball == pytest.approx((0.1 + 0.5 + 0.2 + 0.4 + 1.0 + 0.9) / 6)
    assert found.below == ((0.1, 0.0), (0.5, 0.5), (0.9, 0.5))
    assert found.band == (0.8, 0.5)


def test_quantiles_of_what_is_skewed_say_its_mean() -> None:
    """Of an exponential distribution the median is 0.69 and the mean 1, which has the least squared error."""
    draws = np.random.default_rng(1).exponential(size=(20_000, 1, 1))
    quantiles = np.arange(0.05, 1, 0.05)
    tally = Tally(quantiles.tolist(), 9)
    tally.add(np.broadcast_to(-np.log(1 - quantiles), (*draws.shape, 19)), draws)
    assert tally.score().mse == pytest.approx(draws.var(), rel=0.01)
    assert tally.score().mae == pytest.approx(np.abs(draws - np.log(2)).mean())


def test_the_mean_alone_has_no_quantiles() -> None:
    tally = Tally((), 0)
    tally.add(np.zeros((3, 2, 5, 1)), np.full((3, 2, 5), 2.0))
    assert tally.score().as_json() == {"mse": 4.0, "mae": 2.0, "windows": 3}


def test_the_last_season_comes_again() -> None:
    values = np.arange(7.0)[:, None]
    assert seasonal_naive(values, np.array([5, 6]), 7, 3)[..., 0].tolist() == [
        [2, 3, 4, 2, 3, 4, 2],
        [3, 4, 5, 3, 4, 5, 3],
    ]


def test_a_line_foretells_what_is_linear() -> None:
    time = np.arange(400.0)
    values = np.stack([np.sin(time / 5), 3 * np.cos(time / 5) + 0.01 * time], 1)
    starts = np.arange(20, 300)
    line = fit_linear(values, starts, 20, 7)
    later = np.arange(310, 390)
    said, came = line(values, later), values[later[:, None] + np.arange(7)]
    assert np.abs(said - came).mean() < 0.05
    assert np.abs(seasonal_naive(values, later, 7, 1) - came).mean() > 0.5


def test_a_line_through_what_stands_still() -> None:
    values = np.full((50, 3), 2.0)
    line = fit_linear(values, np.arange(5, 40), 5, 3)
    np.testing.assert_allclose(line(values, np.array([45])), 2.0)
