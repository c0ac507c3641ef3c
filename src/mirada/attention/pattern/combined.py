"""Patterns combined: allowed by both, by either, or by one without the other.

Legend: i query places, j key places, K keys.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from mirada.attention.pattern.base import Band, Pattern, Tiles, count_cells


@dataclass(frozen=True)
class _Joined(Pattern):
    """Two patterns that are one; what holds of both holds of it."""

    one: Pattern
    other: Pattern

    @property
    def relative(self) -> bool:
        return self.one.relative and self.other.relative

    @property
    def places(self) -> int | None:
        return _tighter(self.one.places, self.other.places)


@dataclass(frozen=True)
class Both(_Joined):
    """Allowed by one pattern and by the other."""

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(i, j) & self.other.allows(i, j)

    @property
    def band(self) -> Band:
        return Band(
            _tighter(self.one.band.left, self.other.band.left),
            _tighter(self.one.band.right, self.other.band.right),
        )

    def forgets(self, later: int, places: Int[Tensor, "K"]) -> Bool[Tensor, "K"] | None:
        found = [gone for side in (self.one, self.other) if (gone := side.forgets(later, places)) is not None]
        return found[0] | found[-1] if found else None

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return self.one.covers(first, queries, keys) and self.other.covers(first, queries, keys)

    def split(self, length: int) -> tuple[Tiles, ...]:
        # Either side's tiles hold every pair that both allow: take the smaller side and let it ask the other.
        one, other = self.one.split(length), self.other.split(length)
        if count_cells(one) <= count_cells(other):
            return tuple(Tiles(t.queries, t.keys, t.pattern & self.other) for t in one)
        return tuple(Tiles(t.queries, t.keys, self.one & t.pattern) for t in other)

    def __str__(self) -> str:
        # Patterns join from the left: a joined right side keeps its brackets, so that the text reads back as it was.
        other = f"({self.other})" if isinstance(self.other, Both) else _operand(self.other)
        return f"{_operand(self.one)} & {other}"


@dataclass(frozen=True)
class Either(_Joined):
    """Allowed by one pattern or by the other."""

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(i, j) | self.other.allows(i, j)

    @property
    def band(self) -> Band:
        return Band(
            _wider(self.one.band.left, self.other.band.left),
            _wider(self.one.band.right, self.other.band.right),
        )

    def forgets(self, later: int, places: Int[Tensor, "K"]) -> Bool[Tensor, "K"] | None:
        one, other = self.one.forgets(later, places), self.other.forgets(later, places)
        return None if one is None or other is None else one & other

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return self.one.covers(first, queries, keys) or self.other.covers(first, queries, keys)

    def split(self, length: int) -> tuple[Tiles, ...]:
        rest = (Tiles(t.queries, t.keys, Without(t.pattern, self.one)) for t in self.other.split(length))
        return (*self.one.split(length), *rest)

    def __str__(self) -> str:
        return f"{self.one} | ({self.other})" if isinstance(self.other, Either) else f"{self.one} | {self.other}"


@dataclass(frozen=True)
class Without(Pattern):
    """Allowed by one pattern and not by the other: what is left to count when the other was counted."""

    one: Pattern
    other: Pattern

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(i, j) & ~self.other.allows(i, j)

    @property
    def band(self) -> Band:
        return self.one.band

    def forgets(self, later: int, places: Int[Tensor, "K"]) -> Bool[Tensor, "K"] | None:
        return self.one.forgets(later, places)

    def __str__(self) -> str:
        return f"{_operand(self.one)} without {_operand(self.other)}"


def _tighter(one: int | None, other: int | None) -> int | None:
    known = [bound for bound in (one, other) if bound is not None]
    return min(known) if known else None


def _wider(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _operand(pattern: Pattern) -> str:
    return f"({pattern})" if isinstance(pattern, Either | Without) else str(pattern)
