"""Neighbourhoods: a pattern plus the facts of one batch.

Legend: B batch, Q queries, K keys, E edges.

N(i) = { j : the pattern allows (i, j), key j is real, and (i, j) is an edge where edges are given }.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention.packing import Packing
from mirada.attention.pattern import Full, Pattern
from mirada.attention.places import Places, highest, listed


@dataclass(frozen=True, eq=False)
class Padding:
    """Which keys are real. It knows its shortest row, so that no kernel has to ask the tensor."""

    real: Bool[Tensor, "B K"]
    shortest: int
    at_the_end: bool

    @classmethod
    def from_lengths(
        cls, lengths: Sequence[int], longest: int | None = None, device: torch.device | str = "cpu"
    ) -> Padding:
        """Rows of `lengths` real keys followed by padding up to `longest`."""
        longest = max(lengths, default=0) if longest is None else longest
        wrong = [length for length in lengths if not 0 <= length <= longest]
        if wrong:
            raise ValueError(f"a row of {wrong[0]} real keys does not fit into {longest} places")
        ends = torch.tensor(list(lengths), dtype=torch.int64, device=device)
        real = torch.arange(longest, device=device)[None] < ends[:, None]
        return cls(real, min(lengths, default=0), at_the_end=True)

    @classmethod
    def from_mask(cls, real: Bool[Tensor, "B K"]) -> Padding:
        """Any mask, True where a key is real. Reads the tensor once."""
        lengths = real.sum(1)
        ordered = torch.arange(real.shape[1], device=real.device)[None] < lengths[:, None]
        shortest = int(lengths.min()) if len(lengths) else 0
        return cls(real, shortest, at_the_end=bool((ordered == real).all()))

    @property
    def none(self) -> bool:
        """Whether every key is real."""
        return self.shortest == self.real.shape[1]


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of a graph, from query to key, sorted by query, each once.

    One graph serves every row of the batch. With `per_row` each row has a graph of its own, and the places are
    flat: row · count + place.
    """

    queries: Int[Tensor, "E"]
    keys: Int[Tensor, "E"]
    query_count: int
    key_count: int
    per_row: bool

    @classmethod
    def of(
        cls,
        queries: Int[Tensor, "E"],
        keys: Int[Tensor, "E"],
        *,
        query_count: int,
        key_count: int | None = None,
        rows: Int[Tensor, "E"] | None = None,
    ) -> Edges:
        """Check, sort and number the edges query → key; `rows` says in which graph of the batch each edge is."""
        key_count = query_count if key_count is None else key_count
        if queries.shape != keys.shape:
            raise ValueError(f"{len(queries)} queries and {len(keys)} keys: an edge has one of each")
        _check_places(queries, query_count, "query")
        _check_places(keys, key_count, "key")
        if rows is not None:
            if rows.shape != queries.shape:
                raise ValueError(f"{len(rows)} rows for {len(queries)} edges: an edge has one row")
            if rows.numel() and int(rows.min()) < 0:
                raise ValueError(f"an edge names row {int(rows.min())}; rows count from 0")
            queries, keys = rows * query_count + queries, rows * key_count + keys
        span = int(keys.max()) + 1 if keys.numel() else 1
        codes = torch.unique(queries * span + keys)  # sorted by query, then by key
        return cls(codes // span, codes % span, query_count, key_count, rows is not None)

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def highest_row(self) -> int:
        """The last row of the batch that has an edge."""
        return int(self.queries[-1]) // self.query_count if self.per_row and len(self) else 0

    def cuts(self, size: int) -> list[int]:
        """Where to cut the edges into runs of about `size`, never between two edges of one query."""
        if not len(self):
            return [0]
        wanted = self.queries[size::size].contiguous()
        inner = torch.searchsorted(self.queries, wanted).unique().tolist()
        return [0, *(cut for cut in inner if cut > 0), len(self)]

    def keep(self, wanted: Bool[Tensor, "E"]) -> Edges:
        """The edges for which `wanted` is true."""
        return replace(self, queries=self.queries[wanted], keys=self.keys[wanted])

    def mask(self, batch: int) -> Bool[Tensor, "#B 1 #Q K"]:
        """The edges as a dense mask."""
        rows = batch if self.per_row else 1
        mask = torch.zeros(rows * self.query_count, self.key_count, dtype=torch.bool, device=self.queries.device)
        mask[self.queries, self.keys % self.key_count if self.key_count else self.keys] = True
        return mask.view(rows, 1, self.query_count, self.key_count)


def _check_places(places: Int[Tensor, "E"], count: int, kind: str) -> None:
    if places.numel() and not (int(places.min()) >= 0 and int(places.max()) < count):
        worst = int(places.max()) if int(places.max()) >= count else int(places.min())
        raise ValueError(f"an edge names {kind} {worst}, but the graph has {kind} places 0 to {count - 1}")


@dataclass(frozen=True, eq=False)
class Facts:
    """What this batch adds to the patterns: padding, edges, the place of the first query, and packed sequences.

    One object serves all layers of a batch; the masks it leads to are derived once for each pattern.
    """

    padding: Padding | None = None
    edges: Edges | None = None
    offset: int = 0
    masks: dict[tuple[object, ...], Tensor | None] = field(default_factory=dict, repr=False)
    packing: Packing | None = None

    @cached_property
    def apart(self) -> Facts:
        """The facts of packed sequences when each has a padded row of its own; of others, as they are."""
        if self.packing is None:
            return self
        lengths = self.packing.keys.diff().tolist()
        return Facts(Padding.from_lengths(lengths, device=self.packing.keys.device))

    def check_rows(self, queries: int, memory: int) -> None:
        """Say so where queries, memory, padding and edges do not speak of the same batch."""
        if memory != queries:
            raise ValueError(f"{queries} rows of queries look at a memory of {memory} rows; use Memory.select")
        if self.padding is not None and len(self.padding.real) != queries:
            rows = len(self.padding.real)
            raise ValueError(f"the padding speaks of {rows} rows, but the batch has {queries}; give one length a row")
        if self.edges is not None and self.edges.highest_row >= max(1, queries):
            row = self.edges.highest_row
            raise ValueError(f"an edge is in row {row}, but the batch has rows 0 to {queries - 1}; check `rows`")


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """N(i) for `queries` query places, starting at `facts.offset`, and `keys` key places.

    `own` says that queries and keys are the same sequence, so that padding speaks of both. `places` says where the keys
    stand; without it, one after the other from place 0 on.
    """

    pattern: Pattern
    queries: int
    keys: int
    facts: Facts = field(default_factory=Facts)
    own: bool = False
    places: Places | None = None

    def __post_init__(self) -> None:
        self._check_places()
        self._check_padding()
        self._check_edges()
        self._check_packing()

    def _check_places(self) -> None:
        known = self.pattern.places
        if self.places is not None and len(self.places) != self.keys:
            raise ValueError(f"{len(self.places)} places for {self.keys} keys: a key stands at one place")
        last = max(self.facts.offset + self.queries, self.keys if known is None else highest(self._stand) + 1)
        if known is not None and last > known:
            raise ValueError(
                f"the pattern {self.pattern} has {known} places, but the sequence has {last}; make the grid larger"
            )
        if self.facts.offset < 0:
            raise ValueError(f"the first query stands at place {self.facts.offset}; places count from 0")

    def _check_padding(self) -> None:
        padding = self.facts.padding
        if padding is not None and padding.real.shape[1] != self.keys:
            raise ValueError(
                f"the padding speaks of {padding.real.shape[1]} keys, but there are {self.keys}; "
                f"make it with Padding.from_lengths(lengths, {self.keys})"
            )

    def _check_edges(self) -> None:
        edges = self.facts.edges
        if edges is not None and (edges.query_count, edges.key_count) != (self.queries, self.keys):
            raise ValueError(
                f"the edges join {edges.query_count} queries and {edges.key_count} keys, "
                f"but there are {self.queries} and {self.keys}; give these counts to Edges.of"
            )

    def _check_packing(self) -> None:
        packing = self.facts.packing
        if packing is None:
            return
        if packing.counts != (self.queries, self.keys):
            raise ValueError(f"{packing.counts} queries and keys are packed, but there are {(self.queries, self.keys)}")
        if self.facts.padding is not None or self.facts.edges is not None or self.facts.offset:
            raise ValueError("packed sequences have no padding, no edges and no offset")
        # Places are counted through all sequences: only their differences within one mean something.
        if not isinstance(self.pattern, Full) and not (self.own and self.pattern.relative):
            raise ValueError(f"sequences that look at others by {self.pattern} cannot be packed; pad them")

    @property
    def _stand(self) -> Places:
        """Where the keys stand."""
        return range(self.keys) if self.places is None else self.places

    @property
    def from_start(self) -> bool:
        """Whether the keys stand one after the other from place 0 on."""
        return self._stand == range(self.keys) if isinstance(self._stand, range) else False

    def simplify(self) -> Neighbourhood:
        """The same neighbourhood without what changes nothing, so that the fastest kernel applies.

        Padding at the end goes where every key is real, and in self-attention that never looks ahead: there only
        padded queries could see padded keys, and what a padded query returns (finite) has no meaning.
        """
        pattern, padding = self.pattern, self.facts.padding
        if self.facts.packing is not None:
            return self
        if not isinstance(pattern, Full) and self._covered():
            pattern = Full()
        if padding is not None and (padding.none or self._never_sees(padding)):
            padding = None
        if pattern is self.pattern and padding is self.facts.padding:
            return self
        return replace(self, pattern=pattern, facts=replace(self.facts, padding=padding))

    def _covered(self) -> bool:
        """Whether every query may look at all keys; it may say no of keys that do not begin at place 0."""
        stand, pattern = self._stand, self.pattern
        if not isinstance(stand, range) or (stand.start and not pattern.relative):
            return False
        return pattern.covers(self.facts.offset - stand.start, self.queries, self.keys)

    def _never_sees(self, padding: Padding) -> bool:
        backward = self.pattern.band.right == 0 and self.facts.offset == 0 and self.from_start
        return self.own and backward and padding.at_the_end and padding.shortest > 0

    @property
    def may_be_empty(self) -> bool:
        """Whether a query may have nobody to look at. (Every pattern lets a place see itself.)"""
        first, stand = self.facts.offset, self._stand
        there = isinstance(stand, range) and stand.start <= first and first + self.queries <= stand.stop
        sees_itself = isinstance(self.pattern, Full) or there
        padding = self.facts.padding
        padded = padding is not None and not (isinstance(self.pattern, Full) and padding.shortest > 0)
        return padded or self.facts.edges is not None or not sees_itself

    def query_places(self, device: torch.device) -> Int[Tensor, "Q"]:
        """The places i of the queries."""
        return torch.arange(self.facts.offset, self.facts.offset + self.queries, device=device)

    def key_places(self, device: torch.device) -> Int[Tensor, "K"]:
        """The places j of the keys."""
        return listed(self._stand, device)

    def edges(self, device: torch.device) -> Edges:
        """The edges that the pattern allows: those given, or all of the pattern's where none are given."""
        i, j = self.query_places(device), self.key_places(device)
        if self.facts.edges is None:
            queries, keys = torch.nonzero(self.pattern.allows(i[:, None], j[None]), as_tuple=True)
            return Edges.of(queries, keys, query_count=self.queries, key_count=self.keys)
        edges = self.facts.edges
        if isinstance(self.pattern, Full):
            return edges
        return edges.keep(self.pattern.allows(i[edges.queries % self.queries], j[edges.keys % self.keys]))

    def mask(self, batch: int, device: torch.device) -> Bool[Tensor, "#B 1 #Q K"] | None:
        """The neighbourhood as a dense mask, True where a query may look; None where it may look everywhere."""
        return self._derived("mask", device, lambda: self._mask(batch, device))

    def packed_mask(self, device: torch.device) -> Bool[Tensor, "1 1 L L"] | None:
        """The pattern within a packed sequence, as a mask that is large enough for the longest of them."""
        packing = self.facts.packing
        if packing is None or isinstance(self.pattern, Full):
            return None
        places = torch.arange(max(packing.longest), device=device)
        return self._derived("packed", device, lambda: self.pattern.allows(places[:, None], places[None])[None, None])

    def bias(self, batch: int, device: torch.device, dtype: torch.dtype) -> Float[Tensor, "#B 1 #Q K"] | None:
        """The mask as a number to add to the scores."""
        mask = self.mask(batch, device)
        return None if mask is None else self._derived(dtype, device, lambda: as_bias(mask, dtype))

    def _derived(self, kind: object, device: torch.device, make: Callable[[], Tensor | None]) -> Tensor | None:
        if isinstance(self.places, Tensor):  # a list of places has no name by which another layer could find its mask
            return make()
        # Padding may have been simplified away for one layer and not for another of the same pattern.
        name = (kind, self.pattern, self.queries, self._stand, self.facts.padding is None, device)
        if name not in self.facts.masks:
            # A mask made while no gradient was wanted must serve training too.
            with torch.inference_mode(False):
                self.facts.masks[name] = make()
        return self.facts.masks[name]

    def _mask(self, batch: int, device: torch.device) -> Bool[Tensor, "#B 1 #Q K"] | None:
        parts = []
        if not isinstance(self.pattern, Full):
            i, j = self.query_places(device)[:, None], self.key_places(device)[None]
            parts.append(self.pattern.allows(i, j)[None, None])
        if self.facts.padding is not None:
            parts.append(self.facts.padding.real[:, None, None, :])
        if self.facts.edges is not None:
            parts.append(self.facts.edges.mask(batch))
        if self.facts.packing is not None:
            parts.append(self.facts.packing.mask()[None, None])
        if not parts:
            return None
        mask = parts[0]
        for part in parts[1:]:
            mask = mask & part
        return mask


def as_bias(mask: Bool[Tensor, "..."], dtype: torch.dtype) -> Float[Tensor, "..."]:
    """A mask as a number to add to scores: 0, or the lowest finite one (−∞ would make NaN of an empty row)."""
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, torch.finfo(dtype).min)
