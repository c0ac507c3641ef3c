"""Encoding: training pairs as the ids of a token store, some thousand at a time, by one process or by two.

    line of a spool → texts → slots → segmentations → ids

A side's ids are a function of the subwords, the seed and the pairs, so it does not matter who computes them. With two
processes each has one side: languages have few words in common, so that the segmentations of a word, which are slow to
find, are found by one of them only.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from mirada.corpora.spool import texts_and_context_in
from mirada.corpora.store_writer import interleaved
from mirada.text.context import in_order, joined
from mirada.text.sampling import Sampler
from mirada.text.slotting import Slotted, slotted
from mirada.text.subwords import Flat, Subwords

SOURCE, TARGET = 0, 1
WORTH_TWO = 50_000  # pairs: to begin a process takes a third of a second, to encode so many some seconds
Both = tuple[Flat, Flat]  # of the source and of the target
Encoded = Generator[Both, None, None]  # who stops listening closes it


@dataclass(frozen=True, slots=True)
class Segmenting:
    """How many segmentations of each text are wanted, and the seed that they are drawn by.

    `longest` are the most ids of a source with what is read before it.
    """

    variants: int = 1
    seed: int = 0
    longest: int | None = None


class Encoder:
    """Encodes sides of pairs; it remembers the segmentations of words, which changes no result."""

    def __init__(self, subwords: Subwords, wanted: Segmenting) -> None:
        self._slots = subwords.slots > 0
        self._wanted = wanted
        self._sampler = Sampler(subwords, wanted.seed)

    def encode(self, lines: Iterable[bytes], sides: Sequence[int]) -> list[Flat]:
        """The ids of these sides of the pairs in some lines of a spool: the variants of a text next to each other."""
        found = list(map(texts_and_context_in, lines))
        contexts = [context for _, context in found]
        pairs = (pair for pair, _ in found)
        made = [slotted(*pair, self._wanted.seed) if self._slots else Slotted(*pair, marked=False) for pair in pairs]
        texts = [[pair.variant(number) for pair in made] for number in range(self._wanted.variants)]
        drawn = [self._drawn([[pair[side] for pair in one] for one in texts], side, contexts) for side in sides]
        return list(map(interleaved, drawn))

    def _drawn(self, variants: list[list[str]], side: int, contexts: list[list[str]]) -> list[Flat]:
        """The ids of one side, variant by variant: of sources with what stands before them."""
        if side == TARGET or not any(contexts):
            return self._sampler.draw_all(variants, end=True)
        drawn = self._sampler.draw_all([in_order(texts, contexts) for texts in variants], end=True)
        return [joined(flat, contexts, self._wanted.longest) for flat in drawn]


def encode_all(chunks: Iterable[Sequence[bytes]], subwords: Subwords, wanted: Segmenting) -> Encoded:
    """Both sides of the lines of a spool, chunk by chunk, by this process alone."""
    encoder = Encoder(subwords, wanted)
    for lines in chunks:
        source, target = encoder.encode(lines, (SOURCE, TARGET))
        yield source, target


def worth_two(pairs: int) -> bool:
    """Whether so many pairs are encoded sooner by two processes on this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores > 1 and pairs >= WORTH_TWO
