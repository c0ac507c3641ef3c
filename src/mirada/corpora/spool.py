"""The spool: the kept pairs of a corpus in one plain file, so that its own files are read and checked only once.

`pairs.tsv` holds file number, place, source, target, and what stands before the source if that is read with it;
normalised texts have neither tabs nor line breaks. Beside it stand the keys that the split needs, 16 bytes for each
pair, which are mapped into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress, islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import Pair, Place
from mirada.corpora.split import Keys
from mirada.text.hashes import hash_encoded
from mirada.text.normalise import fold_encoded

T = TypeVar("T")

CHUNK = 16_384
PAIRS, KEYS = "pairs.tsv", ("source.keys", "target.keys")


@final
class Spool:
    """Pairs on disk: written once, then read in order as often as needed. Use as a context; it leaves its files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, int] = {}
        self._waiting: list[Pair] = []
        self._count = 0
        self._text: TextIO | None = None
        self._keys: list[BinaryIO] = []

    def __enter__(self) -> Spool:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._text = (self._folder / PAIRS).open("w", encoding="utf-8", newline="\n")
        self._keys = [(self._folder / name).open("wb") for name in KEYS]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._write()
        finally:
            for file in (self._text, *self._keys):
                if file is not None:
                    file.close()
            self._text = None

    def add(self, pair: Pair) -> None:
        """Add a pair whose texts are normalised."""
        self._waiting.append(pair)
        if len(self._waiting) >= CHUNK:
            self._write()

    def _write(self) -> None:
        if self._text is None:
            raise ValueError("the spool is not open for writing; add pairs inside its `with`")
        self._text.writelines(map(self._line, self._waiting))
        # A text that stands after another one is another text.
        sources = [" ".join((*pair.context, pair.source)) for pair in self._waiting]
        targets = [" ".join((*pair.context, pair.target)) for pair in self._waiting]
        for file, side in zip(self._keys, (sources, targets), strict=True):
            file.write(hash_encoded(map(fold_encoded, side)).astype("<u8").tobytes())
        self._count += len(self._waiting)
        self._waiting.clear()

    def _line(self, pair: Pair) -> str:
        number = self._names.setdefault(pair.place.file, len(self._names))
        return "\t".join((f"{number}\t{pair.place.number}", pair.source, pair.target, *pair.context)) + "\n"

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Keys:
        """The hashes of the folded texts of all pairs, mapped from their files."""
        return Keys(*map(self._map, KEYS))

    def _map(self, name: str) -> NDArray[np.uint64]:
        return np.memmap(self._folder / name, dtype="<u8", mode="r") if self._count else np.zeros(0, dtype=np.uint64)

    def __iter__(self) -> Iterator[Pair]:
        return self.pairs(np.ones(len(self), dtype=np.bool_))

    def pairs(self, rows: NDArray[np.bool_]) -> Iterator[Pair]:
        """The pairs that are marked in `rows`, with their places."""
        names = list(self._names)
        for line in self.lines(rows):
            file, number, source, target, *context = line.decode()[:-1].split("\t")
            yield Pair(source, target, Place(names[int(file)], int(number)), tuple(context))

    def chosen(self, rows: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
        """The texts of the pairs that are marked in `rows`."""
        return map(texts_in, self.lines(rows))

    def lines(self, rows: NDArray[np.bool_]) -> Iterator[bytes]:
        """The pairs that are marked in `rows`, as they stand in the file; `texts_in` reads them."""
        if len(rows) != len(self):
            raise ValueError(f"{len(rows)} rows were given for {len(self)} pairs; there must be one for each")
        with (self._folder / PAIRS).open("rb", buffering=1 << 20) as lines:
            yield from compress(lines, rows.tolist())

    def remove(self) -> None:
        """Remove the files, when nobody reads them any more; the folder too, unless it holds something else."""
        for name in (PAIRS, *KEYS):
            (self._folder / name).unlink(missing_ok=True)
        if not any(self._folder.iterdir()):
            self._folder.rmdir()


def texts_in(line: bytes) -> tuple[str, str]:
    """The source and the target in a line of a spool."""
    return texts_and_context_in(line)[0]


def texts_and_context_in(line: bytes) -> tuple[tuple[str, str], list[str]]:
    """The source and the target in a line of a spool, and what stands before the source."""
    _, _, source, target, *context = line.decode()[:-1].split("\t")
    return (source, target), context


def in_chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Pairs, or their lines, some thousand at a time."""
    waiting = iter(items)
    while chunk := list(islice(waiting, size)):
        yield chunk
