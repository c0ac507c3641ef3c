"""The lens: what a model would say if it stopped after a layer (the logit lens, nostalgebraist 2020).

    p_l(token | place n) = softmax(E · norm(h_n after layer l) + b)

The states after each block are taken for the last ones: through the last norm and the output layer. In the last row
stands what the model does say.

Legend: N places, M those where something is said, W width, T what can be said, L layers, C candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from mirada.attention import Facts
from mirada.layers.stack import Stack
from mirada.viewing import contract
from mirada.viewing.packing import LEVELS, as_base64, from_base64

BEST = 3  # candidates of a cell
MOST_CANDIDATES = 20_000  # of all cells: 80 kB; long texts on deep models have fewer in each cell

# From the states of all places to the log-probabilities of what is said, at those where something is.
Speak = Callable[[Float[Tensor, "1 N W"]], Float[Tensor, "M T"]]


@contextmanager
def tapped(stack: Stack | None) -> Iterator[list[Float[Tensor, "B N W"]]]:
    """The states after each block, as they come; none where there is no stack. Nothing is kept on the modules."""
    states: list[Tensor] = []

    def tap(_: nn.Module, __: tuple[Any, ...], output: tuple[Tensor, Any]) -> None:
        states.append(output[0])

    handles = [] if stack is None else [block.register_forward_hook(tap) for block in stack.blocks]
    try:
        yield states
    finally:
        for handle in handles:
            handle.remove()


@torch.no_grad()
def lens_of(
    layers: Sequence[Float[Tensor, "1 N W"]],
    stack: Stack | None,
    speak: Speak,
    labels: Sequence[str],
) -> contract.Lens | None:
    """The lens of one row; None where there is no stack, or nothing is said."""
    if stack is None or not layers:
        return None
    scores = torch.stack([speak(stack.finish(states, Facts())) for states in layers])
    cells = scores.shape[0] * scores.shape[1]
    if not cells:
        return None
    said = scores.topk(max(1, min(BEST, scores.shape[-1], MOST_CANDIDATES // cells)), -1)
    return _packed(said.values.exp().cpu().numpy(), said.indices.cpu().numpy(), labels)


def _packed(
    shares: Float[np.ndarray, "L N C"], numbers: Int[np.ndarray, "L N C"], labels: Sequence[str]
) -> contract.Lens:
    known, places = np.unique(numbers, return_inverse=True)
    return contract.Lens(
        layers=len(numbers),
        best=numbers.shape[-1],
        tokens=tuple(labels[number] for number in known.tolist()),
        numbers=as_base64(places.astype("<u2")),
        probabilities=as_base64(np.rint(shares.clip(0, 1) * LEVELS).astype(np.uint8)),
    )


def cells_of(lens: contract.Lens) -> list[list[list[contract.Candidate]]]:
    """The candidates of each layer and each step of a lens."""
    shape = lens.layers, -1, lens.best
    numbers: NDArray[np.uint16] = np.frombuffer(from_base64(lens.numbers), "<u2").reshape(shape)
    shares = np.frombuffer(from_base64(lens.probabilities), np.uint8).reshape(shape) / LEVELS
    return [
        [
            [
                contract.Candidate(token=lens.tokens[number], probability=share)
                for number, share in zip(*cell, strict=True)
            ]
            for cell in zip(*row, strict=True)
        ]
        for row in zip(numbers.tolist(), shares.tolist(), strict=True)
    ]
