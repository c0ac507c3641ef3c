"""Attention rollout (Abnar and Zuidema 2020): what a place holds of each place of the input after all layers.

    R_0 = I,   R_l = ½ (mean over heads of α_l + I) · R_{l−1}

The way around each attention carries half of what a place holds; the rest is what it looks at.

Legend: N places; each layer has its own number of heads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mirada.viewing import contract
from mirada.viewing.packing import pack, pack_pattern

GROUP = "rollout"


def rollout(layers: Sequence[Float[np.ndarray, "_ N N"]]) -> Float[np.ndarray, "N N"]:
    """The shares of the input in each place of the last layer; a row sums to 1 where those of the layers do."""
    size = layers[0].shape[-1]
    held = np.eye(size, dtype=np.float32)
    for weights in layers:
        held = 0.5 * (weights.mean(0) + np.eye(size, dtype=np.float32)) @ held
    return held


def rollout_map(
    layers: Sequence[Float[np.ndarray, "_ N N"]],
    whole: Float[np.ndarray, "N"],
    queries: str,
    like: contract.Map,
    patterns: Sequence[contract.Pattern],
) -> tuple[contract.Map, tuple[contract.Pattern, ...]]:
    """What the whole holds of each place, as one more map of one head and one query, with the patterns it needs.

    `whole` says how much of each place of the last layer it takes: 1 of the class token, or 1/N of all.
    """
    weights = (whole @ rollout(layers))[None, None].astype(np.float32)
    allowed = weights[0] != 0  # who is reached by no path holds nothing
    pattern = pack_pattern(GROUP, allowed)
    packed = pack(weights, allowed)
    update = {
        "group": GROUP,
        "kind": "cross",
        "queries": queries,
        "layer": 0,
        "heads": 1,
        "pattern": len(patterns),
        "position": "none",
        "weights": packed.weights,
        "highs": packed.highs,
        "lows": packed.lows,
    }
    return like.model_copy(update=update), (*patterns, pattern)
