"""The captioner: a reader of pictures, and a stack that writes what they show.

Legend: B texts, U pictures, S patches, N target places, W model width; F frames, C colours, Y rows, X columns of
pixels.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Facts, Padding
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer
from mirada.layers.stack import Stack
from mirada.models.reading import Reader
from mirada.models.transformer import StackWriter, TransformerState


class Captioner(StackWriter):
    """p(text | picture): the decoder of a Transformer whose source is the states of the patches.

    What a text begins with says its language, so one model writes several.
    """

    def __init__(self, reader: Reader, embedding: Embedding, decoder: Stack) -> None:
        super().__init__()
        self.reader = reader
        self.embedding = embedding
        self.decoder = decoder
        self.output = OutputLayer(embedding.weight)

    def forward(
        self,
        source: Float[Tensor, "B F C Y X"],
        source_padding: Padding | None,
        target: Int[Tensor, "B N"],
        target_padding: Padding | None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        return self.write(self.reader(source, source_padding, noise), None, target, target_padding, noise)

    def write(
        self,
        states: Float[Tensor, "U S W"],
        of: Int[Tensor, "B"] | None,
        target: Int[Tensor, "B N"],
        target_padding: Padding | None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        """The decoder's states for texts of pictures that were read; `of` is the number of each text's picture.

        What the blocks remember of a picture is computed once, however many texts it has.
        """
        sources = self.decoder.sources(states, Facts())
        if of is not None:
            sources = [source.select(of) for source in sources]
        return self.decoder(self.embedding(target, noise=noise), Facts(target_padding), sources=sources, noise=noise)

    def start(self, source: Float[Tensor, "B F C Y X"], padding: Padding | None) -> TransformerState:
        return self.begin(self.reader(source, padding), Facts(padding))
