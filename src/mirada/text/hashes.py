"""Hashes of texts: 8 bytes that stand for a text, the same on every machine, and a set of them that stays small."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]


def hash_text(text: str) -> int:
    """A number below 2⁶⁴ that depends on the text alone."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def hash_texts(texts: Iterable[str]) -> Hashes:
    """`hash_text` of each text."""
    return hash_encoded(text.encode("utf-8", "surrogatepass") for text in texts)


def hash_encoded(texts: Iterable[bytes]) -> Hashes:
    """`hash_text` of each text, given in UTF-8."""
    digests = [blake2b(text, digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64, copy=False)


def mix(value: Hashes) -> Hashes:
    """The finalising mix of splitmix64 (Steele et al. 2014): neighbouring numbers become unrelated ones."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


class Seen:
    """A set of hashes that grows by whole arrays: 8 bytes for each, at most 16 while two parts are merged.

    Sorted parts whose sizes at least double from one to the next, so there are few to search, and each hash is
    merged only log₂(n) times. With 8 bytes, two different texts among a hundred million meet with a chance of 1 in
    3,700; among a million, of 1 in 37 million.
    """

    def __init__(self) -> None:
        self._parts: list[Hashes] = []

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def contains(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Which of these are in the set."""
        known = np.zeros(len(hashes), dtype=np.bool_)
        for part in self._parts:
            place = np.searchsorted(part, hashes)
            place[place == len(part)] = 0
            known |= part[place] == hashes
        return known

    def add(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Which of these are new, the first of equal ones counting as new; all are in the set afterwards."""
        unique, first = np.unique(hashes, return_index=True)
        fresh = ~self.contains(unique)
        new = np.zeros(len(hashes), dtype=np.bool_)
        new[first[fresh]] = True
        self._merge(unique[fresh])
        return new

    def _merge(self, part: Hashes) -> None:
        if not len(part):
            return
        while self._parts and len(self._parts[-1]) < 2 * len(part):
            part = np.concatenate([self._parts.pop(), part])
            part.sort(kind="stable")  # two sorted runs: merged in one sweep
        self._parts.append(part)
