"""What training, decoding and looking see of a model that reads a source and writes a target.

Legend: B batch, S source places, N target places, R rows, W model width, T vocabulary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic

from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Attention, Padding
from mirada.decoding.protocol import S
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer


class EncoderDecoder(nn.Module, ABC, Generic[S]):
    """A model of the next target token, given a source and the target so far."""

    embedding: Embedding
    output: OutputLayer

    @abstractmethod
    def forward(
        self,
        source: Int[Tensor, "B S"],
        source_padding: Padding | None,
        target: Int[Tensor, "B N"],
        target_padding: Padding | None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        """The decoder's states when it is given the target so far at every place (teacher forcing)."""

    @abstractmethod
    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> S:
        """The state before the first step."""

    @abstractmethod
    def step(self, tokens: Int[Tensor, "R"], state: S) -> tuple[Float[Tensor, "R T"], S]:
        """The log-probabilities of the next token, and the state after these tokens."""

    @abstractmethod
    def looks_at_source(self) -> list[Attention]:
        """The decoder's attentions to the source, from its first layer to its last; none where it never looks back."""


TranslationModel = EncoderDecoder[Any]  # whatever it remembers between two steps
