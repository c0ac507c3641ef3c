"""The mixture: real pairs and synthetic ones, as one corpus to train on.

Synthetic pairs have a side that a model wrote. They are trained on, never looked at and never tested with, and those
whose source or target stands in dev or test are left out, as real ones are.

A tag before the source says that a model wrote it. Without one a translator takes the ways of the model for those of
people; with one it learns from the target and puts the rest down to the tag (Caswell et al. 2019). Real pairs may be
repeated instead, or as well, so that they are not drowned (Sennrich et al. 2016).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from mirada.corpora.findings import CheckReport, DropsFile, Kept
from mirada.corpora.pair import Pair
from mirada.corpora.prepare import Divided, Gathered, leave_out
from mirada.corpora.split import Keys, Shares, Side, split
from mirada.corpora.spool import CHUNK, Spool

# A placeholder to the subwords, which make it one piece since it stands so often. In a text to translate the same word
# would be hidden in a slot, so that nobody asks for a synthetic style by chance.
TAG = "<back-translated>"


@dataclass(frozen=True, slots=True)
class Proportions:
    """How real and synthetic pairs are mixed."""

    tag: bool  # whether synthetic sources are told apart
    originals: int  # how often each real pair is there; 0: not at all


@dataclass(frozen=True, slots=True)
class Own:
    """The user's own files to look at and to test with."""

    dev: Gathered | None = None
    test: Gathered | None = None


def mix(
    real: Divided, synthetic: Gathered, own: Own, how: Proportions, folder: Path, drops: DropsFile | None = None
) -> Divided:
    """The training pairs of a split corpus with the synthetic ones that may stand beside dev and test, in `folder`."""
    dev, test = _held_out(real, Side.DEV, own.dev), _held_out(real, Side.TEST, own.test)
    sides = split(synthetic.spool.keys, Shares(0.0, 0.0), dev, test)
    leave_out(synthetic, sides, drops)
    report = CheckReport(worth=synthetic.report.worth + (real.gathered.report.worth if how.originals else 0))
    with Spool(folder) as spool:
        for _ in range(how.originals):
            _enter(real.gathered.spool.pairs(real.rows(Side.TRAIN)), spool, report)
        made = synthetic.spool.pairs(sides == Side.TRAIN)
        _enter((_tagged(pair) for pair in made) if how.tag else made, spool, report)
    return Divided(Gathered(spool, report), np.full(len(spool), Side.TRAIN, dtype=np.int8), real.shares)


def _held_out(real: Divided, side: Side, own: Gathered | None) -> Keys:
    """The keys of all that is looked at, or tested with: the user's own pairs and those of the split."""
    keys, rows = real.gathered.spool.keys, real.rows(side)
    source, target = keys.source[rows], keys.target[rows]
    if own is None:
        return Keys(source, target)
    given = own.spool.keys
    return Keys(np.concatenate([given.source, source]), np.concatenate([given.target, target]))


def _tagged(pair: Pair) -> Pair:
    return replace(pair, source=f"{TAG} {pair.source}")


def _enter(pairs: Iterable[Pair], spool: Spool, report: CheckReport) -> None:
    waiting = iter(pairs)
    while chunk := [Kept(pair) for pair in islice(waiting, CHUNK)]:
        report.add_kept(chunk, 0)
        for one in chunk:
            spool.add(one.pair)
