"""Anchors: which layer of a decoder looks at the word that it translates, found without aligned data.

A token that stands once in a source and once in its target (a name, a number, a mark) is most likely its own
translation. The layer whose looks, averaged over its heads, find these anchors most often is the one to align by.

Legend: B batch, H heads, N target places, S source places.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from mirada.data.batch import Batch
from mirada.models.encoder_decoder import TranslationModel
from mirada.models.forced import forced_looks
from mirada.tasks.translation import Development, batches_of, evaluating
from mirada.text.subwords import END

FEWEST = 20  # anchors that a choice needs
BATCHES = 4


def best_layer(model: TranslationModel, development: Development) -> int | None:
    """The decoder's layer that aligns best; None where it never looks, or too few anchors are found to tell."""
    if not model.looks_at_source():
        return None
    found: list[int] = []
    count = 0
    with evaluating(model), torch.inference_mode():
        for batch in batches_of(development.store, development.rows)[:BATCHES]:
            rows, places, sources = anchors(batch)
            count += len(rows)
            hits = _hits(model, batch, rows, places, sources)
            found = hits if not found else [one + other for one, other in zip(found, hits, strict=True)]
    return int(torch.tensor(found).argmax()) if count >= FEWEST else None


def anchors(batch: Batch) -> tuple[Int[Tensor, "A"], Int[Tensor, "A"], Int[Tensor, "A"]]:
    """The row, the target place that says it, and the source place of every anchor of a batch."""
    said = torch.zeros_like(batch.target).flatten().index_copy(0, batch.places, batch.expected).view_as(batch.target)
    same = (said[:, :, None] == _own(batch.source)[:, None, :]) & (said > END)[:, :, None]
    once = (same.sum(2, keepdim=True) == 1) & (same.sum(1, keepdim=True) == 1)
    rows, places, sources = torch.nonzero(same & once, as_tuple=True)
    return rows, places, sources


def _own(source: Int[Tensor, "B S"]) -> Int[Tensor, "B S"]:
    """The sources with end marks for what stands before their texts, which is translated nowhere."""
    ends = source == END
    behind = ends.flip(1).cumsum(1).flip(1)  # end marks from each place on; behind the last inner one there is one
    return source.masked_fill(behind > 1, END)


def _hits(
    model: TranslationModel, batch: Batch, rows: Int[Tensor, "A"], places: Int[Tensor, "A"], sources: Int[Tensor, "A"]
) -> list[int]:
    """How many anchors each layer of the decoder finds."""
    looks = forced_looks(
        model, model.looks_at_source(), batch.source, batch.source_padding, batch.target, batch.target_padding
    )
    seen = [weights.mean(1).argmax(-1) for weights in looks]
    return [int((one[rows, places] == sources).sum()) for one in seen]
