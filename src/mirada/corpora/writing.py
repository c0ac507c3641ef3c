"""Writing: a file that is whole or not there: written beside, synced to the disk, then renamed."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

import zstandard

from mirada.corpora.opening import packing
from mirada.corpora.pair import CorpusError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


@runtime_checkable
class Sink(Protocol):
    """What takes bytes: a file, or what packs them on their way into one."""

    def write(self, data: bytes, /) -> int: ...


@contextmanager
def replacing(path: Path) -> Iterator[Sink]:
    """A stream that becomes the file at the end, packed as its name says; after a failure nothing is changed."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as problem:
        told = f"{path} cannot be written: {problem.strerror}"
        raise CorpusError(f"{told}; name a file in a directory that exists and can be written to") from problem
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            with ExitStack() as stack:
                yield _packed(path, raw, stack)
            raw.flush()
            os.fsync(raw.fileno())
        beside.chmod(_mode(path))
        beside.replace(path)
        _sync_directory(path.parent)
    except OSError as problem:
        if problem.errno in FULL:
            told = f"{path} cannot be written: {problem.strerror}"
            raise CorpusError(f"{told}; make room or name another place; nothing was changed") from problem
        raise
    finally:
        beside.unlink(missing_ok=True)


def _packed(path: Path, raw: io.BufferedWriter, stack: ExitStack) -> Sink:
    match packing(path):
        case ".gz":  # no time and no name within: the same text gives the same bytes
            return stack.enter_context(gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
        case ".xz":
            return stack.enter_context(lzma.LZMAFile(raw, "wb"))
        case ".zst":
            return stack.enter_context(zstandard.ZstdCompressor().stream_writer(raw, closefd=False))
        case _:
            return raw


def _mode(path: Path) -> int:
    """The rights of the file that is replaced, or those of a new one: mkstemp's are for its owner alone."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_directory(directory: Path) -> None:
    """The new name is on the disk, too, where the system can promise that."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
