"""The split: which pairs are kept apart for development and test, and which may then not be trained on.

A pair's side is a function of its source alone: the hash of the folded source (`mirada.text.normalise.fold`) is a
number in [0, 1); below the test share it is test, from 1 − dev share on it is dev, else train. Adding data moves no
pair, all translations of one source stand on one side, and near-duplicates do too.

The shares follow the size of the corpus in steps of two, so they seldom change as it grows; and when they do, they
shrink, so that a smaller held-out set is a part of the larger one and no training pair ever becomes a test pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import floor, log2

import numpy as np
from numpy.typing import NDArray

from mirada.text.hashes import Hashes, hash_text
from mirada.text.normalise import fold, normalise

SHARE = 0.01
FEWEST, MOST = 500, 2_000  # pairs of dev, and of test, that are aimed at
LARGEST_SHARE = 0.1


class Side(IntEnum):
    """What a pair is for; the last two are pairs that cannot be trained on, since dev or test hold their text."""

    TRAIN = 0
    DEV = 1
    TEST = 2
    SOURCE_HELD_OUT = 3
    TARGET_HELD_OUT = 4


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of sources that are held out; 0 where the user gives a file for it."""

    dev: float
    test: float

    def __post_init__(self) -> None:
        if not (self.dev >= 0 and self.test >= 0 and self.dev + self.test <= 1):
            raise ValueError(
                f"dev = {self.dev}, test = {self.test} are no shares; use numbers from 0 on, together at most 1"
            )


@dataclass(frozen=True, slots=True)
class Keys:
    """The hashes of the folded sources and targets of some pairs, 8 bytes each."""

    source: Hashes
    target: Hashes


NO_KEYS = Keys(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint64))


def shares_for(pairs: int) -> Shares:
    """The default shares: 1 % each, but aiming at 500 to 2,000 pairs, and never more than a tenth.

    The share is rounded down to a power of a half, so a corpus must double before it changes: about 450 pairs of
    29,000, 125 of 2,000, 1,950 of a million. A corpus of a few dozen may have none.
    """
    if pairs < 1:
        return Shares(0.0, 0.0)
    wanted = min(max(SHARE * pairs, FEWEST), MOST)
    share = 2.0 ** floor(log2(min(wanted / pairs, LARGEST_SHARE)))
    return Shares(share, share)


def key_of(text: str) -> int:
    """The number that stands for a text and all its near-duplicates."""
    return hash_text(fold(normalise(text)))


def side_of(source: str, shares: Shares) -> Side:
    """The side of a pair with this source, whatever else the corpus holds."""
    return Side(int(sides(np.array([key_of(source)], dtype=np.uint64), shares)[0]))


def sides(keys: Hashes, shares: Shares) -> NDArray[np.int8]:
    """The side of each source key."""
    place = (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53  # in [0, 1), exactly
    result = np.full(len(keys), Side.TRAIN, dtype=np.int8)
    result[place >= 1 - shares.dev] = Side.DEV
    result[place < shares.test] = Side.TEST
    return result


def split(keys: Keys, shares: Shares, given_dev: Keys = NO_KEYS, given_test: Keys = NO_KEYS) -> NDArray[np.int8]:
    """What each pair is for, as values of `Side`. Test goes before dev, and both before train.

    `given_dev` and `given_test` are the pairs of the user's own files. Of the pairs that would be train, those whose
    source or target is a near-duplicate of one in dev or test are marked; of dev, those found in test.
    """
    result = sides(keys.source, shares)
    test = _joined(given_test, keys, result == Side.TEST)
    _mark(result, keys, Side.DEV, test)
    held_out = _joined(_pair_up(test, given_dev), keys, result == Side.DEV)
    _mark(result, keys, Side.TRAIN, held_out)
    return result


def overlaps(keys: Keys, others: Keys) -> NDArray[np.bool_]:
    """Which pairs have a source or a target that stands, nearly or exactly, among the others'."""
    return np.isin(keys.source, others.source) | np.isin(keys.target, others.target)


def _mark(result: NDArray[np.int8], keys: Keys, side: Side, held_out: Keys) -> None:
    rows = np.flatnonzero(result == side)
    target = np.isin(keys.target[rows], held_out.target)
    source = np.isin(keys.source[rows], held_out.source)
    result[rows[target]] = Side.TARGET_HELD_OUT
    result[rows[source]] = Side.SOURCE_HELD_OUT


def _joined(given: Keys, keys: Keys, rows: NDArray[np.bool_]) -> Keys:
    return _pair_up(given, Keys(keys.source[rows], keys.target[rows]))


def _pair_up(first: Keys, second: Keys) -> Keys:
    return Keys(np.concatenate([first.source, second.source]), np.concatenate([first.target, second.target]))
