"""The shapes of the models that are measured, and how much work a token of them is."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Shape:
    """A Transformer with as many layers in its encoder as in its decoder."""

    layers: int
    width: int
    feed_forward: int
    heads: int
    vocabulary: int

    def flops(self, source_share: float) -> float:
        """Operations of a token, forward and backward, in products with weights: 6 for each weight it meets.

        A source token meets the encoder, a target token the decoder and the output layer.
        """
        maps, feed_forward = self.width**2, 2 * self.width * self.feed_forward
        encoder = self.layers * (4 * maps + feed_forward)
        decoder = self.layers * (8 * maps + feed_forward) + self.vocabulary * self.width
        return 6 * (source_share * encoder + (1 - source_share) * decoder)

    def __str__(self) -> str:
        layers = f"{self.layers} + {self.layers} layers × {self.width}"
        return f"{layers}, {self.heads} heads, feed-forward {self.feed_forward:,}, vocabulary {self.vocabulary:,}"

    def as_json(self) -> dict[str, int]:
        """For a side."""
        return asdict(self)


SMALL = Shape(layers=3, width=256, feed_forward=1_024, heads=4, vocabulary=8_000)
BASE = Shape(layers=6, width=512, feed_forward=2_048, heads=8, vocabulary=16_000)
