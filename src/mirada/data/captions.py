"""Batches of pictures with their captions, in an order that is a function of seed and epoch.

Legend: B batch, F frames, C colours, Y rows, X columns of pixels, N target places, M target tokens that count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.attention import Padding
from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.store import PictureStore, Standard
from mirada.corpora.store import Store
from mirada.data.augment import Augmentation
from mirada.data.batch import pair_up
from mirada.data.order import Position

POOL = 50  # batches whose captions are sorted by length together


@dataclass(frozen=True, eq=False)
class CaptionBatch:
    """Pictures, captions as the decoder enters them (their language first), and what it should say at each place."""

    source: Float[Tensor, "B F C Y X"]
    target: Int[Tensor, "B N"]
    target_padding: Padding
    expected: Int[Tensor, "M"]
    places: Int[Tensor, "M"]  # where they stand among the B · N places
    tokens: int  # patches and tokens of captions

    def to(self, device: torch.device) -> CaptionBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        return CaptionBatch(
            self.source.to(device),
            self.target.to(device),
            replace(self.target_padding, real=self.target_padding.real.to(device)),
            self.expected.to(device),
            self.places.to(device),
            self.tokens,
        )


@dataclass(frozen=True, eq=False)
class Captions:
    """Stored captions, the pictures that they belong to, and the patches of each picture.

    The source of a caption in the token store is the mark of its language.
    """

    pictures: PictureStore
    texts: Store
    of: NDArray[Any]  # the number of the picture of each text
    standard: Standard  # of the training pictures
    patches: int

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many tokens each caption has, end mark included."""
        return self.texts.target_lengths

    def entered(self, numbers: NDArray[np.int64]) -> Float[Tensor, "B F C Y X"]:
        """Pictures as a model reads them."""
        return torch.from_numpy(self.standard.apply(self.pictures.rows(numbers)))

    def batch(
        self, rows: NDArray[np.int64], augmentation: Augmentation | None = None, chances: Any = None
    ) -> CaptionBatch:
        """The batch of these captions; with chances for each row, its picture is changed by them."""
        pixels = self.pictures.rows(np.asarray(self.of[rows], dtype=np.int64))
        if augmentation is not None:
            pixels = augmentation.apply(pixels, chances[rows])
        said, lengths = self.texts.batch(rows, "target")
        marks, _ = self.texts.batch(rows, "source")
        paired = pair_up(marks[:, :1], np.ones(len(rows), dtype=np.int64), said, lengths)
        target = paired.target.clone()
        target[:, 0] = torch.from_numpy(marks[:, 0])
        tokens = len(rows) * self.patches + int(lengths.sum())
        source = torch.from_numpy(self.standard.apply(pixels))
        return CaptionBatch(source, target, paired.target_padding, paired.expected, paired.places, tokens)


class CaptionOrder:
    """The captions in batches of a token budget, those of like length together, epoch after epoch."""

    def __init__(self, captions: Captions, budget: int, seed: int, longest: int, augmentation: Augmentation) -> None:
        lengths = captions.lengths
        self._rows = np.flatnonzero(lengths <= longest)
        self.left_out = len(lengths) - len(self._rows)
        if not len(self._rows):
            raise CorpusError(f"no caption has at most {longest} tokens; raise data.longest")
        needed = captions.patches + int(lengths[self._rows].max())
        if budget < needed:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold {captions.patches} patches and a caption; "
                f"use {needed} or more"
            )
        self._captions, self._budget, self._seed, self._longest = captions, budget, seed, longest
        self._augmentation = augmentation
        self._epoch: tuple[int, list[NDArray[np.int64]], NDArray[np.int16]] | None = None

    @property
    def tokens(self) -> int:
        """The patches and tokens of one epoch."""
        rows = self._rows
        return len(rows) * self._captions.patches + int(self._captions.lengths[rows].sum(dtype=np.int64))

    @property
    def remarks(self) -> list[str]:
        """What was left out."""
        if not self.left_out:
            return []
        return [f"{self.left_out:,} captions have more than {self._longest} tokens and are left out."]

    def batches_in(self, epoch: int) -> int:
        """How many batches an epoch has."""
        return len(self._cut(epoch)[0])

    def from_position(self, position: Position) -> Iterator[tuple[CaptionBatch, Position]]:
        """All batches from a position on, without end, each with the position after it."""
        epoch, first = position.epoch, position.batch
        while True:
            batches, chances = self._cut(epoch)
            for number in range(first, len(batches)):
                after = Position(epoch, number + 1) if number + 1 < len(batches) else Position(epoch + 1)
                yield self._captions.batch(batches[number], self._augmentation, chances), after
            epoch, first = epoch + 1, 0

    def _cut(self, epoch: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int16]]:
        """The rows of every batch of an epoch, and what happens to each row; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            generator = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
            rows = generator.permutation(self._rows)
            batches = alike(rows, self._captions.lengths[rows], self._captions.patches, self._budget)
            order = generator.permutation(len(batches)).tolist()
            chances = self._augmentation.chances(self._seed, epoch, len(self._captions))
            self._epoch = epoch, [batches[number] for number in order], chances
        return self._epoch[1:]


def alike(rows: NDArray[np.int64], lengths: NDArray[np.int32], patches: int, budget: int) -> list[NDArray[np.int64]]:
    """Rows in batches, sorted by the length of their captions within pools of many batches.

    A batch holds as many rows as its budget does of patches and of the longest caption, padding included.
    """
    found = []
    pool = max(1, POOL * budget // (patches + max(1, int(lengths.mean()))))
    for start in range(0, len(rows), pool):
        part = rows[start : start + pool][np.argsort(lengths[start : start + pool], kind="stable")[::-1]]
        tall = np.sort(lengths[start : start + pool])[::-1]
        first = 0
        while first < len(part):
            count = max(1, budget // (patches + int(tall[first])))
            found.append(part[first : first + count])
            first += count
    return found
