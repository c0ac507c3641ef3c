"""Packing: sequences that lie one after the other in a single row, so that nothing is padded.

Legend: S sequences, S1 = S + 1, Q queries, K keys of all sequences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn.functional import pad


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the queries and keys of each sequence begin, and the last ones end; a query sees its own sequence alone."""

    queries: Int[Tensor, "S1"]
    keys: Int[Tensor, "S1"]

    @classmethod
    def of(cls, queries: Int[Tensor, "S"], keys: Int[Tensor, "S2"]) -> Packing:
        """Sequences with these numbers of queries and keys."""
        if len(queries) != len(keys):
            raise ValueError(f"{len(queries)} sequences of queries and {len(keys)} of keys: a sequence has both")
        if len(keys) and int(torch.cat([queries, keys]).min()) < 1:
            raise ValueError("a packed sequence has no query, or no key; give each one or more")
        return cls(*(pad(lengths.cumsum(0), (1, 0)).int() for lengths in (queries, keys)))

    def __len__(self) -> int:
        return len(self.queries) - 1

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many queries and keys there are in all."""
        return int(self.queries[-1]), int(self.keys[-1])

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The most queries, and the most keys, that a sequence has."""
        most = [int(starts.diff().max()) if len(self) else 0 for starts in (self.queries, self.keys)]
        return most[0], most[1]

    @cached_property
    def pairs(self) -> int:
        """How many pairs of a query and a key of its sequence there are."""
        return int((self.queries.diff().long() * self.keys.diff().long()).sum())

    def mask(self) -> Bool[Tensor, "Q K"]:
        """True where a query and a key are of one sequence."""
        number = torch.arange(len(self), device=self.queries.device)
        asks, looked_at = (number.repeat_interleave(starts.diff()) for starts in (self.queries, self.keys))
        return asks[:, None] == looked_at[None]
