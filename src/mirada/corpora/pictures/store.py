"""The store of pictures: all of one shape, one behind another as bytes on the disk, mapped into memory.

A folder with `pictures.bytes` and `header.json`, which says what made it, the shape, how many there are, and the mean
and deviation of each colour. It is written row by row beside its place and renamed, so that it is whole or not there.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.store_format import DamagedStoreError

HEADER, PICTURES = "header.json", "pictures.bytes"
HEADER_LIMIT = 100_000  # bytes
LEAST_DEVIATION = 1.0  # of 255: what has no contrast is not blown up


class Standard(BaseModel):
    """The mean and the deviation of each colour over all training pictures, 0 to 255."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    mean: tuple[float, ...] = Field(min_length=1, max_length=3)
    deviation: tuple[float, ...] = Field(min_length=1, max_length=3)

    def apply(self, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Pictures [B, F, H, W, C] with mean 0 and deviation 1, as [B, F, C, H, W]."""
        scale = (1 / np.maximum(self.deviation, LEAST_DEVIATION)).astype(np.float32)
        shift = (-np.array(self.mean) * scale).astype(np.float32)
        return np.ascontiguousarray(np.moveaxis(pictures * scale + shift, -1, 2), dtype=np.float32)


class Header(BaseModel):
    """What stands in `header.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    magic: Literal["mirada pictures"] = "mirada pictures"
    schema_number: Literal[1] = 1
    made_from: str
    count: int = Field(ge=0)
    shape: PictureShape
    standard: Standard


class PictureStore:
    """An opened store; its bytes are read when they are touched."""

    def __init__(self, folder: Path) -> None:
        try:
            with (folder / HEADER).open("rb") as file:
                self.header = Header.model_validate_json(file.read(HEADER_LIMIT))
        except ValidationError:
            raise DamagedStoreError(f"{folder / HEADER} is no header of stored pictures; remove {folder}") from None
        path, wanted = folder / PICTURES, self.header.count * self.header.shape.bytes
        size = path.stat().st_size if path.is_file() else -1
        if size != wanted:
            raise DamagedStoreError(f"{path} has {size:,} bytes, and {wanted:,} were written; remove {folder}")
        shape = (self.header.count, *self.header.shape.array)
        self.pictures: NDArray[np.uint8] = (
            np.memmap(path, dtype=np.uint8, mode="r", shape=shape) if wanted else np.zeros(shape, dtype=np.uint8)
        )

    def __len__(self) -> int:
        return self.header.count

    @property
    def shape(self) -> PictureShape:
        """The shape of each picture."""
        return self.header.shape

    @property
    def standard(self) -> Standard:
        """The mean and the deviation of all."""
        return self.header.standard

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
        """These pictures, [B, F, H, W, C]."""
        return np.asarray(self.pictures[numbers])


class PictureWriter:
    """A store being written; use as a context. Nothing stands in its place until the end, and then all of it."""

    def __init__(self, folder: Path, made_from: str, shape: PictureShape) -> None:
        self._folder, self._made_from, self._shape = folder, made_from, shape
        self._beside = folder.with_name(folder.name + ".writing")
        self._file: BinaryIO | None = None
        self._count = 0
        self._sums = np.zeros((2, shape.channels))

    def __enter__(self) -> PictureWriter:
        shutil.rmtree(self._beside, ignore_errors=True)  # what a killed run left
        self._beside.mkdir(parents=True)
        self._file = (self._beside / PICTURES).open("wb", buffering=1 << 20)
        return self

    def __len__(self) -> int:
        return self._count

    def add(self, picture: NDArray[np.uint8]) -> None:
        """One picture, [F, H, W, C]."""
        if self._file is None or picture.shape != self._shape.array:
            raise ValueError(f"a picture of the shape {picture.shape} was given; {self._shape.array} is written")
        try:
            self._file.write(picture.tobytes())
        except OSError as error:
            raise CorpusError(f"{self._folder} could not be written: {error.strerror}; make room or move it") from error
        self._count += 1
        values = picture.reshape(-1, self._shape.channels).astype(np.float64)
        self._sums += values.mean(0), np.square(values).mean(0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._file is not None:
                with self._file:
                    self._file.flush()
                    os.fsync(self._file.fileno())
            if kind is None:
                self._publish()
        finally:
            shutil.rmtree(self._beside, ignore_errors=True)

    def _publish(self) -> None:
        mean, square = self._sums / max(1, self._count)
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
        standard = Standard(mean=_rounded(mean), deviation=_rounded(deviation))
        header = Header(made_from=self._made_from, count=self._count, shape=self._shape, standard=standard)
        (self._beside / HEADER).write_text(header.model_dump_json(indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(self._folder, ignore_errors=True)
        self._beside.rename(self._folder)


def _rounded(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values)
