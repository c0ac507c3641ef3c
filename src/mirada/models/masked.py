"""The masked language model (BERT, Devlin et al. 2019): a reader that says hidden words, and what follows what.

Legend: B batch, N places, M hidden places, A rows with two segments, W width.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Padding
from mirada.layers.noise import Noise, drop
from mirada.layers.output import OutputLayer
from mirada.models.reading import EncoderReader


class MaskedModel(nn.Module):
    """A reader with two heads: norm(gelu(W h)) says a word through the embedding, tanh(V h_1) whether B follows A."""

    def __init__(self, reader: EncoderReader, *, next_sentence: bool) -> None:
        super().__init__()
        self.reader = reader
        self.saying = head(reader.width, reader.width)
        self.saying_norm = nn.LayerNorm(reader.width)
        self.output = OutputLayer(reader.embedding.weight)
        self.pooling = head(reader.width, reader.width) if next_sentence else None
        self.follows = head(reader.width, 2) if next_sentence else None

    def forward(
        self,
        entered: Int[Tensor, "B N"],
        padding: Padding | None = None,
        segments: Int[Tensor, "B N"] | None = None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        """The states of all places."""
        return self.reader(entered, padding, noise, segments)

    def words(self, states: Float[Tensor, "B N W"], places: Int[Tensor, "M"]) -> Float[Tensor, "M W"]:
        """What the output layer makes words from, at the hidden places only."""
        chosen = states.flatten(0, 1).index_select(0, places)
        return self.saying_norm(functional.gelu(self.saying(chosen)))

    def following(
        self, states: Float[Tensor, "B N W"], rows: Int[Tensor, "A"], noise: Noise | None = None
    ) -> Float[Tensor, "A 2"]:
        """The logits of whether the second segment of these rows follows the first: no, yes."""
        if self.pooling is None or self.follows is None:
            raise ValueError("this model was built without next_sentence and cannot say what follows what")
        return self.follows(drop(noise, torch.tanh(self.pooling(states[:, 0].index_select(0, rows)))))


def head(entered: int, width: int) -> nn.Linear:
    """A map that begins with numbers of moderate size and nothing added."""
    layer = nn.Linear(entered, width)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
