"""The token store: all pairs of a corpus as ids on disk, mapped into memory, so that its size costs none.

A folder with, for each side, the ids of all texts one behind another (`source.tokens`), where each begins
(`source.offsets`) and how many it has (`source.lengths`); and `header.json`, which says what made them and how large
they must be. Texts end with the end mark, which counts as one of their ids. A pair may have several segmentations
(variants): number 0 is the best one, the others are drawn (`mirada.text.sampling`).

"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.store_format import (
    SIDES,
    DamagedStoreError,
    Side,
    file_identity,
    fingerprint,
    map_file,
    read_header,
)
from mirada.corpora.store_writer import StoreWriter
from mirada.text.subwords import PADDING, Flat

RUN = 1 << 22  # ids that are read at once

__all__ = ["DamagedStoreError", "Flat", "Store", "StoreWriter", "file_identity", "fingerprint"]


@dataclass(frozen=True)
class Store:
    """An opened store; its arrays are mapped from the files and read when they are touched."""

    folder: Path
    made_from: str
    vocabulary: int
    variants: int
    _pairs: int
    _tokens: dict[Side, NDArray[Any]]  # two or four bytes each
    _offsets: dict[Side, NDArray[Any]]  # int64
    _lengths: dict[Side, NDArray[Any]]  # int32

    @classmethod
    def open(cls, folder: Path) -> Store:
        """The store in a folder; DamagedStoreError says which file is not what the header promises."""
        header = read_header(folder)
        kinds = {"tokens": header.token_type, "offsets": np.dtype("<i8"), "lengths": np.dtype("<i4")}
        parts = {
            part: {side: map_file(folder, f"{side}.{part}", kind, header) for side in SIDES}
            for part, kind in kinds.items()
        }
        for side in SIDES:
            _require_fitting(folder, side, parts, header.pairs * header.variants)
        facts = (header.made_from, header.vocabulary, header.variants, header.pairs)
        return cls(folder, *facts, parts["tokens"], parts["offsets"], parts["lengths"])

    def __len__(self) -> int:
        return self._pairs

    @property
    def source_lengths(self) -> NDArray[np.int32]:
        """How many ids each source has, end mark included; [pairs, variants] where there are several variants."""
        return self.lengths("source")

    @property
    def target_lengths(self) -> NDArray[np.int32]:
        """How many ids each target has, end mark included; [pairs, variants] where there are several variants."""
        return self.lengths("target")

    def lengths(self, side: Side) -> NDArray[np.int32]:
        """How many ids each text of a side has."""
        flat = self._lengths[side]
        return flat if self.variants == 1 else flat.reshape(self._pairs, self.variants)

    def source(self, row: int, variant: int = 0) -> NDArray[np.int64]:
        """The ids of one source."""
        return self._one("source", row, variant)

    def target(self, row: int, variant: int = 0) -> NDArray[np.int64]:
        """The ids of one target."""
        return self._one("target", row, variant)

    def batch(
        self, rows: NDArray[np.int64], side: Side, variants: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Many texts at once, [B, longest], padded at the right with 0, and their lengths, [B].

        `variants` [B] chooses a segmentation for each row; without it, each has its best one.
        """
        places = self._places(np.asarray(rows, dtype=np.int64), variants)
        starts = self._offsets[side][places]
        lengths = self._lengths[side][places].astype(np.int64)
        columns = np.arange(int(lengths.max(initial=0)))
        real = columns < lengths[:, None]
        padded = np.full(real.shape, PADDING, dtype=np.int64)
        padded[real] = self._tokens[side][(starts[:, None] + columns)[real]]
        return padded, lengths

    def said(self, side: Side) -> NDArray[np.bool_]:
        """Which ids stand in some text of a side, [vocabulary]."""
        found = np.zeros(self.vocabulary, dtype=np.bool_)
        for start in range(0, len(self._tokens[side]), RUN):
            found[self._tokens[side][start : start + RUN]] = True
        return found

    def stream(self, side: Side) -> NDArray[Any]:
        """All ids of a side, one text behind another, mapped from the file: two or four bytes each."""
        return self._tokens[side]

    def verify(self) -> None:
        """Read everything once: every offset and id must be possible. For a store from a place one does not trust."""
        for side in SIDES:
            offsets, tokens, lengths = self._offsets[side], self._tokens[side], self._lengths[side]
            for start in range(0, len(lengths), 1 << 20):
                part = slice(start, start + (1 << 20))
                if not np.array_equal(np.diff(offsets[start : start + (1 << 20) + 1]), lengths[part]):
                    raise DamagedStoreError(f"{self.folder}: {side}.offsets and {side}.lengths disagree; remove it")
            for start in range(0, len(tokens), RUN):
                if int(tokens[start : start + RUN].max()) >= self.vocabulary:
                    raise DamagedStoreError(f"{self.folder}: {side}.tokens holds impossible ids; remove it")

    def _one(self, side: Side, row: int, variant: int) -> NDArray[np.int64]:
        place = int(self._places(np.array([row]), np.array([variant]))[0])
        start, end = self._offsets[side][place : place + 2]
        return self._tokens[side][start:end].astype(np.int64)

    def _places(self, rows: NDArray[np.int64], variants: NDArray[np.int64] | None) -> NDArray[np.int64]:
        if len(rows) and not (rows.min() >= 0 and rows.max() < self._pairs):
            raise IndexError(f"rows {rows.min()} to {rows.max()} were asked for; the store has {self._pairs} rows")
        if variants is None:
            return rows * self.variants
        if len(variants) and not (variants.min() >= 0 and variants.max() < self.variants):
            raise IndexError(f"variant {variants.max()} is not in the store; it has 0 to {self.variants - 1}")
        return rows * self.variants + variants


def _require_fitting(folder: Path, side: Side, parts: dict[str, dict[Side, Any]], texts: int) -> None:
    """The three files of a side must speak of the same texts."""
    offsets, lengths, tokens = parts["offsets"][side], parts["lengths"][side], parts["tokens"][side]
    if len(lengths) != texts or len(offsets) != texts + 1 or int(offsets[-1]) != len(tokens):
        raise DamagedStoreError(f"{folder}: the files of the {side} side do not fit {texts:,} texts; remove {folder}")
