"""Inputs: what a reader is given, row by row, whatever it is: subwords, words as bags of ids, numbers.

A kind of input knows its rows' lengths and makes a batch of some of them; nothing else is asked of it, so that another
kind (pictures) is one more class.

Legend: B batch, N places, P ids of a word, F numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Shaped
from numpy.typing import NDArray
from torch import Tensor

from mirada.attention import Edges, Padding
from mirada.text.subwords import PADDING


@dataclass(frozen=True, eq=False)
class Entered:
    """A batch as its reader takes it."""

    values: Shaped[Tensor, "B N ..."]
    padding: Padding | None
    tokens: int  # places without padding
    edges: Edges | None = None  # who may look at whom, where a row has a graph of its own

    def to(self, device: torch.device) -> Entered:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        padding = None if self.padding is None else replace(self.padding, real=self.padding.real.to(device))
        edges = self.edges
        if edges is not None:
            edges = replace(edges, queries=edges.queries.to(device), keys=edges.keys.to(device))
        return replace(self, values=self.values.to(device), padding=padding, edges=edges)


@runtime_checkable
class Inputs(Protocol):
    """Rows to be read."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The places of each row."""

    def batch(self, rows: NDArray[np.int64]) -> Entered:
        """Some rows, padded at the end."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """Rows of ids, [rows' places] one behind another; or, with P of them at each place, [rows' places, P]."""

    ids: NDArray[np.int32]
    lengths: NDArray[np.int64]

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[int]]) -> Tokens:
        """Rows of single ids."""
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        flat = np.fromiter((one for row in rows for one in row), dtype=np.int32, count=int(lengths.sum()))
        return cls(flat, lengths)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each row begins."""
        return np.concatenate([[0], np.cumsum(self.lengths)[:-1]]).astype(np.int64)

    def batch(self, rows: NDArray[np.int64]) -> Entered:
        ids, padding, count = _gathered(self.ids, self.starts, self.lengths, rows)
        return Entered(torch.from_numpy(ids.astype(np.int64)), padding, count)


@dataclass(frozen=True, eq=False)
class Bags:
    """Rows of words, each word a bag of ids: a row of `table`, padded with 0."""

    table: NDArray[np.int32]  # [different words, P]
    words: Tokens  # their numbers in the table

    @classmethod
    def of_rows(cls, table: Sequence[Sequence[int]], rows: Sequence[Sequence[int]]) -> Bags:
        """Words with their ids, and rows of numbers of words."""
        padded = np.full((len(table), max(map(len, table), default=1)), PADDING, dtype=np.int32)
        for number, ids in enumerate(table):
            padded[number, : len(ids)] = ids
        return cls(padded, Tokens.of_rows(rows))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The words of each row."""
        return self.words.lengths

    def batch(self, rows: NDArray[np.int64]) -> Entered:
        # Number 0 stands where nothing is; what it is read as has no meaning there.
        numbers, padding, count = _gathered(self.words.ids, self.words.starts, self.lengths, rows)
        bags = self.table[numbers]
        longest = int((bags != PADDING).sum(-1).max(initial=1))
        return Entered(torch.from_numpy(bags[..., :longest].astype(np.int64)), padding, count)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Rows of numbers, each at one place."""

    values: NDArray[np.float32]  # [rows, F]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """One place each."""
        return np.ones(len(self.values), dtype=np.int64)

    def batch(self, rows: NDArray[np.int64]) -> Entered:
        return Entered(torch.from_numpy(self.values[rows][:, None]), None, len(rows))


def _gathered(
    flat: NDArray[Any], starts: NDArray[np.int64], lengths: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[Any], Padding, int]:
    """Rows of a flat array side by side, padded with 0, which of their places are real, and how many."""
    chosen = lengths[rows]
    columns = np.arange(int(chosen.max(initial=0)))
    real = columns < chosen[:, None]
    padded = np.zeros(real.shape, dtype=flat.dtype)
    padded[real] = flat[(starts[rows][:, None] + columns)[real]]
    return padded, Padding.from_lengths(chosen.tolist(), len(columns)), int(chosen.sum())
