"""Looks between the given words of a text, by every self-attention of a model that reads.

    weights of places → marks left out → words: the mean over the places that look, the sum over those looked at

Any model with a stack of self-attention can be asked: a translator's encoder, a language model, a masked model, a
tagger, a classifier.

Legend: B batch, H heads of a layer, A heads of all layers, N places, M words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Attention, Padding
from mirada.attention.record import record
from mirada.corpora.treebank import Words
from mirada.decoding.search import padded
from mirada.layers.stack import Stack
from mirada.text.spans import NOBODY

LOOKS_AT_ONCE = 262_144  # B · N · N of a batch; with 6 layers of 8 heads their weights take 50 MB
POOL = 1_024  # texts that are sorted by length together


@dataclass(frozen=True, slots=True)
class Row:
    """A text as a model reads it: its ids, and the word of each, or NOBODY's."""

    ids: list[int]
    words: list[int]


@dataclass(frozen=True, eq=False)
class Looker:
    """A model that reads, as this task sees it."""

    stack: Stack  # whose looks are recorded
    read: Callable[[Int[Tensor, "B N"], Padding], object]
    encode: Callable[[Words], Row | None]  # None: it cannot be told which piece belongs to which word
    longest: int  # places
    backwards: bool  # a place sees those before it alone
    device: torch.device

    @property
    def heads(self) -> list[tuple[int, int]]:
        """Layer and head, both from 0, in the order of the looks."""
        counts = [attention.heads.count for attention in self._attentions]
        return [(layer, head) for layer, count in enumerate(counts) for head in range(count)]

    @property
    def _attentions(self) -> list[Attention]:
        return [block.self_attention for block in self.stack.blocks]  # type: ignore[misc]  # a module list forgets

    def looks(self, texts: Sequence[Words]) -> Iterator[tuple[int, Looks | str]]:
        """The number of each text, in any order, with its looks, or the reason why there are none."""
        for start in range(0, len(texts), POOL):
            rows: dict[int, Row] = {}
            for number in range(start, min(start + POOL, len(texts))):
                row = self._row(texts[number])
                if isinstance(row, str):
                    yield number, row
                else:
                    rows[number] = row
            for numbers in _batches({number: len(row.ids) for number, row in rows.items()}):
                sizes = [len(texts[number].forms) for number in numbers]
                found = self._batch([rows[number] for number in numbers], max(sizes))
                for one, number, size in zip(found, numbers, sizes, strict=True):
                    seen = np.zeros(size, dtype=np.bool_)
                    seen[[word for word in rows[number].words if word != NOBODY]] = True
                    yield number, Looks(one[:, :size, :size], seen)

    def _row(self, text: Words) -> Row | str:
        row = self.encode(text)
        if row is None:
            return "its pieces cannot be told apart by words"
        if len(row.ids) > self.longest:
            return f"more than {self.longest:,} tokens, which are read at once"
        return row

    def _batch(self, rows: Sequence[Row], count: int) -> NDArray[np.float32]:
        """The looks [B, A, M, M] of a batch."""
        ids, padding = padded([row.ids for row in rows], self.device)
        with torch.inference_mode(), record(nn.ModuleList(self._attentions)) as looks:
            self.read(ids, padding)
            weights = torch.cat([look.weights.float() for look in looks], 1).cpu()
        words = torch.full(weights.shape[::3], NOBODY)
        for number, row in enumerate(rows):
            words[number, : len(row.words)] = torch.tensor(row.words)
        between: NDArray[np.float32] = merged(weights, words, count).numpy()
        return between


@dataclass(frozen=True, eq=False)
class Looks:
    """The looks [A, M, M] between the words of a text, and which of these have places of their own."""

    weights: NDArray[np.float32]
    seen: NDArray[np.bool_]


def merged(weights: Float[Tensor, "B A N N"], words: Int[Tensor, "B N"], count: int) -> Float[Tensor, "B A M M"]:
    """Looks between `count` words: the mean over the places that look, the sum over those that are looked at."""
    belongs = functional.one_hot(words + 1, count + 1)[..., 1:].to(weights.dtype)  # B × N × M, without NOBODY
    sizes = belongs.sum(1).clamp_min(1)
    looking = torch.einsum("bank,bnm->bamk", weights, belongs) / sizes[:, None, :, None]
    return looking @ belongs[:, None]


def _batches(lengths: dict[int, int]) -> Iterator[list[int]]:
    """Texts of like length together, by their numbers."""
    batch: list[int] = []
    for number in sorted(lengths, key=lambda one: lengths[one]):
        if batch and (len(batch) + 1) * lengths[number] ** 2 > LOOKS_AT_ONCE:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
