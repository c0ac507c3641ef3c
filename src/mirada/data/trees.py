"""Trees of sentences as edges: a word looks at itself, at the one that it depends on, and at those that depend on it.

Legend: B rows, N places.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from mirada.attention import Edges

NONE = -1  # the head of a root


def heads_in_rows(
    lengths: Sequence[int], heads: Sequence[Sequence[int]], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The heads of all words, counted within the rows that sentences were divided into; one in another row is none."""
    flat = np.array([head for row in heads for head in row], dtype=np.int64)
    if len(flat) != sum(lengths):
        raise ValueError(f"{len(flat):,} heads for {sum(lengths):,} words; give one for each word")
    ends = np.cumsum(lengths)
    sentence = np.repeat(ends - lengths, lengths)  # where the sentence of each word begins
    row = np.repeat(np.cumsum(counts) - counts, counts)  # where its row does
    size = np.repeat(counts, counts)
    within = flat + sentence - row
    return np.where((flat != NONE) & (within >= 0) & (within < size), within, NONE)


def tree_edges(counts: NDArray[np.int64], heads: NDArray[np.int64], sizes: NDArray[np.int64], places: int) -> Edges:
    """The edges of some rows: of `counts` words each, with their heads, each word of so many places; rows are padded.

    All places of a word look at all places of a neighbour, and of the word itself.
    """
    words = np.arange(len(heads))
    row = np.repeat(np.arange(len(counts)), counts)
    first_word = np.repeat(np.cumsum(counts) - counts, counts)
    starts = np.cumsum(sizes) - sizes
    starts = starts - starts[first_word]  # the place of each word within its row
    children = np.flatnonzero(heads != NONE)
    parents = heads[children] + first_word[children]
    one, other = np.concatenate([words, children, parents]), np.concatenate([words, parents, children])
    pairs = sizes[one] * sizes[other]
    which = np.repeat(np.arange(len(one)), pairs)
    within = np.arange(len(which)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    across = sizes[other][which]
    queries, keys = starts[one][which] + within // across, starts[other][which] + within % across
    return Edges.of(
        torch.from_numpy(queries), torch.from_numpy(keys), query_count=places, rows=torch.from_numpy(row[one][which])
    )
