"""What word vectors are made of, as a config."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.models.config import WIDEST, AnyShape

VectorsKind = Literal["skipgram", "cbow", "imported"]


class VectorsConfig(AnyShape):
    """Vectors of words (Mikolov et al. 2013), with those of their n-grams where subwords are on (Bojanowski 2017)."""

    kind: VectorsKind = Field(default="skipgram", description="a word foretells its neighbours, or they foretell it")
    width: int = Field(default=100, ge=1, le=WIDEST)
    window: int = Field(default=5, ge=1, le=100, description="neighbours on each side, at most")
    negatives: int = Field(default=5, ge=1, le=100, description="other words that each neighbour is told from")
    subwords: bool = Field(default=False, description="whether a word is also the sum of its n-grams")
    shortest: int = Field(default=3, ge=1, le=20, description="characters of an n-gram, at least")
    longest: int = Field(default=6, ge=1, le=20, description="characters of an n-gram, at most")
    buckets: int | None = Field(default=None, ge=1, le=2**24, description="for n-grams; by the vocabulary")

    @model_validator(mode="after")
    def _grams_fit(self) -> VectorsConfig:
        if self.shortest > self.longest:
            raise ValueError(
                f"model.shortest = {self.shortest} is above model.longest = {self.longest}; use at most {self.longest}"
            )
        return self

    @property
    def size(self) -> str:
        """The size in words."""
        if self.kind == "imported":
            return f"width {self.width}"
        spelt = f", n-grams of {self.shortest} to {self.longest} characters" if self.subwords else ""
        return f"width {self.width}, window {self.window}, {self.negatives} negatives{spelt}"
