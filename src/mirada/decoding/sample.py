"""Sampling: every next token drawn by chance, from the model's own probabilities or from a sharpened share of them.

Legend: R rows, T vocabulary, N steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.protocol import S, Steps


def sample(
    model: Steps[S],
    state: S,
    first: Int[Tensor, "R"],
    end: int,
    limits: Int[Tensor, "R"],
    seeds: Sequence[int],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> list[Hypothesis]:
    """Draw every row until its end mark or its limit of tokens; finished rows leave the batch.

    A row's chances come from a generator with the row's own seed, one number for each step, so that they depend
    neither on the rows beside it nor on when those leave. The log-probability that is told is the model's own, at
    temperature 1 and without cuts, so that it can be compared with that of greedy and beam search.
    """
    chances = _chances(seeds, limits)
    chosen: list[list[int]] = [[] for _ in range(len(first))]
    logs = [0.0] * len(first)
    done = [False] * len(first)
    alive, tokens = torch.arange(len(first), device=first.device), first
    for length in range(1, chances.shape[1] + 1):
        going = limits[alive] >= length if length == 1 else (tokens != end) & (limits[alive] >= length)
        if not bool(going.all()):
            rows = torch.nonzero(going).flatten()
            if len(rows) == 0:
                break
            alive, tokens, state = alive[rows], tokens[rows], state.select(rows)
        scores, state = model.step(tokens, state)
        tokens = draw(narrowed(scores, temperature, top_k, top_p), chances[alive, length - 1])
        gained = scores.gather(1, tokens[:, None])[:, 0]
        for row, token, log in zip(alive.tolist(), tokens.tolist(), gained.tolist(), strict=True):
            logs[row] += log
            done[row] = token == end
            if token != end:
                chosen[row].append(token)
    return [Hypothesis(*row) for row in zip(chosen, logs, done, strict=True)]


def narrowed(
    scores: Float[Tensor, "R T"], temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Float[Tensor, "R T"]:
    """The probabilities to draw from: p^(1/temperature) of the likeliest tokens, each row with the sum 1.

    These are the `top_k` likeliest and of them, the likeliest first, as many as together reach `top_p` (Holtzman et
    al. 2020).
    """
    # float64: the sums over a large vocabulary are exact enough that the last token can be drawn, too.
    probabilities = (scores.double() / temperature).softmax(-1)
    if top_k is None and top_p >= 1:
        return probabilities
    kept = _kept(probabilities, top_k, top_p)
    probabilities = probabilities.masked_fill(~kept, 0.0)
    return probabilities / probabilities.sum(-1, keepdim=True)


def draw(probabilities: Float[Tensor, "R T"], chances: Float[Tensor, "R"]) -> Int[Tensor, "R"]:
    """The token of each row at which the sum of probabilities, in the order of the vocabulary, passes its chance.

    The order is the vocabulary's and not that of the probabilities: two tokens that are almost as likely may change
    places from one batch to another, in the last bit, and would change the draw.
    """
    sums = probabilities.cumsum(-1)
    drawn = torch.searchsorted(sums, (chances.to(sums.dtype) * sums[:, -1])[:, None], right=True)[:, 0]
    return drawn.clamp_max(probabilities.shape[-1] - 1)


def _kept(probabilities: Float[Tensor, "R T"], top_k: int | None, top_p: float) -> Bool[Tensor, "R T"]:
    ordered, places = probabilities.sort(dim=-1, descending=True, stable=True)
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(-1, keepdim=True)
    before = ordered.cumsum(-1) - ordered  # what the likelier ones have; so the first is always kept
    return torch.zeros_like(places, dtype=torch.bool).scatter(1, places, (before < top_p) & (ordered > 0))


def _chances(seeds: Sequence[int], limits: Int[Tensor, "R"]) -> Float[Tensor, "R N"]:
    """A number from 0 to 1 for each step of each row."""
    counts = limits.clamp_min(0).tolist()
    chances = torch.zeros(len(counts), max(counts, default=0), dtype=torch.float64)
    for row, (seed, count) in enumerate(zip(seeds, counts, strict=True)):
        generator = torch.Generator().manual_seed(seed)
        chances[row, :count] = torch.rand(count, generator=generator, dtype=torch.float64)
    return chances.to(limits.device)
