"""Presets: sizes of models that read, which have a name."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.attention import Learned, Rotary
from mirada.models.config import StackConfig
from mirada.models.reading_config import ElmoConfig, EncoderConfig


@dataclass(frozen=True, slots=True)
class ReadingPreset:
    """The shape of a masked model, the tokens of a batch that suit it, and the least text that it is worth."""

    layers: int
    width: int
    heads: int
    batch_tokens: int
    tokens: int = 0  # of the training text, from which on it is chosen
    places: int | None = None  # vectors for so many, as in the paper, with its post-norm; else rotary positions

    @property
    def config(self) -> EncoderConfig:
        """The model."""
        paper = self.places is not None
        return EncoderConfig(
            width=self.width,
            feed_forward=4 * self.width,
            norm_order="post" if paper else "pre",
            position=None if self.places is None else Learned(self.places),
            segments=2 if paper else 0,
            stack=StackConfig(layers=self.layers, heads=self.heads, position=None if paper else Rotary()),
        )

    @property
    def elmo(self) -> ElmoConfig:
        """Two language models of the same width."""
        return ElmoConfig(width=self.width, task_width=self.width)


SIZES = {
    "tiny": ReadingPreset(4, 128, 4, 2_048),
    "small": ReadingPreset(6, 256, 4, 4_096, tokens=10_000_000),
    "base": ReadingPreset(12, 768, 12, 16_384, tokens=300_000_000),
}
# The paper's own (Devlin et al. 2019): 110 M and 340 M parameters, batches of 256 rows of 512 tokens.
PAPERS = {
    "bert-base": ReadingPreset(12, 768, 12, 131_072, places=512),
    "bert-large": ReadingPreset(24, 1_024, 16, 131_072, places=512),
}
READING = {**SIZES, **PAPERS}


def suited(tokens: int) -> str:
    """The name of the largest model that a text of so many tokens is worth."""
    return [name for name, preset in SIZES.items() if tokens >= preset.tokens][-1]
