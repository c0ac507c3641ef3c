"""What the head of a tagger or a classifier is made of."""

from __future__ import annotations

from pydantic import Field

from mirada.models.build import build
from mirada.models.config import Strict
from mirada.models.drawn import drawn_from
from mirada.models.labelling import Classifier, Labeller, Tagger, TextPooling, WordPooling
from mirada.models.reading_config import AnyReadingConfig


class TaggerHeadConfig(Strict):
    """How a word's state comes from its places, where it has several."""

    pooling: WordPooling = Field(default="mean", description="of the subwords of a word")


class ClassifierHeadConfig(Strict):
    """How the state of the whole comes from those of its places."""

    pooling: TextPooling = Field(default="mean", description="of all places")


AnyHeadConfig = TaggerHeadConfig | ClassifierHeadConfig


def build_labeller(
    config: AnyReadingConfig, head: AnyHeadConfig, size: int, labels: int, seed: int | None = None
) -> Labeller:
    """A fresh model: a reader for `size` subwords or numbers, and a head for so many labels.

    With a seed, the same numbers on every call, and torch's own generator is left as it was.
    """
    with drawn_from(seed):
        reader = build(config, size)
        if isinstance(head, TaggerHeadConfig):
            return Tagger(reader, labels, head.pooling)
        return Classifier(reader, labels, head.pooling)
