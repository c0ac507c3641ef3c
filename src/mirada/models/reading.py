"""Readers: models that turn what they read into states, place by place, for a head to say something of.

Legend: B batch, N places, P ids of a word (where words are read as bags of ids), W width of the states; F frames,
C colours, Y rows, X columns of pixels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Edges, Facts, Padding
from mirada.layers.bag import BagEmbedding
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise, drop
from mirada.layers.patches import ConvolutionalPatches, Patches, PatchPlaces
from mirada.layers.recurrent import RecurrentEncoder
from mirada.layers.stack import Stack


class Reader(nn.Module, ABC):
    """x ↦ (h_1, …, h_N): whatever is read, a state for each of its places."""

    width: int  # of the states

    @abstractmethod
    def forward(
        self, entered: Tensor, padding: Padding | None = None, noise: Noise | None = None
    ) -> Float[Tensor, "B N W"]:
        """The states of all places; those of padding have no meaning."""


class EncoderReader(Reader):
    """A stack in which every place looks at all others that its pattern allows (BERT's encoder).

    With segments, each token also says which sentence of the row it belongs to (Devlin et al. 2019, figure 2).
    """

    def __init__(self, embedding: Embedding, stack: Stack, segments: int = 0) -> None:
        super().__init__()
        self.embedding = embedding
        self.stack = stack
        self.width = embedding.width
        self.segments = nn.Parameter(torch.zeros(segments, self.width)) if segments else None

    def forward(
        self,
        entered: Int[Tensor, "B N *P"],
        padding: Padding | None = None,
        noise: Noise | None = None,
        segments: Int[Tensor, "B N"] | None = None,
        edges: Edges | None = None,
    ) -> Float[Tensor, "B N W"]:
        """The states of all places; without `segments`, all belong to the first one.

        With `edges`, a place looks at those alone that they name, such as its neighbours in a tree.
        """
        states = self.embedding(entered, noise=noise)
        if self.segments is not None:
            states = states + (self.segments[0] if segments is None else functional.embedding(segments, self.segments))
        return self.stack(states, Facts(padding, edges), noise=noise)


class RecurrentReader(Reader):
    """A recurrence over the tokens: each place knows what stands before it, or on both sides."""

    def __init__(self, embedding: Embedding, encoder: RecurrentEncoder) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.width = encoder.width

    def forward(
        self, entered: Int[Tensor, "B N *P"], padding: Padding | None = None, noise: Noise | None = None
    ) -> Float[Tensor, "B N W"]:
        # The encoder drops what enters it; a bag also loses some of its ids.
        states = self.embedding(entered, noise=noise if isinstance(self.embedding, BagEmbedding) else None)
        return self.encoder(states, padding, noise)[0]


class PatchReader(Reader):
    """Patches of pictures as places that look at one another (ViT, Dosovitskiy et al. 2021, eq. 1–3).

    With a class token, place 0 stands outside the picture and gathers what it shows.
    """

    def __init__(self, patches: Patches | ConvolutionalPatches, positions: PatchPlaces, stack: Stack) -> None:
        super().__init__()
        self.patches = patches
        self.positions = positions
        self.stack = stack
        self.width = positions.width
        prefix = positions.prefix
        self.class_token = nn.Parameter(torch.empty(prefix, self.width)) if prefix else None
        if self.class_token is not None:
            nn.init.normal_(self.class_token, std=0.02)

    def forward(
        self, entered: Float[Tensor, "B F C Y X"], padding: Padding | None = None, noise: Noise | None = None
    ) -> Float[Tensor, "B N W"]:
        states = self.patches(entered)
        if self.class_token is not None:
            states = torch.cat([self.class_token.expand(len(states), -1, -1), states], 1)
        return self.stack(drop(noise, self.positions(states)), Facts(padding), noise=noise)
