"""Presets: sizes of language models that have a name."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.attention import Learned, Rotary
from mirada.layers.block import NormOrder
from mirada.models.config import LanguageModelConfig, RecurrentLanguageConfig, RecurrentStackConfig, StackConfig

# Places that enter together. 640 steps of tiny on tinyshakespeare: loss 1.702 without, 1.641 with 4, 1.650 with 6; one
# weight for each coordinate and place, not a whole map, 1.677; such weights within the blocks 1.660.
CONVOLUTION = 4


@dataclass(frozen=True, slots=True)
class LanguagePreset:
    """The shape of a language model, the tokens of a batch that suit it, and the least text that it is worth."""

    layers: int
    width: int
    heads: int
    context: int
    batch_tokens: int
    tokens: int = 0  # of the training text, from which on it is chosen
    after_next: bool = False  # whether it learns from the token after the next as well
    learned: bool = False  # a vector for each place and nothing else, as in the papers; else what learns faster
    norm_order: NormOrder = "pre"

    @property
    def config(self) -> LanguageModelConfig:
        """The model."""
        inside = None if self.learned else Rotary()
        return LanguageModelConfig(
            context=self.context,
            width=self.width,
            feed_forward=4 * self.width,
            norm_order=self.norm_order,
            position=Learned(self.context) if self.learned else None,
            convolution=0 if self.learned else CONVOLUTION,
            after_next=self.after_next,
            stack=StackConfig(layers=self.layers, heads=self.heads, position=inside),
        )

    @property
    def recurrent(self) -> RecurrentLanguageConfig:
        """A recurrent model of about as many parameters."""
        stack = RecurrentStackConfig(width=2 * self.width, layers=max(1, self.layers // 3))
        return RecurrentLanguageConfig(context=self.context, width=self.width, stack=stack)


# Chosen by the size of the text. Heads are powers of two, so that who sets a width of that kind needs to set nothing
# else. For as long as 3,000 steps of tiny, 4 layers of width 128, 6 of 160 and 8 of 96 or 128 are worse than its shape,
# and without the token after the next it is 0.01 worse (docs/experiments.md).
SIZES = {
    "tiny": LanguagePreset(6, 128, 4, 64, 2_048, after_next=True),
    "small": LanguagePreset(6, 384, 8, 256, 4_096, tokens=10_000_000),
    "base": LanguagePreset(12, 768, 16, 1_024, 16_384, tokens=200_000_000),
}
# The papers' own: 117 M (Radford et al. 2018), 1,542 M (2019), 175 B (Brown et al. 2020).
PAPERS = {
    "gpt": LanguagePreset(12, 768, 12, 512, 32_768, learned=True, norm_order="post"),
    "gpt2": LanguagePreset(48, 1_600, 25, 1_024, 524_288, learned=True),
    "gpt3": LanguagePreset(96, 12_288, 96, 2_048, 3_200_000, learned=True),
}
LANGUAGE = {**SIZES, **PAPERS}
# Of music the shape is kept that was measured with it; deeper ones, and a second event foretold, were not.
MUSIC = {**LANGUAGE, "tiny": LanguagePreset(4, 128, 4, 64, 2_048)}


def suited(tokens: int) -> str:
    """The name of the largest model that a text of so many tokens is worth."""
    return [name for name, preset in SIZES.items() if tokens >= preset.tokens][-1]
