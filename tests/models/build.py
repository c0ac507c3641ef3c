"""A small Transformer with any of the vocabulary's words."""

from mirada.attention import Attention, Causal, Full, Heads, Sinusoidal
from mirada.layers.block import Block
from mirada.layers.embedding import Embedding
from mirada.layers.feed_forward import FeedForward
from mirada.layers.stack import Stack
from mirada.models.transformer import Transformer


def small_transformer(
    vocabulary=23,
    width=16,
    layers=2,
    heads=2,
    order="pre",
    norm="layer",
    activation="relu",
    score=None,
    position=None,
    pattern=None,
    entered=Sinusoidal(100.0),  # noqa: B008 frozen
    join="add",
) -> Transformer:
    """Encoder and decoder of `layers` blocks each."""
    pattern = Full() if pattern is None else pattern

    def block(cross: bool) -> Block:
        own = Causal() & pattern if cross else pattern
        return Block(
            Attention(width, heads=Heads(heads), score=score, position=position, pattern=own),
            Attention(width, heads=Heads(heads), score=score) if cross else None,
            FeedForward(width, 2 * width, activation),
            norm=norm,
            order=order,
        )

    return Transformer(
        Embedding(vocabulary, width, entered, join),
        Stack([block(False) for _ in range(layers)], norm),
        Stack([block(True) for _ in range(layers)], norm),
    )
