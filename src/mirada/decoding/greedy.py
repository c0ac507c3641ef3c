"""Greedy decoding: the likeliest token at every step.

Legend: R rows, T vocabulary.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.observing import Candidate, Observer, Step
from mirada.decoding.protocol import S, Steps


def greedy(
    model: Steps[S],
    state: S,
    first: Int[Tensor, "R"],
    end: int,
    limits: Int[Tensor, "R"],
    observer: Observer | None = None,
) -> list[Hypothesis]:
    """Decode every row until its end mark or its limit of tokens; finished rows leave the batch.

    An observer is told of every step of the first row.
    """
    chosen: list[list[int]] = [[] for _ in range(len(first))]
    logs = [0.0] * len(first)
    done = [False] * len(first)
    alive, tokens = torch.arange(len(first), device=first.device), first
    for length in range(1, int(limits.max()) + 1 if len(limits) else 1):
        scores, state = model.step(tokens, state)
        best, tokens = scores.max(-1)
        for row, token, log in zip(alive.tolist(), tokens.tolist(), best.tolist(), strict=True):
            logs[row] += log
            done[row] = token == end
            if token != end:
                chosen[row].append(token)
        if observer is not None and alive[0] == 0:
            observer(Step(length, (Candidate(0, int(tokens[0]), logs[0], done[0]),)))
        going = (tokens != end) & (limits[alive] > length)
        if not bool(going.all()):
            rows = torch.nonzero(going).flatten()
            if len(rows) == 0:
                break
            alive, tokens, state = alive[rows], tokens[rows], state.select(rows)
    return [Hypothesis(*row) for row in zip(chosen, logs, done, strict=True)]
