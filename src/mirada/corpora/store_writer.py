"""Writing a token store: beside its place, fsynced, renamed, so that a store is whole or is not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, final

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.store_format import HEADER, NAMES, SIDES, Header, Side
from mirada.text.subwords import Flat


@final
class StoreWriter:
    """A store being written; use as a context. Nothing stands in its place until the end, and then all of it."""

    def __init__(self, folder: Path, made_from: str, vocabulary: int, variants: int = 1) -> None:
        if variants < 1 or not 0 < vocabulary <= 1 << 32:
            raise ValueError(f"variants = {variants}, vocabulary = {vocabulary}: use at least 1, and at most 2³² ids")
        self._folder = folder
        self._beside = folder.with_name(folder.name + ".writing")
        self._header = Header(made_from=made_from, vocabulary=vocabulary, variants=variants, pairs=0, files={})
        self._pairs = 0
        self._ends = dict.fromkeys(SIDES, 0)
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> StoreWriter:
        with self._telling():
            shutil.rmtree(self._beside, ignore_errors=True)  # what a killed run left
            self._beside.mkdir(parents=True)
            for name in sorted(NAMES - {HEADER}):
                self._files[name] = (self._beside / name).open("wb", buffering=1 << 20)
            for side in SIDES:
                self._files[f"{side}.offsets"].write(np.zeros(1, dtype="<i8").tobytes())
        return self

    def add(self, source: Sequence[Flat], target: Sequence[Flat]) -> None:
        """Add some pairs: of each side one `Flat` for each variant, all with the same number of texts."""
        counts = {len(lengths) for flats in (source, target) for _, lengths in flats}
        if len(counts) != 1 or {len(source), len(target)} != {self._header.variants}:
            raise ValueError(
                f"{len(source)} and {len(target)} variants with {sorted(counts)} texts were given; "
                f"{self._header.variants} of each side with the same number of texts are needed"
            )
        self.add_interleaved(interleaved(source), interleaved(target))

    def add_interleaved(self, source: Flat, target: Flat) -> None:
        """Add some pairs whose variants stand next to each other already."""
        texts = {len(lengths) for _, lengths in (source, target)}
        if len(texts) != 1 or (count := texts.pop()) % self._header.variants:
            raise ValueError(
                f"{len(source[1])} and {len(target[1])} texts were given; both sides need the same number of them, "
                f"{self._header.variants} for each pair"
            )
        with self._telling():
            for side, flat in zip(SIDES, (source, target), strict=True):
                self._add_side(side, *flat)
        self._pairs += count // self._header.variants

    def _add_side(self, side: Side, tokens: NDArray[np.uint32], lengths: NDArray[np.int64]) -> None:
        if len(tokens) and int(tokens.max()) >= self._header.vocabulary:
            raise ValueError(f"id {tokens.max()} is outside the vocabulary of {self._header.vocabulary} ids")
        offsets = self._ends[side] + np.cumsum(lengths)
        self._ends[side] += len(tokens)
        self._files[f"{side}.tokens"].write(tokens.astype(self._header.token_type).tobytes())
        self._files[f"{side}.lengths"].write(lengths.astype("<i4").tobytes())
        self._files[f"{side}.offsets"].write(offsets.astype("<i8").tobytes())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with self._telling(), ExitStack() as closing:  # a file that cannot be kept must not keep others open
                for file in self._files.values():
                    closing.callback(_close, file, durable=kind is None)
            if kind is None:
                with self._telling():
                    self._publish()
        finally:
            shutil.rmtree(self._beside, ignore_errors=True)

    def _publish(self) -> None:
        sizes = {name: (self._beside / name).stat().st_size for name in self._files}
        header = self._header.model_copy(update={"pairs": self._pairs, "files": sizes}).sealed()
        with (self._beside / HEADER).open("wb") as file:
            file.write(header.model_dump_json(indent=1).encode())
            _close(file, durable=True)
        _sync_folder(self._beside)
        remove_store(self._folder)
        self._beside.rename(self._folder)
        _sync_folder(self._folder.parent)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn a failure of the disk into a sentence that names the store."""
        try:
            yield
        except OSError as error:
            raise CorpusError(
                f"the token store {self._folder} could not be written: {error.strerror}; make room or move it"
            ) from error


def remove_store(folder: Path) -> None:
    """Remove a store, and never a folder that holds anything else."""
    if not folder.exists():
        return
    foreign = sorted(entry.name for entry in folder.iterdir() if entry.name not in NAMES)
    if foreign:
        raise CorpusError(f"{folder} holds {foreign[0]}, which is no part of a token store; choose another folder")
    shutil.rmtree(folder)


def _close(file: BinaryIO, durable: bool) -> None:
    """Close a file, and see to it that its bytes are on the disk if they are to last."""
    with file:
        if durable:
            file.flush()
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """See to it that the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def interleaved(flats: Sequence[Flat]) -> Flat:
    """Several variants of some texts, text by text, so that a batch reads few pages: a₀ a₁ … b₀ b₁ …"""
    if len(flats) == 1:
        return flats[0]
    lengths = np.stack([lengths for _, lengths in flats], axis=1)  # [texts, variants]
    bases = np.cumsum([0, *(len(tokens) for tokens, _ in flats[:-1])])
    starts = bases + np.cumsum(lengths, axis=0) - lengths
    flat = lengths.ravel()
    within = np.arange(int(flat.sum())) - np.repeat(np.cumsum(flat) - flat, flat)
    tokens = np.concatenate([tokens for tokens, _ in flats])
    return tokens[np.repeat(starts.ravel(), flat) + within], flat
