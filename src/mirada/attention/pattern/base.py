"""What a pattern is: N(i), who may be looked at.

Legend: i query places, j key places, G tiles, T queries of a tile, U keys of a tile, K keys.

A pattern is one line, `allows(i, j)`. The dense mask, a decoding step, the tiles, the picture and the oracle
of the tests all come from it. A structural fact (`band`, `tiles`, `forgets`) lets a fast kernel skip what `allows`
forbids; it may name pairs that are not allowed, never miss one that is (held by a property test).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor


class PatternError(ValueError):
    """A pattern, or the text of one, that has no meaning."""


def require(condition: bool, message: str) -> None:
    """Refuse what has no meaning."""
    if not condition:
        raise PatternError(message)


@dataclass(frozen=True)
class Band:
    """The diagonal strip i − left ≤ j ≤ i + right; None is unbounded."""

    left: int | None
    right: int | None

    @property
    def bounded(self) -> bool:
        """Whether both sides end."""
        return self.left is not None and self.right is not None


@dataclass(frozen=True, eq=False)
class Tiles:
    """Groups of queries that look at the same keys, or nearly: every pair of row g is a candidate.

    A place of −1 is absent. Within its tiles a pair counts where `pattern` allows it.
    """

    queries: Int[Tensor, "G T"]
    keys: Int[Tensor, "G U"]
    pattern: Pattern

    @property
    def cells(self) -> int:
        """How many pairs a kernel computes for these tiles."""
        return self.queries.shape[0] * self.queries.shape[1] * self.keys.shape[1]

    def to(self, device: torch.device) -> Tiles:
        """The same tiles on this device."""
        if self.queries.device == device:
            return self
        return Tiles(self.queries.to(device), self.keys.to(device), self.pattern)

    @cached_property
    def whole(self) -> bool:
        """Whether no query is absent."""
        return bool((self.queries >= 0).all())

    @cached_property
    def mask(self) -> Bool[Tensor, "G #T U"] | None:
        """Which pairs of each tile count: for every query alike where only absent keys do not; None where all do."""
        allowed = self.pattern.allows(self.queries[:, :, None], self.keys[:, None, :])
        present = (self.keys >= 0)[:, None, :]
        if not bool((allowed | ~present | (self.queries < 0)[:, :, None]).all()):
            return allowed & present
        return None if bool(present.all()) else present


class Pattern(ABC):
    """N(i): which keys j a query i may look at. Frozen, hashable, and written as text (`parse` reads it)."""

    @abstractmethod
    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        """Whether query place i may look at key place j; the two broadcast."""

    @property
    def band(self) -> Band:
        """The strip that holds every allowed pair."""
        return Band(None, None)

    @property
    def places(self) -> int | None:
        """How many places the pattern knows; None means any number."""
        return None

    @property
    def relative(self) -> bool:
        """Whether j − i alone decides."""
        return False

    def covers(self, first: int, queries: int, keys: int) -> bool:
        """Whether `queries` places from `first` on may look at all of `keys` places: the pattern changes nothing."""
        return False

    def forgets(self, later: int, places: Int[Tensor, "K"]) -> Bool[Tensor, "K"] | None:
        """Which key places no query from `later` on looks at; None where every key may be looked at again."""
        return None if self.band.left is None else places < later - self.band.left

    def split(self, length: int) -> tuple[Tiles, ...]:
        """Tiles that hold every allowed pair of `length` places exactly once. See `tiles` for the cached form."""
        everything = torch.arange(length)[None]
        return (Tiles(everything, everything, self),)

    def __and__(self, other: Pattern) -> Pattern:
        from mirada.attention.pattern.combined import Both  # not above: what is combined is a pattern itself

        return Both(self, other)

    def __or__(self, other: Pattern) -> Pattern:
        from mirada.attention.pattern.combined import Either

        return Either(self, other)

    def __str__(self) -> str:
        """The text `name(1, 2)` of a pattern whose fields are integers."""
        numbers = [str(getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        name = type(self).__name__.lower()
        return f"{name}({', '.join(numbers)})" if numbers else name


def count_cells(parts: Iterable[Tiles]) -> int:
    """How many pairs a kernel computes for all of these tiles."""
    return sum(part.cells for part in parts)


@lru_cache(maxsize=16)  # an entry holds a byte for each pair
def tiles(pattern: Pattern, length: int) -> tuple[Tiles, ...]:
    """The tiles of a pattern over `length` places, kept, because every layer and step asks again."""
    return pattern.split(length)


def cells(pattern: Pattern, length: int) -> int:
    """How many pairs the tiles of a pattern compute; `length`² is the dense cost."""
    return count_cells(tiles(pattern, length))
