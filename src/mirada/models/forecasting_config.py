"""What forecasters are made of: stacks over patches of time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.layers.time_patches import patches_in
from mirada.models.config import WIDEST, LookConfig, Shape, StackConfig, by_kind, check_heads, size_of_two_stacks

Channels = Literal["independent", "joint"]
Centre = Literal["last", "mean", "none"]
LONGEST = 100_000  # steps of the past or of what comes
DECILES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class SeriesShape(Shape):
    """What all forecasters have in their configs."""

    context: int = Field(default=336, ge=1, le=LONGEST, description="steps of the past that are read")
    patch: int = Field(default=24, ge=1, le=10_000, description="steps that are one token")
    stride: int = Field(default=24, ge=1, le=10_000, description="steps from one patch to the next")
    channels: Channels = Field(default="independent", description="each by itself with shared weights, or all as one")
    centre: Centre = Field(default="mean", description="what is subtracted from a window before it is scaled")
    straight: bool = Field(default=True, description="whether a linear map of the window is added to what is said")
    quantiles: tuple[float, ...] = Field(default=DECILES, max_length=99, description="none: the mean alone")
    width: int = Field(default=32, ge=2, le=WIDEST)
    feed_forward: int = Field(default=64, ge=1, le=8 * WIDEST)
    activation: Activation = "gelu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"

    @property
    def places(self) -> int:
        """How many patches the past has."""
        return patches_in(self.context, self.patch, self.stride)

    @property
    def outputs(self) -> int:
        """How many numbers are said of one that comes."""
        return max(1, len(self.quantiles))

    @property
    def middle(self) -> int:
        """Which of them is the point forecast: the median."""
        return self.quantiles.index(0.5) if self.quantiles else 0

    @model_validator(mode="after")
    def _window_fits(self) -> SeriesShape:
        if self.patch > self.context:
            raise ValueError(f"model.patch = {self.patch} is longer than model.context = {self.context}; use less")
        if self.stride > self.patch:
            raise ValueError(f"model.stride = {self.stride} leaves out steps between patches of {self.patch}; use less")
        said = self.quantiles
        if said and (0.5 not in said or list(said) != sorted(set(said)) or not 0 < said[0] <= said[-1] < 1):
            raise ValueError(
                f"model.quantiles = {list(said)}; use rising numbers between 0 and 1 with 0.5 among them, or [] for "
                "the mean alone"
            )
        return self

    def _window_in_words(self) -> str:
        return f"{self.places} patches of {self.patch} of {self.context} steps, channels {self.channels}"


class ForecasterConfig(SeriesShape):
    """Decoder-only: a causal stack over the patches, whose last state says what comes."""

    kind: Literal["forecaster"] = "forecaster"
    stack: StackConfig = StackConfig(layers=2, heads=4)

    @property
    def size(self) -> str:
        """The size of the model in words."""
        layers = f"{self.stack.layers} layers, width {self.width}, feed-forward {self.feed_forward:,}"
        return f"{layers}, {self.stack.heads} heads; {self._window_in_words()}"

    @model_validator(mode="after")
    def _heads_fit(self) -> ForecasterConfig:
        check_heads(self.width, stack=self.stack)
        return self


class ForecastTransformerConfig(SeriesShape):
    """Encoder-decoder: the patches of what comes, all at once, look at those of the past."""

    kind: Literal["forecast_transformer"] = "forecast_transformer"
    encoder: StackConfig = StackConfig(layers=2, heads=4)
    decoder: StackConfig = StackConfig(layers=1, heads=4)
    cross: LookConfig = LookConfig()

    @property
    def size(self) -> str:
        """The size of the model in words."""
        size = size_of_two_stacks(self.encoder, self.decoder, self.width, self.feed_forward)
        return f"{size}; {self._window_in_words()}"

    @model_validator(mode="after")
    def _heads_fit(self) -> ForecastTransformerConfig:
        check_heads(self.width, encoder=self.encoder, decoder=self.decoder, cross=self.cross)
        return self


ForecastModelConfig = Annotated[
    Annotated[ForecasterConfig, Tag("forecaster")] | Annotated[ForecastTransformerConfig, Tag("forecast_transformer")],
    by_kind("forecaster", "forecast_transformer"),
]
AnyForecastConfig = ForecasterConfig | ForecastTransformerConfig
