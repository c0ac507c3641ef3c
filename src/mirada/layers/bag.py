"""Bags: a word as the sum of what is known of it, its subwords and its spelling.

Legend: B batch, N places, P ids of a word, W model width.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise, drop
from mirada.text.subwords import PADDING

USUAL = 10  # ids of a word: their sum begins about as long as one token's vector


class BagEmbedding(Embedding):
    """√(width / 10) · Σ_p E[id_p] (Bojanowski et al. 2017, eq. 2, with subwords and affixes for n-grams).

    The step's dropout takes whole ids out of a bag, so that a word is also known by the rest, as an unknown one must
    be.
    """

    def forward(
        self,
        tokens: Int[Tensor, "B N P"],
        offset: int = 0,
        noise: Noise | None = None,
        places: Int[Tensor, "N"] | None = None,
    ) -> Float[Tensor, "B N W"]:
        flat = tokens.flatten(0, 1)
        kept = None if noise is None else noise.mask(self.weight.new_empty(1).expand(flat.shape))
        summed = functional.embedding_bag(
            flat, self.weight, mode="sum", per_sample_weights=kept, padding_idx=PADDING
        ).view(*tokens.shape[:2], -1)
        states = summed * (self.token_width / USUAL) ** 0.5
        if self.places is None:
            return states
        return drop(noise, self.places(states, offset, places))
