"""Forecasters: laws of their scales and channels, and the line that they begin with."""

import numpy as np
import pytest
import torch

from mirada.evaluation.baselines import Linear
from mirada.models.forecasting import build_forecaster, window_scale
from mirada.models.forecasting_config import (
    AnyForecastConfig,
    ForecasterConfig,
    ForecastTransformerConfig,
    SeriesShape,
)
from mirada.tasks.forecasting import forecast_loss

SMALL = {"context": 11, "patch": 4, "stride": 3, "width": 8, "feed_forward": 12}
KINDS = [ForecasterConfig, ForecastTransformerConfig]


def past(batch: int = 3, channels: int = 2) -> torch.Tensor:
    return torch.randn(batch, 11, channels, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("channels", ["independent", "joint"])
def test_what_is_said_has_its_shape(kind: type[AnyForecastConfig], channels: str) -> None:
    model = build_forecaster(kind(channels=channels, quantiles=(0.25, 0.5, 0.75), **SMALL), 7, 2, seed=1)
    assert model(past()).shape == (3, 7, 2, 3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("centre", ["mean", "last"])
def test_another_level_and_scale_are_those_of_the_forecast(kind: type[AnyForecastConfig], centre: str) -> None:
    model = build_forecaster(kind(centre=centre, **SMALL), 7, 2, seed=1).double()
    entered = past().double()
    moved = model(entered * 30 + 100)
    torch.testing.assert_close(moved, model(entered) * 30 + 100, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_independent_channels_do_not_see_each_other(kind: type[AnyForecastConfig]) -> None:
    entered, changed = past(), past()
    changed[..., 1] = 0.5
    alone = build_forecaster(kind(**SMALL), 7, 2, seed=1)
    torch.testing.assert_close(alone(entered)[:, :, 0], alone(changed)[:, :, 0])
    torch.testing.assert_close(alone(entered.flip(2)), alone(entered).flip(2))
    joint = build_forecaster(kind(channels="joint", **SMALL), 7, 2, seed=1)
    assert not torch.allclose(joint(entered)[:, :, 0], joint(changed)[:, :, 0])


@pytest.mark.parametrize("channels", ["independent", "joint"])
def test_a_model_begins_as_the_line(channels: str) -> None:
    model = build_forecaster(ForecasterConfig(channels=channels, **SMALL), 7, 2, seed=1).double()
    weights = np.random.default_rng(3).normal(size=(11, 7)) / 11
    model.begin_with_line(torch.from_numpy(weights))
    torch.nn.init.zeros_(model.head.weight)
    entered = past().double()
    expected = np.stack([Linear(weights)(one.numpy(), np.array([11]))[0] for one in entered])
    for said in model(entered).detach().unbind(-1):
        np.testing.assert_allclose(said.numpy(), expected, atol=1e-9)


def test_a_window_that_stands_still_is_said_to_go_on() -> None:
    model = build_forecaster(ForecasterConfig(straight=False, **SMALL), 7, 2, seed=1)
    said = model(torch.full((1, 11, 2), 4.0))
    assert (said - 4).abs().max() < 0.1
    middle, scale = window_scale(torch.full((1, 11, 2), 4.0), "none")
    assert (middle.tolist(), scale.tolist()) == ([[[0, 0]]], [[[1, 1]]])


def test_the_pinball_loss_by_hand() -> None:
    said = torch.tensor([[[[1.0, 3.0]]]])
    assert forecast_loss(said, torch.tensor([[[2.0]]]), torch.tensor([0.2, 0.5])) == pytest.approx((0.2 + 0.5) / 2)
    assert forecast_loss(said[..., :1], torch.tensor([[[4.0]]]), torch.tensor([])) == 9


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"quantiles": (0.1, 0.9)}, "0.5 among them"),
        ({"quantiles": (0.5, 0.2)}, "rising numbers"),
        ({"quantiles": (0.5, 1.0)}, "between 0 and 1"),
        ({"patch": 500}, "is longer than"),
        ({"patch": 4, "stride": 9}, "leaves out steps"),
        ({"width": 30, "stack": {"heads": 4}}, "does not divide"),
    ],
)
def test_a_config_that_cannot_be_is_told(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ForecasterConfig.model_validate(changes)


def test_the_places_are_counted() -> None:
    shape: SeriesShape = ForecasterConfig(**SMALL)
    assert (shape.places, shape.outputs, shape.middle) == (4, 9, 4)
    assert ForecasterConfig(quantiles=()).outputs == 1
