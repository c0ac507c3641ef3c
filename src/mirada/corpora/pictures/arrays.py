"""Arrays of pictures: idx files, as MNIST and its like come, and npz files, both read row by row.

No file is unpickled, and none is held whole: a row of an array is as much as is in memory.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from mirada.corpora.opening import opened, packing, require_file, unpacked_name
from mirada.corpora.pair import CorpusError, Place
from mirada.corpora.pictures.decoding import spread
from mirada.corpora.pictures.picture import MOST_FRAMES, Picture, as_frame

IMAGES, LABELS = "images-idx3", "labels-idx1"
NAMES_OF_PICTURES = ("pictures", "images", "x", "x_train", "data", "frames", "clips", "x_test")
NAMES_OF_LABELS = ("labels", "label", "y", "y_train", "targets", "target", "y_test")
MOST_IN_A_ROW = 64_000_000  # numbers
CHANNELS = (1, 3, 4)  # what the last axis of an array may be to be colours


@dataclass(frozen=True, slots=True)
class Values:
    """The range of the numbers of an array that are no bytes: `least` becomes black, `largest` white."""

    least: float
    largest: float

    def as_bytes(self, row: NDArray[Any]) -> NDArray[np.uint8]:
        """Numbers of this range as bytes; those outside it as its ends."""
        span = (self.largest - self.least) or 1.0
        scaled = (row.astype(np.float64) - self.least) * (255 / span)
        return np.nan_to_num(scaled).round().clip(0, 255).astype(np.uint8)


BYTES = Values(0.0, 255.0)


def is_idx(path: Path) -> bool:
    """Whether a file is named as the images of an idx set are."""
    return IMAGES in path.name


def is_npz(path: Path) -> bool:
    """Whether a file is an archive of numpy's arrays."""
    return path.suffix.lower() == ".npz"


def read_idx(path: Path) -> Iterator[Picture]:
    """The pictures of an idx file, with the labels of the file beside it that is named like it."""
    beside = path.with_name(path.name.replace(IMAGES, LABELS))
    other = beside.with_name(unpacked_name(beside)) if packing(beside) else beside.with_name(beside.name + ".gz")
    found = next((one for one in (beside, other) if one.exists()), None)
    with opened(path) as images:
        count, height, width = _idx_header(path, images, 3)
        labels = None if found is None else _idx_labels(found, count)
        for number in range(count):
            data = images.read(height * width)
            if len(data) != height * width:
                raise CorpusError(f"{path} ends in picture {number + 1:,} of {count:,}; copy or download it again")
            frame = np.frombuffer(data, dtype=np.uint8).reshape(height, width)
            label = "" if labels is None else str(next(labels))
            yield Picture((frame,), Place(str(path), number + 1), label)


def _idx_labels(path: Path, count: int) -> Iterator[int]:
    with opened(path) as labels:
        (found,) = _idx_header(path, labels, 1)
        if found != count:
            raise CorpusError(f"{path} has {found:,} labels for {count:,} pictures; take the two files of one set")
        data = labels.read(count)
    if len(data) != count:
        raise CorpusError(f"{path} is cut off; copy or download it again")
    return iter(data)


def _idx_header(path: Path, stream: BufferedIOBase, axes: int) -> tuple[int, ...]:
    """The sizes of an idx file of bytes with so many axes."""
    start = stream.read(4 + 4 * axes)
    if len(start) != 4 + 4 * axes or start[:4] != bytes([0, 0, 8, axes]):
        raise CorpusError(f"{path} is no idx file of bytes with {axes} axes; name another, or save it as npz")
    sizes = struct.unpack(f">{axes}I", start[4:])
    if prod(sizes[1:]) > MOST_IN_A_ROW or 0 in sizes:
        raise CorpusError(f"{path} says that it holds {' × '.join(map(str, sizes))} bytes; no picture is such")
    return sizes


def range_of(path: Path) -> Values | None:
    """The range of the numbers in the pictures of an npz file; None where they are bytes already."""
    with _npz(path) as archive, _array(path, archive, _pictures_in(path, archive)) as array:
        if array.kind == np.uint8:
            return None
        least, largest = np.inf, -np.inf
        for row in array.rows():
            finite = row[np.isfinite(row)] if row.dtype.kind == "f" else row
            least, largest = (
                min(least, float(finite.min(initial=least))),
                max(largest, float(finite.max(initial=largest))),
            )
        return Values(least, largest) if least <= largest else BYTES


def read_npz(path: Path, values: Values | None, most: int) -> Iterator[Picture]:
    """The pictures of an npz file with their labels; at most so many frames of each clip, taken evenly."""
    with _npz(path) as archive, _array(path, archive, _pictures_in(path, archive)) as array:
        labels = _labels(path, archive, array.shape[0])
        clips = len(array.shape) == 5 or (len(array.shape) == 4 and array.shape[-1] not in CHANNELS)
        for number, row in enumerate(array.rows()):
            data = row if row.dtype == np.uint8 else (values or BYTES).as_bytes(row)
            frames = [data[place] for place in spread(len(data), most)] if clips else [data]
            label = "" if labels is None else labels[number]
            yield Picture(tuple(map(as_frame, frames)), Place(str(path), number + 1), label)


@contextmanager
def _npz(path: Path) -> Iterator[zipfile.ZipFile]:
    require_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorpusError(f"{path} is damaged or no npz file ({error}); save it again with numpy.savez") from None


@dataclass(frozen=True)
class _Array:
    """An array of an archive whose rows are read one by one."""

    stream: BufferedIOBase
    shape: tuple[int, ...]
    kind: np.dtype[Any]
    name: str

    def rows(self) -> Iterator[NDArray[Any]]:
        """Every row, in order."""
        size = prod(self.shape[1:]) * self.kind.itemsize
        for number in range(self.shape[0]):
            data = self.stream.read(size)
            if len(data) != size:
                raise CorpusError(f"{self.name} ends in row {number + 1:,} of {self.shape[0]:,}; save it again")
            yield np.frombuffer(data, dtype=self.kind).reshape(self.shape[1:])


@contextmanager
def _array(path: Path, archive: zipfile.ZipFile, name: str) -> Iterator[_Array]:
    with _member(archive, name) as stream:
        shape, ordered, kind = _npy_header(path, name, stream)
        numbers = kind.kind in "buif" and (kind.kind != "f" or kind.itemsize <= 8)
        if not numbers or ordered:
            raise CorpusError(f"{path}: {name} holds {kind}, or lies column by column; save plain numbers, row by row")
        if len(shape) not in (3, 4, 5) or 0 in shape or prod(shape[1:]) > MOST_IN_A_ROW:
            raise CorpusError(
                f"{path}: {name} has the shape {shape}; pictures have (n, height, width) or (n, height, width, "
                "colours), clips (n, frames, height, width) or with colours"
            )
        if (len(shape) == 5 and (shape[-1] not in CHANNELS or shape[1] > MOST_FRAMES)) or min(shape[-3:-1]) < 1:
            raise CorpusError(f"{path}: {name} has the shape {shape}; colours are the last axis: 1, 3 or 4")
        yield _Array(stream, shape, kind, f"{path}: {name}")


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipExtFile:
    opened_member = archive.open(f"{name}.npy")
    if not isinstance(opened_member, zipfile.ZipExtFile):
        raise CorpusError(f"{archive.filename}: {name} cannot be read; save it again with numpy.savez")
    return opened_member


def _npy_header(path: Path, name: str, stream: BufferedIOBase) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape of an array, whether it lies column by column, and the kind of its numbers; never an object."""
    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, ordered, kind = read(stream)
    except ValueError as error:
        raise CorpusError(f"{path}: {name} is no array of numpy ({error}); save it again with numpy.savez") from None
    if kind.hasobject:
        raise CorpusError(f"{path}: {name} holds Python objects, which are never read; save plain numbers")
    return shape, ordered, kind


def _pictures_in(path: Path, archive: zipfile.ZipFile) -> str:
    return _named(path, archive, NAMES_OF_PICTURES, "pictures")


def _named(path: Path, archive: zipfile.ZipFile, names: tuple[str, ...], what: str) -> str:
    held = {name.removesuffix(".npy"): name for name in archive.namelist()}
    for name in names:
        if name in held:
            return name
    raise CorpusError(f"{path} holds {', '.join(held) or 'nothing'}; an array of {what} is named {', '.join(names)}")


def _labels(path: Path, archive: zipfile.ZipFile, count: int) -> list[str] | None:
    """The labels of an archive, as text."""
    held = {name.removesuffix(".npy") for name in archive.namelist()}
    name = next((one for one in NAMES_OF_LABELS if one in held), None)
    if name is None:
        return None
    with _member(archive, name) as stream:
        shape, _, kind = _npy_header(path, name, stream)
        if shape not in ((count,), (count, 1)) or kind.kind not in "buiUS" or kind.itemsize > 4_096:
            raise CorpusError(f"{path}: {name} has the shape {shape} of {kind}; {count:,} pictures need as many labels")
        data = stream.read(count * kind.itemsize)
    if len(data) != count * kind.itemsize:
        raise CorpusError(f"{path}: {name} is cut off; save it again")
    found = np.frombuffer(data, dtype=kind).tolist()
    return [one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in found]
