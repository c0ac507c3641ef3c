"""Findings: what became of every unit that was read, counted, measured and listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import final

import numpy as np

from mirada.corpora.pair import Pair, Place


class Reason(StrEnum):
    """Why a unit is not used."""

    REJECTED = "rejected in reading"
    EMPTY = "an empty side"
    TOO_LONG = "too long"
    CONTROL = "control characters"
    DAMAGED = "damaged encoding"
    IDENTICAL = "identical sides"
    LENGTH_RATIO = "length ratio"
    WRONG_SCRIPT = "wrong script"
    WRONG_LANGUAGE = "wrong language"
    DUPLICATE = "duplicate"
    SOURCE_HELD_OUT = "source stands in dev or test"
    TARGET_HELD_OUT = "target stands in dev or test"


class Doubt(StrEnum):
    """What is odd about a pair that is used all the same."""

    PLACEHOLDERS = "placeholders differ"


@dataclass(frozen=True, slots=True)
class Kept:
    """A pair that is used, with its texts normalised, and what is odd about it."""

    pair: Pair
    doubts: tuple[tuple[Doubt, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """A unit that is not used, the reason, and what was found; of a Fault, `source` is its text."""

    place: Place
    reason: Reason
    detail: str
    source: str
    target: str


Outcome = Kept | Drop

EXAMPLES = 5  # kept for each reason
SHOWN = 200  # characters of a text that are shown


class Lengths:
    """The lengths of texts, counted exactly in constant memory: how many texts have each length."""

    LONGEST = 10_000  # longer ones are counted as this long

    def __init__(self) -> None:
        self._counts = np.zeros(self.LONGEST + 1, dtype=np.int64)
        self.total = 0

    def add(self, lengths: Iterable[int]) -> None:
        """Count some texts."""
        new = np.fromiter(lengths, dtype=np.int64)
        self.total += int(new.sum())
        self._counts += np.bincount(np.minimum(new, self.LONGEST), minlength=self.LONGEST + 1)

    def __len__(self) -> int:
        return int(self._counts.sum())

    @property
    def mean(self) -> float:
        """The mean length, 0 of nothing."""
        return self.total / len(self) if len(self) else 0.0

    def quantile(self, share: float) -> int:
        """The smallest length that at least this share of the texts do not exceed, 0 of nothing."""
        return int(np.searchsorted(np.cumsum(self._counts), max(1, ceil(share * len(self))))) if len(self) else 0

    def as_json(self) -> dict[str, float]:
        """The mean and the quantiles that a reader wants to see."""
        quantiles = {"median": 0.5, "ninety": 0.9, "ninety_nine": 0.99, "longest": 1.0}
        return {"mean": round(self.mean, 2), **{name: self.quantile(share) for name, share in quantiles.items()}}


@dataclass
class CheckReport:
    """The account of a check: every unit that was read is either kept or dropped for a reason."""

    read: int = 0
    kept: int = 0
    dropped: Counter[Reason] = field(default_factory=Counter)
    doubts: Counter[Doubt] = field(default_factory=Counter)
    examples: dict[Reason, list[Drop]] = field(default_factory=dict)
    source_characters: Lengths = field(default_factory=Lengths)
    target_characters: Lengths = field(default_factory=Lengths)
    source_words: Lengths = field(default_factory=Lengths)
    target_words: Lengths = field(default_factory=Lengths)
    worth: int = 0  # letters' worth of all kept texts, dense scripts counting for more: what subwords are made of

    def add_kept(self, kept: Sequence[Kept], worth: int) -> None:
        """Enter pairs that are used, and what their letters are worth together."""
        self.read += len(kept)
        self.kept += len(kept)
        self.worth += worth
        self.doubts.update(doubt for one in kept for doubt, _ in one.doubts)
        self.source_characters.add(len(one.pair.source) for one in kept)
        self.target_characters.add(len(one.pair.target) for one in kept)
        self.source_words.add(one.pair.source.count(" ") + 1 for one in kept)
        self.target_words.add(one.pair.target.count(" ") + 1 for one in kept)

    def add_drop(self, drop: Drop) -> None:
        """Enter a unit that is not used."""
        self.read += 1
        self._note(drop)

    def take_back(self, drop: Drop) -> None:
        """Enter as dropped a pair that was entered as kept: it cannot stay beside dev and test."""
        self.kept -= 1
        self._note(drop)

    def _note(self, drop: Drop) -> None:
        self.dropped[drop.reason] += 1
        examples = self.examples.setdefault(drop.reason, [])
        if len(examples) < EXAMPLES:
            examples.append(drop)

    def lines(self) -> Iterator[str]:
        """The account in plain words, for people."""
        yield f"{self.read:,} units read, {self.kept:,} pairs kept, {self.dropped.total():,} dropped."
        for reason, count in self.dropped.most_common():
            yield f"  {count:,} × {reason}"
            for drop in self.examples.get(reason, [])[:2]:
                yield f"      {drop.place}: {drop.detail}: {_shown(drop.source, 60)} | {_shown(drop.target, 60)}"
        for doubt, count in self.doubts.most_common():
            yield f"  {count:,} × {doubt} (kept)"
        if self.kept:
            yield (
                f"Words in a sentence: {self.source_words.mean:.1f} and {self.target_words.mean:.1f} on average, "
                f"99 of 100 have at most {self.source_words.quantile(0.99)} and {self.target_words.quantile(0.99)}."
            )

    def as_json(self) -> dict[str, object]:
        """The account for programs."""
        return {
            "read": self.read,
            "kept": self.kept,
            "dropped": {reason.value: self.dropped[reason] for reason in Reason if self.dropped[reason]},
            "doubts": {doubt.value: self.doubts[doubt] for doubt in Doubt if self.doubts[doubt]},
            "source": {"characters": self.source_characters.as_json(), "words": self.source_words.as_json()},
            "target": {"characters": self.target_characters.as_json(), "words": self.target_words.as_json()},
            "examples": {
                reason.value: [
                    {
                        "place": str(drop.place),
                        "detail": drop.detail,
                        "source": _shown(drop.source),
                        "target": _shown(drop.target),
                    }
                    for drop in drops
                ]
                for reason, drops in self.examples.items()
            },
        }


@final
class DropsFile:
    """A table of every dropped unit: file, number, reason, what was found, source, target; tabs between."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
        self._file.write("file\tnumber\treason\tfound\tsource\ttarget\n")

    def write(self, drop: Drop) -> None:
        """Add one line. Texts are cut at 1,000 characters; what would break the table is written as an escape."""
        fields = (drop.place.file, str(drop.place.number), drop.reason, drop.detail, drop.source, drop.target)
        self._file.write("\t".join(_escaped(field[:1000]) for field in fields) + "\n")

    def __enter__(self) -> DropsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _escaped(text: str) -> str:
    """The text on one line and in one cell: control characters and line ends as escapes."""
    if text.isprintable() and "\\" not in text:
        return text
    text = text.replace("\\", "\\\\")
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def _shown(text: str, longest: int = SHOWN) -> str:
    return _escaped(text if len(text) <= longest else text[: longest - 1] + "…")
