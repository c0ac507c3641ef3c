"""Preparing a corpus: checked, split, cut into subwords and stored, from a stream of units to three token stores.

    units → check → spool → split → subwords → stores of train, dev and test

Each unit is read once, and memory does not grow with the corpus but for the keys: 24 bytes for each pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.beside import encode_by_two
from mirada.corpora.check import Limits, check
from mirada.corpora.encoding import Segmenting, encode_all, worth_two
from mirada.corpora.findings import CheckReport, Drop, DropsFile, Kept, Reason
from mirada.corpora.pair import CorpusError, Unit
from mirada.corpora.preceding import Documents, preceded
from mirada.corpora.split import NO_KEYS, Shares, Side, overlaps, shares_for, split
from mirada.corpora.spool import CHUNK, Spool, in_chunks
from mirada.corpora.store import Store, StoreWriter
from mirada.corpora.telling import Tell, clock, counted, silent
from mirada.corpora.verdict import running_words
from mirada.text.slotting import slotted
from mirada.text.subwords import Subwords
from mirada.text.vocabulary import collect, learn_from

LEFT_OUT = {Side.SOURCE_HELD_OUT: Reason.SOURCE_HELD_OUT, Side.TARGET_HELD_OUT: Reason.TARGET_HELD_OUT}


@dataclass(frozen=True, slots=True)
class Settings:
    """How a corpus is prepared; together with the files, this decides every byte of the result."""

    source: str
    target: str
    limits: Limits = field(default_factory=Limits)
    shares: Shares | None = None  # by the size of the corpus
    vocabulary: int | None = None  # by the size of the corpus
    variants: int = 1  # segmentations of each training pair
    seed: int = 0
    context: int = 0  # sentences before a pair that its source is read with


@dataclass(frozen=True, slots=True)
class Gathered:
    """A checked corpus: its kept pairs in a spool, and the account of the others."""

    spool: Spool
    report: CheckReport
    documents: int = 0  # counted where pairs are read with what stands before them
    behind: int = 0  # of the kept pairs, those with something before them

    def told(self, part: str, context: int) -> str:
        """What the documents of a part of the data are, in plain words."""
        return (
            f"{self.documents:,} {part} documents, which end with a file, an empty line (in CSV a row of empty cells) "
            f"or where the file says so; each source is read with up to {context} before it: "
            f"{self.behind:,} of {len(self.spool):,} pairs have one."
        )


@dataclass(frozen=True, slots=True)
class Divided:
    """A split corpus: what each of its pairs is for."""

    gathered: Gathered
    sides: NDArray[np.int8]
    shares: Shares

    def rows(self, side: Side) -> NDArray[np.bool_]:
        """Which pairs are on a side."""
        return self.sides == side

    def count(self, side: Side) -> int:
        """How many pairs are on a side."""
        return int(np.count_nonzero(self.sides == side))


def gather(units: Iterable[Unit], settings: Settings, folder: Path, drops: DropsFile | None = None) -> Gathered:
    """Check every unit; the kept ones go to a spool in `folder`, the others to `drops`."""
    report, documents, behind = CheckReport(), Documents(), 0
    if settings.context:
        units = preceded(units, settings.context, documents)
    with Spool(folder) as spool:
        for outcome in check(units, settings.source, settings.target, report, settings.limits):
            if isinstance(outcome, Kept):
                spool.add(outcome.pair)
                behind += bool(outcome.pair.context)
            elif drops is not None:
                drops.write(outcome)
    return Gathered(spool, report, documents.count, behind)


def divide(
    gathered: Gathered,
    settings: Settings,
    dev: Gathered | None = None,
    test: Gathered | None = None,
    drops: DropsFile | None = None,
) -> Divided:
    """Split a checked corpus; `dev` and `test` are the user's own, and then none are taken from the corpus for them.

    What cannot be trained on is taken back in the report and listed in `drops`.
    """
    shares = settings.shares or shares_for(len(gathered.spool))
    shares = Shares(0.0 if dev else shares.dev, 0.0 if test else shares.test)
    chosen = split(
        gathered.spool.keys, shares, dev.spool.keys if dev else NO_KEYS, test.spool.keys if test else NO_KEYS
    )
    leave_out(gathered, chosen, drops)
    return Divided(gathered, chosen, shares)


def leave_out(gathered: Gathered, sides: NDArray[np.int8], drops: DropsFile | None = None) -> None:
    """Take back in the report, and list in `drops`, the pairs whose text stands in dev or test."""
    held_out = sides >= Side.SOURCE_HELD_OUT
    for side, pair in zip(sides[held_out].tolist(), gathered.spool.pairs(held_out), strict=True):
        drop = Drop(pair.place, LEFT_OUT[Side(side)], "the same or nearly", pair.source, pair.target)
        gathered.report.take_back(drop)
        if drops is not None:
            drops.write(drop)


def learn_subwords(divided: Divided, settings: Settings, reading: Tell = silent, learning: Tell = silent) -> Subwords:
    """The vocabulary of the training pairs, both languages together; `reading` and `learning` hear how far each is."""
    rows = divided.rows(Side.TRAIN)
    if not rows.any():
        raise CorpusError("no pair is left to train on; see the reasons that `mirada check` lists, or add data")
    pairs = counted(divided.gathered.spool.chosen(rows), divided.count(Side.TRAIN), reading)
    collected = collect(text for pair in pairs for text in slotted(*pair, settings.seed).variant(0))
    with clock(collected.seconds, learning):
        return learn_from(collected, settings.vocabulary, running_words(divided.gathered.report)).subwords


def build_store(
    spool: Spool,
    rows: NDArray[np.bool_],
    subwords: Subwords,
    folder: Path,
    made_from: str,
    variants: int = 1,
    seed: int = 0,
    tell: Tell = silent,
    longest: int | None = None,
) -> Store:
    """The token store of the marked pairs, with end marks, in `folder`; slotted, if the subwords have slots.

    `longest` are the most ids of a source with what is read before it.
    """
    total = int(np.count_nonzero(rows))
    encode = encode_by_two if worth_two(total) else encode_all
    encoding = closing(encode(in_chunks(spool.lines(rows)), subwords, Segmenting(variants, seed, longest)))
    with StoreWriter(folder, made_from, subwords.size, variants) as writer, encoding as encoded:
        for number, (source, target) in enumerate(encoded, start=1):
            writer.add_interleaved(source, target)
            tell(min(1.0, number * CHUNK / total))
    return Store.open(folder)


def leak(one: Gathered, other: Gathered) -> int:
    """How many pairs of a user's own file have a text that stands in another of them: for a warning."""
    return int(np.count_nonzero(overlaps(one.spool.keys, other.spool.keys)))
