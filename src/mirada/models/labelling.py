"""Models that label what they read: a tagger each word, a classifier the whole.

Legend: B batch, N places, M labels that are wanted, L places of words, W width of the states, Y labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from mirada.attention import Additive, Attention, Edges, Facts, Maps, Padding
from mirada.layers.noise import Noise, drop
from mirada.layers.output import OutputLayer
from mirada.models.reading import EncoderReader, Reader

WordPooling = Literal["mean", "first"]
TextPooling = Literal["mean", "first", "max", "attention"]
WordPlaces = tuple[Int[Tensor, "L"], Int[Tensor, "L"], int]  # places, the word of each, and how many words there are
WordGraph = Literal["complete", "tree"]  # whom a word looks at: all of its sentence, or its neighbours in the tree


class Labeller(nn.Module, ABC):
    """A reader with a head: states of what is labelled, and the labels as the vocabulary of its output."""

    reader: Reader
    output: OutputLayer

    @abstractmethod
    def forward(
        self,
        entered: Shaped[Tensor, "B N ..."],
        padding: Padding | None,
        words: WordPlaces | None,
        noise: Noise | None = None,
        edges: Edges | None = None,
    ) -> Float[Tensor, "M W"]:
        """The states of all that is labelled; `words`: which of the B · N places belong to which word, of how many.

        With `edges`, each place looks at those alone that they name.
        """


def read(
    reader: Reader, entered: Tensor, padding: Padding | None, noise: Noise | None, edges: Edges | None
) -> Float[Tensor, "B N W"]:
    """The states of what is read; only an encoder can look along edges."""
    if edges is None:
        return reader(entered, padding, noise)
    if not isinstance(reader, EncoderReader):
        raise ValueError(f"{type(reader).__name__} reads along no edges; use an encoder")
    return reader(entered, padding, noise, edges=edges)


class Tagger(Labeller):
    """Each word's label from its state: the mean of its places, or the first of them."""

    def __init__(self, reader: Reader, labels: int, pooling: WordPooling = "mean") -> None:
        super().__init__()
        self.reader, self.pooling = reader, pooling
        self.output = OutputLayer.of(labels, reader.width)

    def forward(
        self,
        entered: Shaped[Tensor, "B N ..."],
        padding: Padding | None,
        words: WordPlaces | None,
        noise: Noise | None = None,
        edges: Edges | None = None,
    ) -> Float[Tensor, "M W"]:
        if words is None:
            raise ValueError("a tagger labels words, and none were named")
        states = read(self.reader, entered, padding, noise, edges).flatten(0, 1)
        return drop(noise, pool_words(states, *words, self.pooling))


def pool_words(
    states: Float[Tensor, "R W"],
    places: Int[Tensor, "L"],
    word: Int[Tensor, "L"],
    count: int,
    pooling: WordPooling = "mean",
) -> Float[Tensor, "M W"]:
    """One state for each of `count` words; the places of a word stand together, the words in order."""
    if len(places) == count:  # every word has one place
        return states.index_select(0, places)
    sizes = torch.bincount(word, minlength=count)
    if pooling == "first":
        return states.index_select(0, places[sizes.cumsum(0) - sizes])
    summed = states.new_zeros(count, states.shape[1]).index_add(0, word, states.index_select(0, places))
    return summed / sizes[:, None].to(states.dtype)


class Classifier(Labeller):
    """The label of a row from one state, pooled from those of all its places."""

    def __init__(self, reader: Reader, labels: int, pooling: TextPooling = "mean") -> None:
        super().__init__()
        self.reader = reader
        self.pooling = Pooling(reader.width, pooling)
        self.output = OutputLayer.of(labels, reader.width)

    def forward(
        self,
        entered: Shaped[Tensor, "B N ..."],
        padding: Padding | None,
        words: WordPlaces | None,
        noise: Noise | None = None,
        edges: Edges | None = None,
    ) -> Float[Tensor, "M W"]:
        return drop(noise, self.pooling(read(self.reader, entered, padding, noise, edges), padding))


class Pooling(nn.Module):
    """From the states of all real places to one.

    mean, max: over the places, coordinate by coordinate. first: that of the first place.
    attention: Σ_j α_j h_j with α from one learnt query and the additive score (Yang et al. 2016, eq. 5 to 7), by the
    same `Attention` as everywhere: it can be recorded and looked at.
    """

    def __init__(self, width: int, kind: TextPooling) -> None:
        super().__init__()
        self.kind = kind
        self.query = self.attention = None
        if kind == "attention":
            self.query = nn.Parameter(torch.zeros(width))
            maps = Maps(query=True, key=True, value=False, output=False)
            self.attention = Attention(width, heads=1, score=Additive(), maps=maps)

    def forward(self, states: Float[Tensor, "B N W"], padding: Padding | None) -> Float[Tensor, "B W"]:
        if self.attention is not None and self.query is not None:
            query = self.query.expand(len(states), 1, -1)
            return self.attention(query, self.attention.remember(states), Facts(padding))[:, 0]
        if self.kind == "first":
            return states[:, 0]
        if padding is None or padding.none:
            return states.mean(1) if self.kind == "mean" else states.amax(1)
        real = padding.real[..., None]
        if self.kind == "max":
            return states.masked_fill(~real, torch.finfo(states.dtype).min).amax(1)
        return (states * real).sum(1) / real.sum(1).to(states.dtype)
