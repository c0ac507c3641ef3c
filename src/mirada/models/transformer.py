"""The Transformer: a stack that reads the source, a stack that writes the target.

Legend: B batch, S source places, N target places, R rows, W model width, T vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Attention, Facts, Memory, Padding
from mirada.layers.block import Source, select_sources
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer
from mirada.layers.packed import Packed
from mirada.layers.stack import Stack
from mirada.models.encoder_decoder import EncoderDecoder
from mirada.operations.choice import compiled


@dataclass(frozen=True, eq=False)
class TransformerState:
    """What the decoder remembers between two steps: its own places and, unchanged, the source."""

    sources: list[Source]
    past: list[Memory]
    length: int

    def select(self, rows: Int[Tensor, "R"]) -> TransformerState:
        """The state of these rows, in this order."""
        past = [memory.select(rows) for memory in self.past]
        return TransformerState(select_sources(self.sources, rows), past, self.length)


class StackWriter(EncoderDecoder[TransformerState]):
    """A model that writes with a stack of blocks, whatever it reads with."""

    decoder: Stack

    def begin(self, states: Float[Tensor, "B S W"], facts: Facts) -> TransformerState:
        """The state before the first step, from the source's states and its facts."""
        return TransformerState(self.decoder.sources(states, facts), self.decoder.start(states), 0)

    def step(self, tokens: Int[Tensor, "R"], state: TransformerState) -> tuple[Float[Tensor, "R T"], TransformerState]:
        entered = self.embedding(tokens[:, None], offset=state.length)
        states, past = self.decoder.step(entered, state.past, state.length, state.sources)
        return self.output.scores(states[:, 0]), TransformerState(state.sources, past, state.length + 1)

    def looks_at_source(self) -> list[Attention]:
        return self.decoder.looks_at_source()


class Transformer(StackWriter):
    """An encoder and a decoder stack over one tied embedding (Vaswani et al. 2017)."""

    def __init__(self, embedding: Embedding, encoder: Stack, decoder: Stack) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.decoder = decoder
        # Positions side by side leave the tokens narrower than the states: their table cannot serve as output too.
        tied = embedding.token_width == embedding.width
        self.output = OutputLayer(embedding.weight) if tied else OutputLayer.of(len(embedding.weight), embedding.width)

    def read(
        self, tokens: Int[Tensor, "B S"], padding: Padding | None, noise: Noise | None = None
    ) -> tuple[Float[Tensor, "B S W"], Facts]:
        """The source's states, and its facts."""
        facts = Facts(padding)
        return self.encoder(self.embedding(tokens, noise=noise), facts, noise=noise), facts

    def forward(
        self,
        source: Int[Tensor, "B S"],
        source_padding: Padding | None,
        target: Int[Tensor, "B N"],
        target_padding: Padding | None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        if source_padding is not None and target_padding is not None and self._packs(source_padding, target_padding):
            return self._packed(Packed.of(source, source_padding), Packed.of(target, target_padding), noise)
        states, facts = self.read(source, source_padding, noise)
        sources = self.decoder.sources(states, facts)
        entered = self.embedding(target, noise=noise)
        return self.decoder(entered, Facts(target_padding), sources=sources, noise=noise)

    def _packs(self, *paddings: Padding) -> bool:
        """Whether it pays to leave padding out: the model learns on a CPU, and there is some.

        By torch it does not pay in bf16, whose products are prepared anew for each number of rows.
        """
        weight = self.embedding.weight
        by_torch = torch.is_grad_enabled() and weight.device.type == "cpu" and weight.dtype != torch.bfloat16
        if not (by_torch or compiled(weight)) or all(padding.none for padding in paddings):
            return False
        own = [*self.encoder.looks_at_itself(), *self.decoder.looks_at_itself()]
        across = self.decoder.looks_at_source()
        return (
            all(attention.packs for attention in (*own, *across))
            and all(attention.placeless for attention in across)
            and all(padding.at_the_end and padding.shortest > 0 for padding in paddings)
        )

    def _packed(self, source: Packed, target: Packed, noise: Noise | None) -> Float[Tensor, "B N W"]:
        """The same as `forward`, computed without padding; 0 at padded places."""
        entered = self.embedding(source.tokens, noise=noise, places=source.places)
        states = self.encoder(entered, Facts(packing=source.looks_at(source)), noise=noise)
        sources = self.decoder.sources(states, Facts(packing=target.looks_at(source)))
        entered = self.embedding(target.tokens, noise=noise, places=target.places)
        states = self.decoder(entered, Facts(packing=target.looks_at(target)), sources=sources, noise=noise)
        return target.unpacked(states)

    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> TransformerState:
        return self.begin(*self.read(source, padding))
