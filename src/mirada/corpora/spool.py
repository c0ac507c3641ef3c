"""The spool: the kept pairs of a corpus in one plain file, so that its own files are read and checked only once.

`pairs.tsv` holds file number, place, source and target; normalised texts have neither tabs nor line breaks. Beside it
stand the keys that the split needs, 16 bytes for each pair, which are mapped into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO, final

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import Pair, Place
from mirada.corpora.split import Keys
from mirada.text.hashes import hash_texts
from mirada.text.normalise import fold

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
        for pair in self._waiting:
            number = self._names.setdefault(pair.place.file, len(self._names))
            self._text.write(f"{number}\t{pair.place.number}\t{pair.source}\t{pair.target}\n")
        texts = ([pair.source for pair in self._waiting], [pair.target for pair in self._waiting])
        for file, side in zip(self._keys, texts, strict=True):
            file.write(hash_texts(map(fold, side)).astype("<u8").tobytes())
        self._count += len(self._waiting)
        self._waiting.clear()

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Keys:
        """The hashes of the folded texts of all pairs, mapped from their files."""
        return Keys(*map(self._map, KEYS))

    def _map(self, name: str) -> NDArray[np.uint64]:
        return np.memmap(self._folder / name, dtype="<u8", mode="r") if self._count else np.zeros(0, dtype=np.uint64)

    def __iter__(self) -> Iterator[Pair]:
        names = list(self._names)
        with (self._folder / PAIRS).open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                file, number, source, target = line[:-1].split("\t")
                yield Pair(source, target, Place(names[int(file)], int(number)))

    def chosen(self, rows: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
        """The texts of the pairs that are marked in `rows`."""
        with (self._folder / PAIRS).open(encoding="utf-8", newline="\n") as lines:
            for wanted, line in zip(rows.tolist(), lines, strict=True):
                if wanted:
                    _, _, source, target = line[:-1].split("\t")
                    yield source, target

    def remove(self) -> None:
        """Remove the files, when nobody reads them any more; the folder too, unless it holds something else."""
        for name in (PAIRS, *KEYS):
            (self._folder / name).unlink(missing_ok=True)
        if not any(self._folder.iterdir()):
            self._folder.rmdir()


def in_chunks(texts: Iterable[tuple[str, str]], size: int = CHUNK) -> Iterator[list[tuple[str, str]]]:
    """Sources with their targets, some thousand at a time."""
    waiting = iter(texts)
    while chunk := list(islice(waiting, size)):
        yield chunk
