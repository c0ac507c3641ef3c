"""The numbers of an exported model by their names, read from CTranslate2's own file.

    version  "TransformerSpec"  revision
    count    { name  rank  sizes  kind  bytes  numbers }
    count    { another name  name }

Lengths are little-endian; a string is its length with a final zero, and that zero. A file from elsewhere is not
trusted: every length is held against what is there.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mirada.native.loading import NativeError

VERSION, SPEC = 6, "TransformerSpec"
KINDS = (np.float32, np.int8, np.int16, np.int32)  # those of rounded floats are not read
MOST, DEEPEST = 1_000_000, 8  # variables, and sizes of one

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Variables:
    """Arrays by name; they are parts of the file, mapped into memory."""

    arrays: dict[str, Numbers]
    others: dict[str, str]  # names for what stands under another

    def get(self, name: str) -> Numbers | None:
        """The numbers of a name, if there are any; those of rounded weights have a scale for each row."""
        if name in self.arrays:
            return self.arrays[name]
        stem = name.removesuffix("_scale")
        meant = self.others.get(name) or self.others.get(stem, "") + name[len(stem) :]
        return self.arrays.get(meant)

    def __getitem__(self, name: str) -> Numbers:
        found = self.get(name)
        if found is None:
            raise NativeError(f"it has no {name}")
        return found

    def number(self, name: str, otherwise: float = 0.0) -> float:
        """A setting."""
        found = self.get(name)
        return otherwise if found is None or found.size != 1 else float(found.reshape(()))

    @property
    def names(self) -> list[str]:
        """All names: what is equal to the bit stands in the file once."""
        return [*self.arrays, *self.others]

    def layers(self, side: str) -> int:
        """How many layers the encoder or the decoder has."""
        parts = {name.split("/")[1] for name in self.names if name.startswith(f"{side}/layer_")}
        return len(parts - {"layer_norm"})


class _File:
    """A place in a file that goes forward."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.place = 0

    def number(self, form: str) -> int:
        size = struct.calcsize(form)
        (found,) = struct.unpack(form, self.data[self.take(size) : self.place])
        return int(found)

    def string(self) -> str:
        size = self.number("<H")
        return self.data[self.take(size) : self.place - 1].decode(errors="replace")

    def take(self, size: int) -> int:
        """Step over so many bytes; where they begin."""
        first = self.place
        if first + size > len(self.data):
            raise NativeError(f"{self.path} is damaged: it ends too early")
        self.place = first + size
        return first


def read(path: Path) -> Variables:
    """The variables of a model's file."""
    if path.stat().st_size == 0:
        raise NativeError(f"{path} is empty")
    file = _File(path)
    if (version := file.number("<I")) != VERSION or file.string() != SPEC:
        raise NativeError(f"{path} is of another kind (version {version}); only version {VERSION} is read")
    file.number("<I")
    arrays = dict(_variable(file) for _ in range(min(MOST, file.number("<I"))))
    others = {file.string(): file.string() for _ in range(min(MOST, file.number("<I")))}
    return Variables(arrays, others)


def _variable(file: _File) -> tuple[str, Numbers]:
    name = file.string()
    rank = file.number("<B")
    sizes = [file.number("<I") for _ in range(min(DEEPEST, rank))]
    kind, length = file.number("<B"), file.number("<I")
    first = file.take(length)
    if kind >= len(KINDS):
        raise NativeError(f"{file.path}: {name} is of a kind that is not read")
    numbers = np.frombuffer(file.data, KINDS[kind], length // KINDS[kind]().itemsize, first)
    count = 1
    for size in sizes:
        count *= size
    if count != numbers.size:
        raise NativeError(f"{file.path} is damaged: {name} has {numbers.size:,} numbers, not {count:,}")
    return name, numbers.reshape(sizes)
