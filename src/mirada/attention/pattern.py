"""Patterns: N(i), who may be looked at.

Legend: i query places, j key places, G tiles, T queries of a tile, U keys of a tile.

A pattern is one line, `allows(i, j)`. The dense mask, a decoding step, the tiles, the picture and the oracle
of the tests all come from it. A structural fact (`band`, `tiles`) lets a fast kernel skip what `allows`
forbids; it may name pairs that are not allowed, never miss one that is (held by a property test).
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor

TEXT_LIMIT = 1_000  # characters of a pattern's text; parsing is recursive, and text comes from outside
NUMBER_LIMIT = 1_000_000_000  # of places; products of two stay far inside 64 bits
GRID_TILE = 8  # side of a square tile of a grid: 8 × 8 queries share a halo, so that cost stays linear


class PatternError(ValueError):
    """A pattern, or the text of one, that has no meaning."""


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

    def split(self, length: int) -> tuple[Tiles, ...]:
        """Tiles that hold every allowed pair of `length` places exactly once. See `tiles` for the cached form."""
        everything = torch.arange(length)[None]
        return (Tiles(everything, everything, self),)

    def __and__(self, other: Pattern) -> Pattern:
        return Both(self, other)

    def __or__(self, other: Pattern) -> Pattern:
        return Either(self, other)


def _words(pattern: Pattern) -> str:
    """The text `name(1, 2)` of a pattern whose fields are integers."""
    numbers = [str(getattr(pattern, field.name)) for field in fields(pattern)]  # type: ignore[arg-type]
    name = type(pattern).__name__.lower()
    return f"{name}({', '.join(numbers)})" if numbers else name


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise PatternError(message)


@dataclass(frozen=True)
class Full(Pattern):
    """Every place looks at every place: the complete graph."""

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return torch.ones((), dtype=torch.bool, device=i.device).expand(torch.broadcast_shapes(i.shape, j.shape))

    @property
    def relative(self) -> bool:
        return True

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return True

    def __str__(self) -> str:
        return _words(self)


@dataclass(frozen=True)
class Causal(Pattern):
    """j ≤ i: the past and oneself."""

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return j <= i

    @property
    def relative(self) -> bool:
        return True

    @property
    def band(self) -> Band:
        return Band(None, 0)

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return first >= keys - 1

    def __str__(self) -> str:
        return _words(self)


@dataclass(frozen=True)
class Window(Pattern):
    """i − left ≤ j ≤ i + right. `Window(k, 0)` is the causal window of k places before and oneself."""

    left: int
    right: int

    def __post_init__(self) -> None:
        _require(
            self.left >= 0 and self.right >= 0,
            f"window({self.left}, {self.right}): both sides count places away from oneself; use 0 or more",
        )

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        offset = j - i
        return (offset >= -self.left) & (offset <= self.right)

    @property
    def relative(self) -> bool:
        return True

    @property
    def band(self) -> Band:
        return Band(self.left, self.right)

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return first + queries - 1 <= self.left and first + self.right >= keys - 1

    def split(self, length: int) -> tuple[Tiles, ...]:
        size = max(1, min(length, self.left + self.right))
        starts = torch.arange(0, length, size)[:, None]
        queries = _inside(starts + torch.arange(size), length)
        keys = _inside(starts + torch.arange(-self.left, size + self.right), length)
        return (Tiles(queries, keys, self),)

    def __str__(self) -> str:
        return _words(self)


@dataclass(frozen=True)
class Strided(Pattern):
    """(i − j) mod stride = 0: every stride-th place, before and after."""

    stride: int

    def __post_init__(self) -> None:
        _require(self.stride >= 1, f"strided({self.stride}): the stride is a number of places; use 1 or more")

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return (i - j) % self.stride == 0

    @property
    def relative(self) -> bool:
        return True

    def split(self, length: int) -> tuple[Tiles, ...]:
        # Places with the same remainder see one another and nobody else: one tile for each remainder.
        remainders = torch.arange(min(self.stride, length))[:, None]
        places = _inside(remainders + torch.arange(0, max(length, 1), self.stride), length)
        return (Tiles(places, places, self),)

    def __str__(self) -> str:
        return _words(self)


@dataclass(frozen=True)
class Fixed(Pattern):
    """The same block of `block` places, or the last `summary` places of any block (Child et al. 2019, eq. 6)."""

    block: int
    summary: int

    def __post_init__(self) -> None:
        _require(self.block >= 1, f"fixed({self.block}, {self.summary}): a block holds 1 place or more")
        _require(
            0 <= self.summary <= self.block,
            f"fixed({self.block}, {self.summary}): the summary is a part of the block; use 0 to {self.block}",
        )

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return (i // self.block == j // self.block) | (j % self.block >= self.block - self.summary)

    def split(self, length: int) -> tuple[Tiles, ...]:
        # A tile is a block; its keys are the block itself and the summaries of all other blocks.
        size = min(self.block, max(length, 1))
        blocks = _inside(torch.arange(0, length, self.block)[:, None] + torch.arange(size), length)
        everything = torch.arange(length)
        summaries = everything[everything % self.block >= self.block - self.summary]
        own = summaries[None] // self.block == torch.arange(len(blocks))[:, None]
        others = summaries.expand(len(blocks), -1).masked_fill(own, -1)
        return (Tiles(blocks, torch.cat([blocks, others], 1), self),)

    def __str__(self) -> str:
        return _words(self)


@dataclass(frozen=True)
class Grid(Pattern):
    """Places of a picture, row by row: those within `radius` in both axes. A prefix place sees all.

    The first `prefix` places (a class token) stand outside the picture: they see every place, and the places
    of the picture do not see them.
    """

    height: int
    width: int
    radius: int
    prefix: int = 0

    def __post_init__(self) -> None:
        _require(self.height >= 1 and self.width >= 1, f"{self}: height and width are 1 or more")
        _require(self.radius >= 0 and self.prefix >= 0, f"{self}: radius and prefix are 0 or more")

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        i, j = i - self.prefix, j - self.prefix
        rows = (i // self.width - j // self.width).abs() <= self.radius
        columns = (i % self.width - j % self.width).abs() <= self.radius
        return (i < 0) | (rows & columns & (j >= 0))

    @property
    def band(self) -> Band:
        if self.prefix:
            return Band(None, None)
        reach = self.radius * self.width + self.radius
        return Band(reach, reach)

    @property
    def places(self) -> int | None:
        return self.prefix + self.height * self.width

    def split(self, length: int) -> tuple[Tiles, ...]:
        queries = self._windows(0)
        keys = self._windows(self.radius)
        picture = Tiles(_inside(queries, length), _inside(keys, length), self)
        prefix = torch.arange(min(self.prefix, length))
        if not len(prefix):
            return (picture,)
        return (picture, Tiles(prefix[None], torch.arange(length)[None], self))

    def _windows(self, halo: int) -> Int[Tensor, "G T"]:
        """The places of each square tile, `halo` places wider on every side; −1 outside the picture."""
        reach = torch.arange(-halo, GRID_TILE + halo)
        rows = torch.arange(0, self.height, GRID_TILE)[:, None] + reach
        columns = torch.arange(0, self.width, GRID_TILE)[:, None] + reach
        row, column = rows[:, None, :, None], columns[None, :, None, :]
        outside = (row < 0) | (row >= self.height) | (column < 0) | (column >= self.width)
        places = (self.prefix + row * self.width + column).masked_fill(outside, -1)
        return places.reshape(len(rows) * len(columns), -1)

    def __str__(self) -> str:
        prefix = f", prefix={self.prefix}" if self.prefix else ""
        return f"grid({self.height}, {self.width}, {self.radius}{prefix})"


@dataclass(frozen=True)
class Both(Pattern):
    """Allowed by one pattern and by the other."""

    one: Pattern
    other: Pattern

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(i, j) & self.other.allows(i, j)

    @property
    def relative(self) -> bool:
        return self.one.relative and self.other.relative

    @property
    def band(self) -> Band:
        return Band(
            _tighter(self.one.band.left, self.other.band.left),
            _tighter(self.one.band.right, self.other.band.right),
        )

    @property
    def places(self) -> int | None:
        return _tighter(self.one.places, self.other.places)

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return self.one.covers(first, queries, keys) and self.other.covers(first, queries, keys)

    def split(self, length: int) -> tuple[Tiles, ...]:
        # Either side's tiles hold every pair that both allow: take the smaller side and let it ask the other.
        one, other = self.one.split(length), self.other.split(length)
        if _cells(one) <= _cells(other):
            return tuple(Tiles(t.queries, t.keys, t.pattern & self.other) for t in one)
        return tuple(Tiles(t.queries, t.keys, self.one & t.pattern) for t in other)

    def __str__(self) -> str:
        # Patterns join from the left: a joined right side keeps its brackets, so that the text reads back as it was.
        other = f"({self.other})" if isinstance(self.other, Both) else _operand(self.other)
        return f"{_operand(self.one)} & {other}"


@dataclass(frozen=True)
class Either(Pattern):
    """Allowed by one pattern or by the other."""

    one: Pattern
    other: Pattern

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(i, j) | self.other.allows(i, j)

    @property
    def relative(self) -> bool:
        return self.one.relative and self.other.relative

    @property
    def band(self) -> Band:
        return Band(
            _wider(self.one.band.left, self.other.band.left),
            _wider(self.one.band.right, self.other.band.right),
        )

    @property
    def places(self) -> int | None:
        return _tighter(self.one.places, self.other.places)

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

    def __str__(self) -> str:
        return f"{_operand(self.one)} without {_operand(self.other)}"


def _tighter(one: int | None, other: int | None) -> int | None:
    known = [bound for bound in (one, other) if bound is not None]
    return min(known) if known else None


def _wider(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _operand(pattern: Pattern) -> str:
    return f"({pattern})" if isinstance(pattern, Either | Without) else str(pattern)


def _inside(places: Int[Tensor, "G T"], length: int) -> Int[Tensor, "G T"]:
    return places.masked_fill((places < 0) | (places >= length), -1)


def _cells(parts: tuple[Tiles, ...]) -> int:
    return sum(part.cells for part in parts)


@lru_cache(maxsize=16)  # an entry holds a byte for each pair
def tiles(pattern: Pattern, length: int) -> tuple[Tiles, ...]:
    """The tiles of a pattern over `length` places, kept, because every layer and step asks again."""
    return pattern.split(length)


def cells(pattern: Pattern, length: int) -> int:
    """How many pairs the tiles of a pattern compute; `length`² is the dense cost."""
    return _cells(tiles(pattern, length))


WORDS: dict[str, type[Pattern]] = {
    "full": Full,
    "causal": Causal,
    "window": Window,
    "strided": Strided,
    "fixed": Fixed,
    "grid": Grid,
}
FORMS = "full, causal, window(left, right), strided(stride), fixed(block, summary), grid(height, width, radius)"


def parse(text: str) -> Pattern:
    """Read a pattern from text such as `window(8, 0) & strided(4) | fixed(8, 2)`; & binds tighter than |."""
    _require(
        len(text) <= TEXT_LIMIT,
        f"the pattern's text has {len(text)} characters; at most {TEXT_LIMIT} are read",
    )
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        place = getattr(error, "offset", None)
        where = f" at character {place}" if place else ""
        raise PatternError(f"cannot read the pattern {text!r}{where}; known: {FORMS}, joined by & and |") from None
    return _read(tree.body, text)


def _read(node: ast.expr, text: str) -> Pattern:
    match node:
        case ast.BinOp(left=one, op=ast.BitAnd(), right=other):
            return _read(one, text) & _read(other, text)
        case ast.BinOp(left=one, op=ast.BitOr(), right=other):
            return _read(one, text) | _read(other, text)
        case ast.Name(id=name):
            return _make(name, [], {})
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            names = [keyword.arg or "**" for keyword in keywords]
            _require(
                len(set(names)) == len(names), f"{name}(…) in the pattern {text!r} names a number twice; name it once"
            )
            named = {name: _number(keyword.value, text) for name, keyword in zip(names, keywords, strict=True)}
            return _make(name, [_number(argument, text) for argument in arguments], named)
    part = ast.get_source_segment(text.strip(), node) or text
    raise PatternError(f"{part!r} is no pattern; known: {FORMS}, joined by & and |")


def _number(node: ast.expr, text: str) -> int:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool) and number <= NUMBER_LIMIT:
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number  # for the pattern itself to refuse, in its own words
    part = ast.get_source_segment(text.strip(), node) or text
    raise PatternError(f"{part!r} in the pattern {text!r} is no whole number up to {NUMBER_LIMIT:,}")


def _make(name: str, numbers: list[int], named: dict[str, int]) -> Pattern:
    kind = WORDS.get(name.lower())
    if kind is None:
        raise PatternError(f"{name!r} is no pattern; known: {FORMS}")
    try:
        return kind(*numbers, **named)
    except TypeError:
        wanted = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]
        given = ", ".join([*map(str, numbers), *(f"{key}={value}" for key, value in named.items())])
        raise PatternError(f"{name}({given}): the numbers wanted are ({wanted})") from None
