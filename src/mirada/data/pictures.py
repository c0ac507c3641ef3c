"""Labelled pictures in batches, shifted and mirrored by chance, in an order that is a function of seed and epoch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.store import Standard
from mirada.data.augment import Augmentation
from mirada.data.epochs import Epoch, Epochs, equal_batches
from mirada.data.inputs import Entered
from mirada.data.labelled import LabelBatch


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures to be read, each with as many places as it has patches."""

    pixels: NDArray[np.uint8]  # [rows, F, H, W, C], in memory or mapped from a store
    standard: Standard  # of the training pictures
    places: int

    @property
    def lengths(self) -> NDArray[np.int64]:
        """All alike."""
        return np.full(len(self.pixels), self.places, dtype=np.int64)

    def batch(self, rows: NDArray[np.int64]) -> Entered:
        """Some pictures as they are."""
        return self._entered(np.asarray(self.pixels[rows]))

    def changed(self, rows: NDArray[np.int64], augmentation: Augmentation, chances: NDArray[np.int16]) -> Entered:
        """Some pictures, each changed as its row of the chances says."""
        return self._entered(augmentation.apply(np.asarray(self.pixels[rows]), chances[rows]))

    def _entered(self, pixels: NDArray[np.uint8]) -> Entered:
        return Entered(torch.from_numpy(self.standard.apply(pixels)), None, len(pixels) * self.places)


class PictureOrder(Epochs[LabelBatch]):
    """The batches of labelled pictures, epoch after epoch, as many in each as a budget of patches holds."""

    def __init__(
        self, pictures: Pictures, labels: NDArray[np.int64], budget: int, seed: int, augmentation: Augmentation
    ) -> None:
        if budget < pictures.places:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a picture of {pictures.places} patches; use "
                f"{pictures.places} or more, or larger patches"
            )
        self._pictures, self._labels, self._seed, self._augmentation = pictures, labels, seed, augmentation
        self._rows = budget // pictures.places
        self._epoch: tuple[int, NDArray[np.int64], NDArray[np.int16]] | None = None

    @property
    def tokens(self) -> int:
        """The patches of one epoch."""
        return len(self._labels) * self._pictures.places

    def _epoch_of(self, epoch: int) -> Epoch[LabelBatch]:
        order, chances = self._drawn(epoch)

        def batch(rows: NDArray[np.int64]) -> LabelBatch:
            entered = self._pictures.changed(rows, self._augmentation, chances)
            return LabelBatch(entered, None, torch.from_numpy(self._labels[rows]))

        return equal_batches(order, self._rows, batch)

    def _drawn(self, epoch: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """The order of an epoch and what happens to each row; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            generator = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
            order = generator.permutation(len(self._labels))
            self._epoch = epoch, order, self._augmentation.chances(self._seed, epoch, len(self._labels))
        return self._epoch[1:]
