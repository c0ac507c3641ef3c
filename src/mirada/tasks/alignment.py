"""Alignment as a task: a model is made to say a translation, and its looks at the source are read as links of words.

    looks of one layer and head → looks between words → for each target word the source word that is looked at most

The subwords of a word are taken together as in the pictures: the mean over those that look, the sum over those that are
looked at. Words are what spaces divide a line into. The end mark is where a head looks that has nothing to look for, so
it is no one's source.

Legend: B batch, H heads, N target places, S source places, M target words, K source words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Uniform
from mirada.data.batch import Batch, pair_up
from mirada.decoding.engine import LONGEST_LIMIT, Link
from mirada.decoding.search import padded
from mirada.models.engine import alignment_layer
from mirada.models.folder import Loaded
from mirada.models.forced import forced_looks
from mirada.text.coding import encode, encode_beside, pieces
from mirada.text.normalise import normalise
from mirada.text.slots import without_marks
from mirada.text.subwords import END, SPACE, Subwords
from mirada.text.words import spaced_words

When = Literal["written", "read"]

PAIRS_AT_ONCE = 1_024  # that are sorted by length together
LOOKS_AT_ONCE = 262_144  # B · N · S of a batch; with 6 layers of 8 heads their weights take 50 MB
SAMPLE = 2_000  # pairs that the best reading is chosen on
FEWEST = 20  # words on both sides that the choice needs


@dataclass(frozen=True, slots=True)
class Reading:
    """How looks are read as an alignment: those of which layer, of which head, and when.

    `written`: the look by which a word is chosen. `read`: the look when it has just entered the decoder, which by then
    knows it (Chen et al. 2020, 3.2). Layers and heads count from 0; head None is the mean of all.
    """

    layer: int
    head: int | None = None
    when: When = "written"

    def __str__(self) -> str:
        head = "mean of the heads" if self.head is None else f"head {self.head + 1}"
        return f"layer {self.layer + 1}, {head}, when {self.when}"

    def as_json(self) -> dict[str, object]:
        """The reading for programs, which count from 1 as the options do."""
        return {
            "layer": self.layer + 1,
            "head": None if self.head is None else self.head + 1,
            "when": self.when,
        }


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair: its ids with the end mark, the group of each piece, and the words of each group."""

    ids: list[int]
    groups: list[int]
    words: list[list[int]]


Sides = tuple[Side, Side]  # source and target


@dataclass(frozen=True, slots=True)
class Aligned:
    """The links of a pair, or the reason why there are none."""

    links: tuple[Link, ...]
    refused: str | None = None


class Aligner:
    """A model that aligns pairs of sentences."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._attentions = loaded.model.looks_at_source()
        self._usual = alignment_layer(loaded)  # a model without attention says so here
        if all(isinstance(attention.score, Uniform) for attention in self._attentions):
            raise ValueError("this model looks at all words alike (mean), so there is no alignment; use another model")
        self._places = loaded.config.model.places

    def reading(self, layer: int | None = None, head: int | None = None, when: When = "written") -> Reading:
        """A reading of this model; without a layer, of the one that aligns translations."""
        chosen = self._usual if layer is None else layer
        layers = len(self._attentions)
        if not 0 <= chosen < layers:
            raise ValueError(f"layer = {chosen + 1}, but the decoder looks at the source in the layers 1 to {layers}")
        heads = self._attentions[chosen].heads.count
        if head is not None and not 0 <= head < heads:
            raise ValueError(f"head = {head + 1}, but the heads of layer {chosen + 1} are 1 to {heads}")
        return Reading(chosen, head, when)

    def readings(self) -> list[Reading]:
        """Every reading of this model."""
        moments: tuple[When, ...] = ("written", "read")
        return [
            Reading(layer, head, when)
            for layer, attention in enumerate(self._attentions)
            for head in (None, *range(attention.heads.count))
            for when in moments
        ]

    def best(self, pairs: Sequence[tuple[str, str]]) -> Reading:
        """The reading that finds most words which stand once on both sides of a pair; no gold is needed.

        Such a word, a name or a number, is nearly always its own translation. Every different word counts alike, so
        that frequent ones do not decide alone. Among the looks that write only: a word that has been read is found
        again by its likeness, and so by heads that find no word which is translated.
        """
        known = [shared_words(*pair) for pair in pairs[:SAMPLE]]
        counts = Counter(word for shared in known for word in shared)
        if counts.total() < FEWEST:
            raise ValueError(
                f"{counts.total()} words stand once on both sides of a pair, too few to find the best head by; at "
                f"least {FEWEST} are needed: give more pairs, or choose a layer and a head"
            )
        readings = [reading for reading in self.readings() if reading.when == "written"]
        hits = [0.0] * len(readings)
        for shared, found in zip(known, self.align(pairs[:SAMPLE], readings), strict=True):
            for number, aligned in enumerate(found):
                hits[number] += sum(1 / counts[word] for word, link in shared.items() if link in aligned.links)
        return readings[hits.index(max(hits))]

    def align(self, pairs: Sequence[tuple[str, str]], readings: Sequence[Reading]) -> Iterator[list[Aligned]]:
        """The links of each pair in order, by each of these readings."""
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            yield from self._aligned(pairs[start : start + PAIRS_AT_ONCE], readings)

    def _aligned(self, pairs: Sequence[tuple[str, str]], readings: Sequence[Reading]) -> list[list[Aligned]]:
        coded, refused = self._code(pairs)
        found = [[Aligned((), refused.get(number))] * len(readings) for number in range(len(pairs))]
        for batch, numbers in _batches(coded):
            sides = [coded[number] for number in numbers]
            tables = [_most(look, sides) for look in self._looks(batch, readings)]
            for row, number in enumerate(numbers):
                found[number] = [Aligned(_links(table[row], *coded[number])) for table in tables]
        return found

    def _code(self, pairs: Sequence[tuple[str, str]]) -> tuple[dict[int, Sides], dict[int, str]]:
        """The pairs as the model reads them, by their number, and why some are not read; one may have no words."""
        coded: dict[int, Sides] = {}
        refused: dict[int, str] = {}
        most = LONGEST_LIMIT if self._places is None else min(LONGEST_LIMIT, self._places)
        for number, pair in enumerate(pairs):
            sides = _sides(self._loaded.subwords, *pair)
            if sides is None:
                continue
            longest = max(len(side.ids) for side in sides)
            if longest > most:
                refused[number] = f"{longest:,} tokens, and at most {most:,} are aligned"
            else:
                coded[number] = sides
        return coded, refused

    def _looks(self, batch: Batch, readings: Sequence[Reading]) -> Iterator[Float[Tensor, "B N S"]]:
        """For every reading, where each target token looks; the end mark, of either side, is looked at by nobody."""
        layers = sorted({reading.layer for reading in readings})
        batch = batch.to(self._loaded.model.output.weight.device)
        weights = forced_looks(
            self._loaded.model,
            [self._attentions[layer] for layer in layers],
            batch.source,
            batch.source_padding,
            batch.target,
            batch.target_padding,
        )
        unreal = (batch.source <= END)[:, None, :].cpu()
        for reading in readings:
            heads = weights[layers.index(reading.layer)]
            looks = (heads.mean(1) if reading.head is None else heads[:, reading.head]).float().cpu()
            # Token n is chosen by row n, and enters for row n + 1.
            moment = slice(None, -1) if reading.when == "written" else slice(1, None)
            yield looks[:, moment].masked_fill(unreal, 0.0)


def shared_words(source: str, target: str) -> dict[str, Link]:
    """The words with a letter or a digit that stand once on both sides, and their links."""
    sources, targets = source.split(), target.split()
    once = [{word for word, count in Counter(words).items() if count == 1} for words in (sources, targets)]
    return {
        word: (sources.index(word), targets.index(word))
        for word in sources
        if word in once[0] & once[1] and any(map(str.isalnum, word))
    }


def _cleaned(line: str) -> tuple[str, list[int]]:
    """A line as the model reads it, and the numbers of the words that are left of it: some are invisible."""
    words = [normalise(without_marks(word)) for word in line.split()]
    return " ".join(filter(None, words)), [number for number, word in enumerate(words) if word]


def _sides(subwords: Subwords, source: str, target: str) -> Sides | None:
    """Both sides of a pair as a model reads them; None where one has no words."""
    (source, source_words), (target, target_words) = _cleaned(source), _cleaned(target)
    if not source_words or not target_words:
        return None
    (coded,) = encode(subwords, [source])
    said = [*encode_beside(subwords, target, source), END]
    return (
        _side(subwords, coded.ids, coded.symbols, source_words),
        _side(subwords, said, coded.symbols, target_words),
    )


def _side(subwords: Subwords, ids: list[int], symbols: Sequence[str], numbers: Sequence[int]) -> Side:
    # The sign for a space may stand in a symbol as itself.
    shown = pieces(subwords, ids[:-1], [symbol.replace(SPACE, "") for symbol in symbols])
    groups, words = spaced_words(shown)
    return Side(ids, groups, [[numbers[word] for word in group] for group in words])


def _batches(coded: Mapping[int, Sides]) -> Iterator[tuple[Batch, list[int]]]:
    """Pairs of like length together, with their numbers."""
    numbers: list[int] = []
    longest = 0
    for number in sorted(coded, key=lambda one: [len(side.ids) for side in reversed(coded[one])]):
        source, target = (len(side.ids) for side in coded[number])
        longest = max(longest, source)
        if numbers and (len(numbers) + 1) * longest * target > LOOKS_AT_ONCE:
            yield _batch([coded[one] for one in numbers]), numbers
            numbers, longest = [], source
        numbers.append(number)
    if numbers:
        yield _batch([coded[one] for one in numbers]), numbers


def _batch(pairs: Sequence[Sides]) -> Batch:
    sources, targets = ([pair[side].ids for pair in pairs] for side in (0, 1))
    (source, read), (target, said) = padded(sources, "cpu"), padded(targets, "cpu")
    return pair_up(source.numpy(), read.real.sum(1).numpy(), target.numpy(), said.real.sum(1).numpy())


def _most(looks: Float[Tensor, "B N S"], pairs: Sequence[Sides]) -> list[list[int]]:
    """For every pair and each group of its target the group of its source that is looked at most."""
    sources, targets = (_table([pair[side].groups for pair in pairs]) for side in (0, 1))
    at = _summed(looks[:, :, : sources.shape[1]], sources).transpose(1, 2)
    # The mean over those that look ranks as their sum does.
    between = _summed(at[:, :, : targets.shape[1]], targets).transpose(1, 2)
    beyond = torch.arange(between.shape[2]) > sources.max(1, keepdim=True).values
    return between.masked_fill(beyond[:, None], -torch.inf).argmax(-1).tolist()


def _summed(looks: Float[Tensor, "B R P"], groups: Int[Tensor, "B P"]) -> Float[Tensor, "B R G"]:
    """The sums over the places of each group; the last group is that of the places that belong to none."""
    count = int(groups.max()) + 1
    spread = groups.masked_fill(groups < 0, count)[:, None].expand(-1, looks.shape[1], -1)
    return looks.new_zeros(*looks.shape[:2], count + 1).scatter_add_(2, spread, looks)[:, :, :count]


def _table(rows: Sequence[Sequence[int]]) -> Int[Tensor, "B P"]:
    """Rows of numbers, filled up with −1."""
    table = torch.full((len(rows), max(map(len, rows))), -1)
    for place, row in enumerate(rows):
        table[place, : len(row)] = torch.tensor(row)
    return table


def _links(most: Sequence[int], source: Side, target: Side) -> tuple[Link, ...]:
    """The links between the words of groups."""
    linked = zip(most, target.words, strict=False)  # a longer pair of the batch has more groups
    return tuple((one, other) for group, words in linked for other, one in product(words, source.words[group]))
