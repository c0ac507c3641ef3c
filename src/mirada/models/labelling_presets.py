"""Presets of taggers and classifiers: sizes of readers, by how much there is to learn from.

Words read as bags of subwords and spellings by a BiLSTM are the usual kind: on English-EWT they have 94.2 % of the UPOS
of the development set right after three passes; a BiLSTM of the same size over 2,000 subwords had 92.4 % after four.
"""

from __future__ import annotations

from dataclasses import dataclass

from mirada.models.config import RecurrentEncoderConfig, StackConfig
from mirada.models.reading_config import AnyReadingConfig, EncoderConfig, PerceptronConfig, RecurrentReaderConfig

SPELLING = 16_384  # rows for affixes and shapes, in every preset the same: data is prepared before one is chosen


@dataclass(frozen=True, slots=True)
class LabelPreset:
    """The shape of a reader, how it is trained, and the least data that it is worth."""

    width: int
    layers: int
    batch_tokens: int
    rate: float
    least: int = 0  # words, or rows of numbers times 20, from which on it is chosen

    def config(self, kind: str) -> AnyReadingConfig:
        """A reader of this kind and size."""
        match kind:
            case "perceptron":
                return PerceptronConfig(width=self.width, layers=self.layers + 1)
            case "encoder":
                stack = StackConfig(layers=self.layers + 1, heads=4)
                return EncoderConfig(width=self.width, feed_forward=4 * self.width, spelling=SPELLING, stack=stack)
            case _:
                recurrence = RecurrentEncoderConfig(width=2 * self.width, layers=self.layers)
                return RecurrentReaderConfig(width=self.width, spelling=SPELLING, stack=recurrence)


LABELLING = {
    "tiny": LabelPreset(64, 1, 300, 2e-3),
    "small": LabelPreset(128, 1, 400, 2e-3, least=30_000),
    "base": LabelPreset(256, 2, 1_000, 1e-3, least=2_000_000),
}
WORDS_FOR_A_ROW = 20  # a row of numbers teaches about as much as so many words


def suited(words: int) -> str:
    """The name of the largest model that so many words are worth."""
    return [name for name, preset in LABELLING.items() if words >= preset.least][-1]
