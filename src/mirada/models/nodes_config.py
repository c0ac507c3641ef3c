"""What a graph network is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.attention import Free, Static
from mirada.attention.heads import divide
from mirada.models.config import Shape
from mirada.models.words import ScoreWord

WIDEST, DEEPEST = 16_384, 100


class GraphConfig(Shape):
    """The graph attention network: nodes look at their neighbours, layer by layer (Veličković et al. 2018)."""

    kind: Literal["graph"] = "graph"
    width: int = Field(default=64, ge=1, le=WIDEST, description="of the states between layers, all heads together")
    norm: Literal["none"] = "none"
    layers: int = Field(default=2, ge=1, le=DEEPEST)
    heads: int = Field(default=8, ge=1, le=1_024)
    last_heads: int = Field(default=1, ge=1, le=1_024, description="of the last layer, whose mean is what is said")
    score: ScoreWord = Static()
    residual: bool = Field(default=False, description="whether a map of a node's own state is added in each layer")
    drops_looks: bool = Field(default=True, description="whether dropout falls on the weights of edges too")

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return f"{self.layers} layers, width {self.width}, {self.heads} heads, {self.last_heads} in the last layer"

    @model_validator(mode="after")
    def _fits(self) -> GraphConfig:
        divide(self.width, self.heads, "model.width", "model.heads")
        if isinstance(self.score, Free):
            raise ValueError("model.score = free weighs by the distance of places, and nodes have none; use static")
        return self
