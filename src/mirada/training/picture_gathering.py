"""Gathering pictures: read once, brought to one shape, divided and stored, in constant memory.

A picture's part is a function of its group, or of its pixels where it has none: equal pictures, and those of one group,
are never divided between training and what is held out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.pictures.arrays import Values
from mirada.corpora.pictures.fitting import USUAL_FRAMES, choose_shape, fit
from mirada.corpora.pictures.picture import Found, Picture, PictureShape
from mirada.corpora.pictures.reading import common_range, read_pictures
from mirada.corpora.pictures.store import PictureWriter
from mirada.corpora.split import Shares, Side, sides
from mirada.training.picture_config import PicturesConfig
from mirada.training.preparing import DROPS, PARTS, Files, Say

HELD_OUT = "the same picture, or one of its group, is held out"
TOLD_EVERY = 10_000  # pictures

Judge = Callable[[Picture], str | None]  # why a picture cannot be used, if it cannot
Take = Callable[[str, int, Picture], None]  # the part, its number there, and the picture


@dataclass(frozen=True)
class Gathered:
    """What was found."""

    shape: PictureShape
    values: Values | None
    counts: dict[str, int]  # by part
    dropped: dict[str, int]  # by reason


def gather(
    data: Path, files: Files, config: PicturesConfig, made_from: str, judge: Judge, take: Take, say: Say
) -> Gathered:
    """Store the pictures of a run in `data/train`, `data/dev` and `data/test`, each with what `take` keeps of it."""
    values = common_range(files.train)
    frames = config.frames or USUAL_FRAMES

    def read(path: Path) -> Iterator[Found]:
        return read_pictures(path, values, frames, config.group)

    usable = (one for path in files.train for one in read(path) if isinstance(one, Picture) and judge(one) is None)
    shape = choose_shape(usable, config.sides, config.frames, config.channels)
    if shape is None:
        raise CorpusError(_nothing_in(files.train[0], read, judge))
    say(f"Pictures are brought to {shape}.")
    with ExitStack() as stack:
        writers = {part: stack.enter_context(PictureWriter(data / part, made_from, shape)) for part in PARTS}
        drops = stack.enter_context((data / DROPS).open("w", encoding="utf-8"))
        work = _Work(shape, judge, take, writers, Counter(), drops.write, set())
        for part in ("test", "dev"):  # before what is trained on, which may hold none of them
            for one in chain.from_iterable(map(read, getattr(files, part))):
                work.keep(one, _always(part))
        held_out = frozenset(work.held_out)
        shares = Shares(0.0 if files.dev else config.dev_share, 0.0 if files.test else config.test_share)
        for number, one in enumerate(chain.from_iterable(map(read, files.train)), start=1):
            work.keep(one, lambda key: None if key in held_out else part_of(key, shares))
            if number % TOLD_EVERY == 0:
                say(f"{number:,} pictures read.")
    counts = {part: len(writer) for part, writer in writers.items()}
    _tell(work.dropped, data / DROPS, say)
    if not counts["train"]:
        raise CorpusError(f"of {sum(counts.values())} pictures none is left to train on; give more, or smaller shares")
    return Gathered(shape, values, counts, dict(work.dropped))


def _always(part: str) -> Callable[[int], str]:
    return lambda key: part


def part_of(key: int, shares: Shares) -> str:
    """What a picture is for, by the number that stands for it."""
    side = Side(int(sides(np.array([key], dtype=np.uint64), shares)[0]))
    return {Side.TRAIN: "train", Side.DEV: "dev", Side.TEST: "test"}[side]


def key_of(picture: Picture, pixels: NDArray[np.uint8]) -> int:
    """The number that stands for a picture: of its group, else of its pixels."""
    known = f"group {picture.group}".encode() if picture.group else pixels.tobytes()
    return int.from_bytes(blake2b(known, digest_size=8).digest(), "little")


@dataclass
class _Work:
    """Pictures on their way to their stores."""

    shape: PictureShape
    judge: Judge
    take: Take
    writers: dict[str, PictureWriter]
    dropped: Counter[str]
    drop: Callable[[str], int]
    held_out: set[int]

    def keep(self, one: Found, choose: Callable[[int], str | None]) -> None:
        """Store a picture in the part that is chosen by its key, or note why not."""
        if isinstance(one, Fault):
            self._note(str(one.place), one.reason, _kind(one.reason))
            return
        reason = self.judge(one)
        if reason is not None:
            self._note(str(one.place), reason, reason)
            return
        pixels = fit(one, self.shape)
        key = key_of(one, pixels)
        part = choose(key)
        if part is None:
            self._note(str(one.place), HELD_OUT, HELD_OUT)
            return
        if part != "train":
            self.held_out.add(key)
        self.take(part, len(self.writers[part]), one)
        self.writers[part].add(pixels)

    def _note(self, place: str, reason: str, kind: str) -> None:
        self.dropped[kind] += 1
        self.drop(json.dumps(place, ensure_ascii=False)[1:-1] + "\t" + reason.replace("\t", " ") + "\n")


def _kind(reason: str) -> str:
    """The reason without the name of the file, so that alike ones are counted together."""
    return reason.partition(": ")[2].partition(":")[0] or reason


def _tell(dropped: Counter[str], path: Path, say: Say) -> None:
    for reason, count in dropped.most_common():
        say(f"{count:,} pictures are left out: {reason}; all are listed in {path}")


def _nothing_in(path: Path, read: Callable[[Path], Iterator[Found]], judge: Judge) -> str:
    """Why a file gave no picture."""
    first = next(read(path), None)
    reason = "it is empty" if first is None else first.reason if isinstance(first, Fault) else judge(first)
    return f"{path} gives no picture that can be trained on; the first: {reason}"
