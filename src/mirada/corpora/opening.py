"""Opening: a file as a stream of bytes, plain or packed (.gz, .xz, .zst), never held whole in memory."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import zstandard

from mirada.corpora.pair import CorpusError

BEGINNINGS = {
    ".gz": re.compile(rb"\x1f\x8b"),
    ".xz": re.compile(rb"\xfd7zXZ\x00"),
    ".zst": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # a frame, or one that may be skipped
}
FOREIGN = re.compile(rb"PK\x03\x04|BZh[1-9]1AY&SY|7z\xbc\xaf\x27\x1c|\x7fELF|%PDF-")
LZMA_MEMORY = 1 << 28  # what a file may ask of the unpacker; xz -9 asks for a quarter of it
BUFFER = 1 << 16
BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


@dataclass(slots=True)
class Meter:
    """How far a reading has come, in bytes on the disk: what a progress bar needs."""

    total: int
    done: int = 0


def size(files: Sequence[Path]) -> int:
    """The bytes that the files take on the disk."""
    return sum(path.stat().st_size for path in files)


def packing(path: Path) -> str:
    """The suffix that says how a file is packed, or nothing."""
    suffix = path.suffix.lower()
    return suffix if suffix in BEGINNINGS else ""


def unpacked_name(path: Path) -> str:
    """The name of a file without the suffix of its packing: x.tmx.gz is x.tmx."""
    return path.name[: len(path.name) - len(packing(path))]


def require_file(path: Path) -> None:
    """Refuse what is not a file that can be read from beginning to end, as often as needed."""
    if path.is_dir():
        raise CorpusError(f"{path} is a directory; name the files in it, for example {path}/*.tmx")
    if not path.exists():
        raise CorpusError(f"{path} does not exist; check the name and the directory")
    if not path.is_file():
        raise CorpusError(f"{path} is no regular file; save what it gives in a file and name that")


@contextmanager
def opened(path: Path, meter: Meter | None = None) -> Iterator[io.BufferedReader]:
    """The unpacked bytes of a file; a torn or foreign file is a CorpusError that names it."""
    require_file(path)
    try:
        raw = path.open("rb", buffering=0)
    except OSError as problem:
        raise CorpusError(f"{path} cannot be opened: {problem.strerror}; check its permissions") from problem
    with raw:
        _require_beginning(path, raw)
        counted = io.BufferedReader(_Counted(raw, meter), BUFFER)
        yield io.BufferedReader(_Watched(path, _unpacked(path, counted)), BUFFER)


def _require_beginning(path: Path, raw: io.FileIO) -> None:
    start = raw.read(16)
    raw.seek(0)
    expected = packing(path)
    if expected and not BEGINNINGS[expected].match(start):
        raise CorpusError(f"{path} does not begin as a {expected} file does; name it after what it holds")
    if expected:
        return
    for suffix, beginning in BEGINNINGS.items():
        if beginning.match(start):
            raise CorpusError(f"{path} begins as a {suffix} file does; add {suffix} to its name")
    if FOREIGN.match(start):
        raise CorpusError(f"{path} is an archive or a binary file, not text; unpack or export it first")


class _Counted(io.RawIOBase):
    """A raw file that tells a meter how much of it was read."""

    def __init__(self, raw: io.FileIO, meter: Meter | None) -> None:
        self._raw = raw
        self._meter = meter

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        count = self._raw.readinto(buffer) or 0
        if self._meter is not None:
            self._meter.done += count
        return count


class _Watched(io.RawIOBase):
    """Unpacked bytes; a failure to unpack says which file failed, and after how much text."""

    def __init__(self, path: Path, stream: _Readable) -> None:
        self._path = path
        self._stream = stream
        self._delivered = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        try:
            data = self._stream.read1(len(buffer))
        except BROKEN as problem:
            where = f"{self._path} is broken or cut off after {self._delivered:,} bytes of text"
            raise CorpusError(f"{where} ({problem}); copy or download it again") from problem
        buffer[: len(data)] = data
        self._delivered += len(data)
        return len(data)


@runtime_checkable
class _Readable(Protocol):
    def read1(self, size: int, /) -> bytes: ...


@runtime_checkable
class _Decoder(Protocol):
    """What unpacks one frame: lzma and zstandard agree on these names."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Frames:
    """Frame after frame of a packed file, a bounded piece of text at a time.

    gzip guards its own end. The readers of the other two either take no limit of memory (lzma) or take a torn
    file for a whole one (zstandard), so their frames are followed here.
    """

    def __init__(self, raw: io.BufferedIOBase, begin: Callable[[], _Decoder], step: int) -> None:
        self._raw = raw
        self._begin = begin
        self._step = step
        self._decoder: _Decoder | None = None
        self._packed = b""
        self._ready = memoryview(b"")

    def read1(self, size: int, /) -> bytes:
        while not self._ready:
            packed = self._packed or self._raw.read(self._step)
            self._packed = b""
            if not packed and self._decoder is not None:
                raise EOFError("the last frame has no end")
            if not packed:
                return b""
            self._ready = memoryview(self._unpack(packed))
        piece, self._ready = self._ready[:size], self._ready[size:]
        return bytes(piece)

    def _unpack(self, packed: bytes) -> bytes:
        if self._decoder is None:
            packed = packed.lstrip(b"\0")  # xz allows zeros between its frames, and behind them
            if not packed:
                return b""
            self._decoder = self._begin()
        text = self._decoder.decompress(packed)
        if self._decoder.eof:
            self._packed = self._decoder.unused_data
            self._decoder = None
        return text


def _unpacked(path: Path, raw: io.BufferedIOBase) -> _Readable:
    match packing(path):
        case ".gz":
            return gzip.GzipFile(fileobj=raw, mode="rb")
        case ".xz":
            # At most some 7,000 bytes of text from one byte: a kilobyte of packed text stays below 8 MB.
            return _Frames(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, LZMA_MEMORY), 1 << 10)
        case ".zst":
            # A block of 128 kB may be packed in 4 bytes: 256 bytes of packed text stay below 9 MB.
            return _Frames(raw, lambda: zstandard.ZstdDecompressor().decompressobj(), 1 << 8)
        case _:
            return raw
