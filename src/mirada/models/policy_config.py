"""What a policy is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.models.config import WIDEST, Shape, StackConfig, check_heads


class PolicyConfig(Shape):
    """A causal stack over returns, states and actions in turn (Chen et al. 2021)."""

    kind: Literal["policy"] = "policy"
    width: int = Field(default=64, ge=2, le=WIDEST)
    feed_forward: int = Field(default=256, ge=1, le=8 * WIDEST)
    activation: Activation = "gelu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"
    stack: StackConfig = StackConfig(layers=2, heads=4)

    @property
    def size(self) -> str:
        """The size of the model in words."""
        stack = self.stack
        return f"{stack.layers} layers, width {self.width}, feed-forward {self.feed_forward:,}, {stack.heads} heads"

    @model_validator(mode="after")
    def _heads_fit(self) -> PolicyConfig:
        check_heads(self.width, stack=self.stack)
        if self.norm == "batch":
            raise ValueError("model.norm = batch would look ahead through its statistics; use layer or rms")
        return self
