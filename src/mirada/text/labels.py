"""Labels: the answers that a tagger or a classifier can give, each with its number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

MOST = 10_000  # labels
LONGEST = 500  # characters of one
UNKNOWN, MISSING = -1, -2  # in place of the number of a label that was never met, and where there is none


@dataclass(frozen=True)
class Labels:
    """Different labels in the order of their numbers."""

    names: tuple[str, ...]

    @classmethod
    def of_counts(cls, counts: Mapping[str, int], what: str) -> Labels:
        """The labels of a training set, sorted; too few or too many cannot be learnt."""
        if len(counts) < 2:
            found = f"only {next(iter(counts))!r}" if counts else "nothing"
            raise ValueError(f"{what} holds {found} as a label; two different ones or more can be learnt")
        if len(counts) > MOST:
            raise ValueError(
                f"{what} holds {len(counts):,} different labels, at most {MOST:,} can be learnt; is it a column of "
                "labels?"
            )
        longest = max(counts, key=len)
        if len(longest) > LONGEST:
            raise ValueError(f"{what} holds a label of {len(longest):,} characters; at most {LONGEST} are allowed")
        return cls(tuple(sorted(counts)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each label."""
        return {name: number for number, name in enumerate(self.names)}

    def encode(self, names: Iterable[str | None]) -> list[int]:
        """The number of each label; −1 for one that is not known, −2 for None."""
        return [MISSING if name is None else self.numbers.get(name, UNKNOWN) for name in names]


def counted(names: Iterable[str | None]) -> Counter[str]:
    """How often each label stands there; what has none is left out."""
    return Counter(name for name in names if name is not None)
