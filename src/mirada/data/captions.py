"""Batches of pictures with their captions, in an order that is a function of seed and epoch.

All captions of a picture stand in one batch, so that it is read once, however many languages describe it.

Legend: B captions, U pictures, F frames, C colours, Y rows, X columns of pixels, N target places, M target tokens that
count.
"""

from __future__ import annotations

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
from mirada.data.epochs import Epoch, Epochs


@dataclass(frozen=True, eq=False)
class CaptionBatch:
    """Pictures, captions as the decoder enters them (their language first), and what it should say at each place."""

    source: Float[Tensor, "U F C Y X"]
    of: Int[Tensor, "B"]  # the picture of each caption
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
            self.of.to(device),
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
    of: NDArray[Any]  # the number of the picture of each text; never falls
    standard: Standard  # of the training pictures
    patches: int

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many tokens each caption has, end mark included."""
        return self.texts.target_lengths

    def entered(self, numbers: NDArray[np.int64]) -> Float[Tensor, "U F C Y X"]:
        """Pictures as a model reads them."""
        return torch.from_numpy(self.standard.apply(self.pictures.rows(numbers)))

    def batch(
        self, rows: NDArray[np.int64], augmentation: Augmentation | None = None, chances: Any = None
    ) -> CaptionBatch:
        """The batch of these captions; with chances for each picture, it is changed by them."""
        numbers, of = np.unique(self.of[rows], return_inverse=True)
        pixels = self.pictures.rows(numbers)
        if augmentation is not None:
            pixels = augmentation.apply(pixels, chances[numbers])
        said, lengths = self.texts.batch(rows, "target")
        marks, _ = self.texts.batch(rows, "source")
        paired = pair_up(marks[:, :1], np.ones(len(rows), dtype=np.int64), said, lengths)
        target = paired.target.clone()
        target[:, 0] = torch.from_numpy(marks[:, 0])
        tokens = len(numbers) * self.patches + int(lengths.sum())
        source = torch.from_numpy(self.standard.apply(pixels))
        return CaptionBatch(
            source, torch.from_numpy(of), target, paired.target_padding, paired.expected, paired.places, tokens
        )


class CaptionOrder(Epochs[CaptionBatch]):
    """The captions in batches of a token budget, those of a picture together, epoch after epoch."""

    def __init__(self, captions: Captions, budget: int, seed: int, longest: int, augmentation: Augmentation) -> None:
        lengths = captions.lengths
        self._rows = np.flatnonzero(lengths <= longest)
        self.left_out = len(lengths) - len(self._rows)
        if not len(self._rows):
            raise CorpusError(f"no caption has at most {longest} tokens; raise data.longest")
        self._pictures, firsts = np.unique(captions.of[self._rows], return_index=True)
        self._ends = np.append(firsts[1:], len(self._rows))
        # A picture with its captions, each as long as the longest of them.
        tall = np.maximum.reduceat(lengths[self._rows].astype(np.int64), firsts)
        self._sizes = captions.patches + tall * (self._ends - firsts)
        needed = int(self._sizes.max())
        if budget < needed:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold {captions.patches} patches and the captions of one "
                f"picture; use {needed} or more"
            )
        self._captions, self._budget, self._seed, self._longest = captions, budget, seed, longest
        self._augmentation = augmentation
        self._epoch: tuple[int, list[NDArray[np.int64]], NDArray[np.int16]] | None = None

    @property
    def tokens(self) -> int:
        """The patches and tokens of one epoch."""
        said = int(self._captions.lengths[self._rows].sum(dtype=np.int64))
        return len(self._pictures) * self._captions.patches + said

    @property
    def remarks(self) -> list[str]:
        """What was left out."""
        if not self.left_out:
            return []
        return [f"{self.left_out:,} captions have more than {self._longest} tokens and are left out."]

    def _epoch_of(self, epoch: int) -> Epoch[CaptionBatch]:
        batches, chances = self._cut(epoch)

        def batch(number: int) -> CaptionBatch:
            return self._captions.batch(self._captions_of(batches[number]), self._augmentation, chances)

        return len(batches), batch

    def _captions_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of all captions of some pictures, given by their places among those that have any."""
        starts = np.append(0, self._ends[:-1])
        return np.concatenate([self._rows[starts[place] : self._ends[place]] for place in places])

    def _cut(self, epoch: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int16]]:
        """The pictures of every batch of an epoch, and what happens to each; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            generator = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
            order = generator.permutation(len(self._pictures))
            chances = self._augmentation.chances(self._seed, epoch, len(self._captions.pictures))
            self._epoch = epoch, filled(order, self._sizes[order], self._budget), chances
        return self._epoch[1:]


def filled(items: NDArray[np.int64], sizes: NDArray[np.int64], budget: int) -> list[NDArray[np.int64]]:
    """Items in batches, in their order, each with as many as a budget holds and one at least."""
    ends, held = list[int](), 0
    for place, size in enumerate(sizes.tolist()):
        if held and held + size > budget:
            ends.append(place)
            held = 0
        held += size
    return np.split(items, ends)
