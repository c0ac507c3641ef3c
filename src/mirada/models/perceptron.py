"""The perceptron: numbers in, one state out (one to one), as a reader like any other.

Legend: B batch, F numbers that enter, W width of the states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Padding
from mirada.layers.noise import Noise, drop
from mirada.models.reading import Reader

Step = Literal["relu", "gelu", "tanh"]
STEPS: dict[Step, Callable[[Tensor], Tensor]] = {"relu": functional.relu, "gelu": functional.gelu, "tanh": torch.tanh}


class PerceptronReader(Reader):
    """h = f(W_L … f(W_1 (x − mean) / deviation)): the training set's mean and deviation belong to the model."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, entered: int, width: int, layers: int, activation: Step) -> None:
        super().__init__()
        self.width = width
        self._activation = STEPS[activation]
        maps = [nn.Linear(width if number else entered, width) for number in range(layers)]
        self.layers = nn.ModuleList(maps)
        for layer in maps:
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.register_buffer("mean", torch.zeros(entered))
        self.register_buffer("deviation", torch.ones(entered))

    @torch.no_grad()
    def standardise(self, rows: Float[Tensor, "B F"]) -> None:
        """Take mean and deviation from these rows; what never changes is only moved to 0."""
        deviation, mean = torch.std_mean(rows.double(), 0, correction=0)
        self.mean.copy_(mean)
        self.deviation.copy_(torch.where(deviation > 0, deviation, 1.0))

    def forward(
        self, entered: Float[Tensor, "B 1 F"], padding: Padding | None = None, noise: Noise | None = None
    ) -> Float[Tensor, "B 1 W"]:
        states = (entered - self.mean) / self.deviation
        for number, layer in enumerate(self.layers):
            states = self._activation(layer(states.to(layer.weight.dtype)))  # type: ignore[arg-type]
            states = drop(noise, states) if number + 1 < len(self.layers) else states
        return states
