"""A model that writes, once over a source and what it is made to write, with every attention recorded.

All places are read at once: the weights are those of decoding step by step, which the laws hold equal.

Legend: B batch, S source places, N target places, T vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Padding
from mirada.attention.record import Look, joined, record
from mirada.layers.stack import Stack
from mirada.models.encoder_decoder import TranslationModel
from mirada.viewing import contract
from mirada.viewing.lens import lens_of, tapped
from mirada.viewing.maps import NOTHING_TO_SEE, Side

# What looks, and at what: a decoder to itself reads what was written before, and looks at the source to write.
SIDES: dict[str, Side] = {
    "encoder": ("self", "source", "source"),
    "decoder": ("self", "read", "read"),
    "cross": ("cross", "written", "source"),
}


@dataclass(frozen=True, eq=False)
class Forced:
    """What one pass over source and target showed."""

    looks: list[Look]  # one for each attention, in order, with the weights of all queries
    scores: Float[Tensor, "N T"]  # log-probabilities at each place of the target and for the end mark
    lens: contract.Lens | None


def force(
    model: TranslationModel,
    decoder: Stack | None,
    source: tuple[Tensor, Padding | None],
    target: tuple[Int[Tensor, "1 N"], Padding | None],
    labels: Sequence[str],
) -> Forced:
    """What a model sees in a source when it is made to write a target, begin mark first."""
    with torch.inference_mode(), record(model) as looks, tapped(decoder) as layers:
        states = model(*source, *target)
        scores = model.output.scores(states[0])
        lens = lens_of(layers, decoder, lambda last: model.output.scores(last[0]), labels)
    if not looks:
        raise ValueError(NOTHING_TO_SEE + "translate with it instead")
    return Forced(joined(looks), scores, lens)


def group_of(name: str) -> str:
    """Encoder or decoder to itself, or, whatever it is called, the decoder's look at the source."""
    if name.startswith(("encoder", "reader")):
        return "encoder"
    return "decoder" if name.endswith("self_attention") else "cross"
