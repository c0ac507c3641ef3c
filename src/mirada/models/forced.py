"""Forced decoding: where a model looks at its source when it is made to say a given target (teacher forcing).

Legend: B batch, H heads, N target places, S source places.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Attention, Padding
from mirada.attention.record import joined, record
from mirada.models.encoder_decoder import TranslationModel


def forced_looks(
    model: TranslationModel,
    attentions: Sequence[Attention],
    source: Int[Tensor, "B S"],
    source_padding: Padding | None,
    entered: Int[Tensor, "B N"],
    entered_padding: Padding | None,
) -> list[Float[Tensor, "B H N S"]]:
    """The weights of these looks at the source, in their order; row n is that by which the token after n is chosen."""
    with torch.inference_mode(), record(nn.ModuleList(attentions)) as looks:
        model(source, source_padding, entered, entered_padding)
    found = {look.attention: look.weights for look in joined(looks)}
    return [found[attention] for attention in attentions]
