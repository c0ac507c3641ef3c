"""The recurrent translator: an encoder that reads the source, a decoder that writes the target and may look back.

Legend: B batch, S source places, N target places, E embedding width, M memory width, W decoder width, T vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Attention, Facts, Padding
from mirada.layers.block import Source
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer
from mirada.layers.recurrent import CellState, RecurrentEncoder, RecurrentStack, hold
from mirada.models.encoder_decoder import EncoderDecoder

When = Literal["before", "after"]


@dataclass(frozen=True, eq=False)
class RecurrentState:
    """What the decoder remembers between two steps, and, unchanged, the source that it looks at."""

    source: Source | None
    layers: list[CellState]
    said: Float[Tensor, "B W"]  # the top layer's last state
    fed: Float[Tensor, "B E"] | None  # the last attentional vector, where it enters the next step

    def select(self, rows: Int[Tensor, "R"]) -> RecurrentState:
        """The state of these rows, in this order."""
        source = None if self.source is None else self.source.select(rows)
        layers = [tuple(part.index_select(0, rows) for part in layer) for layer in self.layers]
        fed = None if self.fed is None else self.fed.index_select(0, rows)
        return RecurrentState(source, layers, self.said.index_select(0, rows), fed)


class Bridge(nn.Module):
    """The decoder's start from the encoder's last state: tanh(W h), for each layer and each part of its state."""

    def __init__(self, memory: int, stack: RecurrentStack) -> None:
        super().__init__()
        self.parts = [cell.parts for cell in stack.cells]
        self.map = nn.Linear(memory, sum(self.parts) * stack.width)
        nn.init.xavier_uniform_(self.map.weight)
        nn.init.zeros_(self.map.bias)

    def forward(self, last: Float[Tensor, "B M"]) -> list[CellState]:
        parts = iter(self.map(last).tanh().chunk(sum(self.parts), -1))
        return [tuple(next(parts) for _ in range(count)) for count in self.parts]


class RecurrentDecoder(nn.Module):
    """A recurrence s over the target that looks at the source, and says a vector h̃ at each place.

    before the step (Bahdanau et al. 2015, 3.1): c_i = attention(s_{i−1}), s_i = f([y_{i−1}; c_i], s_{i−1})
    after the step (Luong et al. 2015, 3.1):     s_i = f(y_{i−1}, s_{i−1}), c_i = attention(s_i);
        with `feeding` (3.3), f sees [y_{i−1}; h̃_{i−1}]
    in both:                                     h̃_i = tanh(W [s_i; c_i]) (Luong's eq. 5)

    Without an attention there is no c_i. Where f waits for nothing that a look finds, all places are computed at
    once; else step by step, with all that is known beforehand computed before the first.
    """

    def __init__(
        self, stack: RecurrentStack, attention: Attention | None, entered: int, when: When, *, feeding: bool
    ) -> None:
        super().__init__()
        self.stack, self.cross_attention = stack, attention
        self.before, self.feeding = attention is not None and when == "before", feeding
        # A plain mean is the same whoever looks, so it is known before the first step.
        self.stepwise = feeding or (self.before and attention is not None and attention.score.sees == "content")
        context = 0 if attention is None else attention.memory_width
        self.readout = nn.Linear(stack.width + context, entered)
        nn.init.xavier_uniform_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    @staticmethod
    def late_width(attention: Attention | None, entered: int, when: When, *, feeding: bool) -> int:
        """The width of what enters the first layer at its step only: the context, or the vector that is fed."""
        if feeding:
            return entered
        return attention.memory_width if attention is not None and when == "before" else 0

    def start(self, layers: list[CellState], source: Source | None) -> RecurrentState:
        """The state before the first step; what is fed to it is nothing."""
        said = layers[-1][0]
        fed = said.new_zeros(len(said), self.readout.out_features) if self.feeding else None
        return RecurrentState(source, layers, said, fed)

    def forward(
        self, x: Float[Tensor, "B N E"], state: RecurrentState, noise: Noise | None = None
    ) -> Float[Tensor, "B N E"]:
        """h̃ at every place."""
        if self.stepwise:
            return hold(noise, self._step_by_step(x, state, noise))
        queries = state.said[:, None].expand(-1, x.shape[1], -1)
        late = self._look(queries, state.source) if self.before else None
        states = self.stack(x, state.layers, late, noise)
        found = late if self.before else self._look(states, state.source)
        return hold(noise, self._say(states, found))

    def step(self, x: Float[Tensor, "B 1 E"], state: RecurrentState) -> tuple[Float[Tensor, "B 1 E"], RecurrentState]:
        """h̃ at the next place, and the state after it."""
        found, state = self._advance(self.stack.project(x)[0], state, ())
        return (self._say(found[:, None]) if state.fed is None else state.fed[:, None]), state

    def _step_by_step(
        self, x: Float[Tensor, "B N E"], state: RecurrentState, noise: Noise | None
    ) -> Float[Tensor, "B N E"]:
        projected, masks = self.stack.project(x, noise), self.stack.masks(noise, x)
        vectors = []
        for place in projected.unbind(0):
            found, state = self._advance(place, state, masks)
            vectors.append(found if state.fed is None else state.fed)
        together = torch.stack(vectors, 1)
        return together if self.feeding else self._say(together)

    def _advance(
        self, projected: Float[Tensor, "B G"], state: RecurrentState, masks: Sequence[Float[Tensor, "B 1 W"] | None]
    ) -> tuple[Float[Tensor, "B C"], RecurrentState]:
        """[s_i; c_i] of the next place, and the state after it."""
        late = self._look(state.said[:, None], state.source) if self.before else None
        entering = state.fed if late is None else late[:, 0]
        said, layers = self.stack.step(projected, state.layers, entering, masks)
        found = late if self.before else self._look(said[:, None], state.source)
        both = said if found is None else torch.cat([said, found[:, 0]], -1)
        fed = self._say(both[:, None])[:, 0] if self.feeding else None
        return both, RecurrentState(state.source, layers, said, fed)

    def _look(self, queries: Float[Tensor, "B Q W"], source: Source | None) -> Float[Tensor, "B Q M"] | None:
        if self.cross_attention is None or source is None:
            return None
        return source.look(self.cross_attention, queries)

    def _say(
        self, states: Float[Tensor, "B N C"], found: Float[Tensor, "B N M"] | None = None
    ) -> Float[Tensor, "B N E"]:
        return self.readout(states if found is None else torch.cat([states, found], -1)).tanh()


class Recurrent(EncoderDecoder[RecurrentState]):
    """A recurrent encoder and decoder over one embedding (Sutskever et al. 2014; with attention Bahdanau et al. 2015).

    With `tied`, the embedding is the output layer's table too.
    """

    def __init__(
        self, embedding: Embedding, encoder: RecurrentEncoder, decoder: RecurrentDecoder, *, tied: bool = True
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.bridge = Bridge(encoder.width, decoder.stack)
        self.decoder = decoder
        self.output = OutputLayer(embedding.weight) if tied else OutputLayer.of(len(embedding.weight), embedding.width)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        source_padding: Padding | None,
        target: Int[Tensor, "B N"],
        target_padding: Padding | None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        return self.decoder(self.embedding(target), self._read(source, source_padding, noise), noise)

    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> RecurrentState:
        return self._read(source, padding, None)

    def step(self, tokens: Int[Tensor, "R"], state: RecurrentState) -> tuple[Float[Tensor, "R T"], RecurrentState]:
        vectors, state = self.decoder.step(self.embedding(tokens[:, None]), state)
        return self.output.scores(vectors[:, 0]), state

    def looks_at_source(self) -> list[Attention]:
        return [] if self.decoder.cross_attention is None else [self.decoder.cross_attention]

    def _read(self, tokens: Int[Tensor, "B S"], padding: Padding | None, noise: Noise | None) -> RecurrentState:
        """The decoder's state before its first step: the bridge from the source, and the memory of it, made once."""
        states, last = self.encoder(self.embedding(tokens), padding, noise)
        attention = self.decoder.cross_attention
        source = None if attention is None else Source(attention.remember(states), Facts(padding))
        return self.decoder.start(self.bridge(last), source)
