"""Forecasters: from the past of a series to quantiles of what comes.

Legend: B windows, N steps of the past, H steps that come, C channels, Q quantiles; R rows that are read by themselves
(windows, or the channels of each), G channels of a row, P patches, W width.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import ceil

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mirada.attention import Facts, Learned, PositionalInput
from mirada.layers.noise import Noise, drop
from mirada.layers.stack import Stack
from mirada.layers.time_patches import TimePatches
from mirada.models.blocks import make_block, make_cross
from mirada.models.drawn import drawn_from
from mirada.models.forecasting_config import (
    AnyForecastConfig,
    Centre,
    ForecasterConfig,
    ForecastTransformerConfig,
    SeriesShape,
)

LEAST_VARIANCE = 1e-5  # of a window, in units of the training series: one that stands still is not blown up


class ForecastModel(nn.Module, ABC):
    """x ↦ m + s · f((x − m) / s): a window is centred and scaled by itself, and what is said is scaled back.

    So a series may wander off the level that it had in training (Kim et al. 2022). With independent channels, each is
    a window of its own for the same weights (Nie et al. 2023); jointly, a patch holds all of them.
    """

    def __init__(self, config: SeriesShape, horizon: int, channels: int) -> None:
        super().__init__()
        self.config, self.horizon, self.channels = config, horizon, channels
        self.together = channels if config.channels == "joint" else 1
        self.patches = TimePatches(self.together, config.patch, config.stride, config.width)
        self.places = PositionalInput(Learned(config.places), config.width)
        # A line through the window is a good forecast already (Zeng et al. 2023): the stack learns what it lacks.
        self.straight = nn.Linear(config.context, horizon) if config.straight else None
        if self.straight is not None:
            nn.init.zeros_(self.straight.weight)
            nn.init.zeros_(self.straight.bias)

    @torch.no_grad()
    def begin_with_line(self, weights: Float[Tensor, "N H"]) -> None:
        """Begin as the line x̂ = x_N + W (x − x_N), which is the same in every scale that a window may have."""
        if self.straight is not None:
            self.straight.weight.copy_(weights.T)
            self.straight.weight[:, -1] += 1 - weights.sum(0).to(self.straight.weight)

    def forward(self, past: Float[Tensor, "B N C"], noise: Noise | None = None) -> Float[Tensor, "B H C Q"]:
        """The quantiles of each step that comes, as they are in the units of the past; they may still cross."""
        batch = len(past)
        middle, scale = window_scale(past, self.config.centre)
        scaled = (past - middle) / scale
        rows = scaled if self.together > 1 else scaled.transpose(1, 2).reshape(-1, past.shape[1], 1)
        said = self.say(self._read(rows, noise), noise)
        if self.straight is not None:
            said = said + self.straight(rows.transpose(1, 2)).transpose(1, 2)[..., None]
        if self.together == 1:
            said = said.view(batch, self.channels, self.horizon, -1).transpose(1, 2)
        return said * scale[..., None] + middle[..., None]

    @abstractmethod
    def say(self, read: Float[Tensor, "R P W"], noise: Noise | None) -> Float[Tensor, "R H G Q"]:
        """What comes, in the scale of each row, from the patches of its past."""

    def _read(self, rows: Float[Tensor, "R N G"], noise: Noise | None) -> Float[Tensor, "R P W"]:
        return drop(noise, self.places(self.patches(rows)))


def window_scale(past: Float[Tensor, "B N C"], centre: Centre) -> tuple[Float[Tensor, "B 1 C"], Float[Tensor, "B 1 C"]]:
    """What is subtracted from each channel of a window, and what it is divided by."""
    if centre == "none":
        return torch.zeros_like(past[:, :1]), torch.ones_like(past[:, :1])
    middle = past[:, -1:] if centre == "last" else past.mean(1, keepdim=True)
    return middle, (past.var(1, keepdim=True, correction=0) + LEAST_VARIANCE).sqrt()


class CausalForecaster(ForecastModel):
    """A causal stack over the patches; the state of the last one says all steps that come at once."""

    def __init__(self, config: ForecasterConfig, horizon: int, channels: int) -> None:
        super().__init__(config, horizon, channels)
        blocks = [make_block(config, config.stack, None, causal=True) for _ in range(config.stack.layers)]
        self.stack = Stack(blocks, config.norm)
        self.head = small_linear(config.width, horizon * self.together * config.outputs)

    def say(self, read: Float[Tensor, "R P W"], noise: Noise | None) -> Float[Tensor, "R H G Q"]:
        last = self.stack(read, Facts(), noise=noise)[:, -1]
        return self.head(last).view(len(last), self.horizon, self.together, -1)


class ForecastTransformer(ForecastModel):
    """An encoder over the past, and a decoder whose places are the patches of what comes.

    Its places enter as vectors that say where they stand and nothing else; what they say, they find by looking at the
    past, and all of it is said at once.
    """

    def __init__(self, config: ForecastTransformerConfig, horizon: int, channels: int) -> None:
        super().__init__(config, horizon, channels)
        encoder = [make_block(config, config.encoder, None, causal=False) for _ in range(config.encoder.layers)]
        decoder = [
            make_block(config, config.decoder, make_cross(config, config.cross), causal=False)
            for _ in range(config.decoder.layers)
        ]
        self.encoder, self.decoder = Stack(encoder, config.norm), Stack(decoder, config.norm)
        self.asked = nn.Parameter(torch.empty(ceil(horizon / config.patch), config.width))
        nn.init.normal_(self.asked, std=config.width**-0.5)
        self.head = small_linear(config.width, config.patch * self.together * config.outputs)

    def say(self, read: Float[Tensor, "R P W"], noise: Noise | None) -> Float[Tensor, "R H G Q"]:
        past = self.encoder(read, Facts(), noise=noise)
        asked = drop(noise, self.asked.expand(len(read), -1, -1))
        states = self.decoder(asked, Facts(), sources=self.decoder.sources(past, Facts()), noise=noise)
        said = self.head(states).view(len(read), -1, self.together, self.config.outputs)
        return said[:, : self.horizon]


def small_linear(inputs: int, outputs: int) -> nn.Linear:
    """A last map that begins near zero: the first forecast is the middle of the window."""
    made = nn.Linear(inputs, outputs)
    nn.init.normal_(made.weight, std=0.02)
    nn.init.zeros_(made.bias)
    return made


def build_forecaster(config: AnyForecastConfig, horizon: int, channels: int, seed: int | None = None) -> ForecastModel:
    """A fresh forecaster. With a seed, the same numbers on every call."""
    with drawn_from(seed):
        match config:
            case ForecasterConfig():
                return CausalForecaster(config, horizon, channels)
            case ForecastTransformerConfig():
                return ForecastTransformer(config, horizon, channels)
