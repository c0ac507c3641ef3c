"""BLOCKED: a window folded into the batch, O(n · window).

Legend: B batch, H heads, N places, n places of a run, m places it sees, g blocks of a run, T queries of a block,
U keys that a block sees, D key width, V value width.

The sequence is cut into blocks of T places. A block sees itself and what the window reaches on both sides:
U = left + T + right keys, all in one piece, so that folding needs slices only and no look-up.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from mirada.attention.kernels.dense import Candidates, gather_values
from mirada.attention.kernels.runs import RUN, Run, attend_in_runs, pieces_per_run
from mirada.attention.neighbourhood import Neighbourhood, as_bias
from mirada.attention.position import RelativePositions
from mirada.attention.problem import Problem
from mirada.attention.score import Scorer

SMALLEST_BLOCK = 32  # below this the products are too small to pay


def refusal(problem: Problem) -> str | None:
    """Why blocks cannot answer, or None."""
    if not problem.whole:
        return "blocks need all places of one sequence"
    if not problem.neighbourhood.pattern.band.bounded:
        return f"the pattern {problem.neighbourhood.pattern} has no bounded window"
    return None


def reach(problem: Problem) -> tuple[int, int]:
    """How far the window goes to the left and to the right, cut to the sequence."""
    band, last = problem.neighbourhood.pattern.band, problem.neighbourhood.keys - 1
    return min(band.left or 0, last), min(band.right or 0, last)


def block_size(left: int, right: int) -> int:
    """Places of a block: a quarter of the longer side. Of a block's pairs, T of left + T are computed for nothing."""
    return max(left // 4, right // 4, SMALLEST_BLOCK)


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head."""
    left, right = reach(problem)
    size = block_size(left, right)
    return -(-problem.neighbourhood.keys // size) * size * (left + size + right)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer, a run of blocks at a time."""
    left, right = reach(problem)
    size, length = block_size(left, right), problem.neighbourhood.keys
    of_one = problem.batch * problem.heads * size * (left + size + right)
    step = size * pieces_per_run(-(-length // size), of_one, kept=RUN)
    asked = problem.neighbourhood, problem.score, problem.relative
    runs = [BlockRun(*asked, start, min(start + step, length), left, right) for start in range(0, length, step)]
    rows, modules = (problem.queries, problem.keys, problem.values), [problem.score, problem.relative]
    return attend_in_runs(runs, *rows, modules, problem.nothing, problem.origin)


@dataclass(frozen=True, eq=False)
class BlockRun(Run):
    """The blocks of places `start` to `end`, and the places that they see on both sides.

    It is kept for the backward pass, and so holds nothing of the problem's rows.
    """

    near: Neighbourhood
    score: Scorer
    relative: RelativePositions | None
    start: int
    end: int
    left: int
    right: int

    @property
    def seen(self) -> slice:
        """The places that the run looks at."""
        return slice(max(0, self.start - self.left), min(self.end + self.right, self.near.keys))

    def take_queries(self, rows: Float[Tensor, "B H N D"]) -> Float[Tensor, "B H n D"]:
        return rows[:, :, self.start : self.end]

    def put(self, rows: Float[Tensor, "B H N V"], part: Float[Tensor, "B H n V"]) -> None:
        rows[:, :, self.start : self.end] = part

    def take(self, rows: Float[Tensor, "B G N D"]) -> Float[Tensor, "B G m D"]:
        return rows[:, :, self.seen]

    def give(self, rows: Float[Tensor, "B G N D"], part: Float[Tensor, "B G m D"]) -> None:
        rows[:, :, self.seen] += part

    def attend(
        self,
        queries: Float[Tensor, "B H n D"],
        keys: Float[Tensor, "B G m D"],
        values: Float[Tensor, "B G2 m V"],
    ) -> Float[Tensor, "B H n V"]:
        left, right = self.left, self.right
        size = min(block_size(left, right), queries.shape[2])
        i, j = block_places(self.start, self.end, size, left, right, queries.device)
        mask = block_mask(self.near, i, j)
        bias = as_bias(mask, queries.dtype)
        folded = fold(queries, size), self._windows(keys, size), self._windows(values, size)
        seen = Candidates(folded[0], folded[1], i, j, mask, bias)
        weights = seen.weights(self.score, self.relative, self.near.may_be_empty)
        output = gather_values(weights, folded[2], i, j, self.relative)
        return output.transpose(1, 2).flatten(2, 3)[:, :, : self.end - self.start]

    def _windows(self, rows: Float[Tensor, "B G m D"], size: int) -> Float[Tensor, "B g G U D"]:
        """What each block sees: overlapping pieces of `left + size + right` places."""
        before = self.left - (self.start - self.seen.start)
        blocks = -(-(self.end - self.start) // size)
        after = self.left + blocks * size + self.right - before - rows.shape[2]
        padded = pad(rows, (0, 0, before, after)) if before or after else rows
        pieces = padded.unfold(2, self.left + size + self.right, size)
        return pieces.permute(0, 2, 1, 4, 3)


def fold(x: Float[Tensor, "B H n D"], size: int) -> Float[Tensor, "B g H T D"]:
    """Blocks of `size` places, the last filled up with zeros."""
    missing = -x.shape[2] % size
    return (pad(x, (0, 0, 0, missing)) if missing else x).unflatten(2, (-1, size)).transpose(1, 2)


def block_places(
    start: int, end: int, size: int, left: int, right: int, device: torch.device
) -> tuple[Int[Tensor, "g T"], Int[Tensor, "g U"]]:
    """The places of each block's queries and keys; a place outside the sequence is negative or too large."""
    starts = torch.arange(start, end, size, device=device)[:, None]
    return (
        starts + torch.arange(size, device=device),
        starts + torch.arange(-left, size + right, device=device),
    )


def block_mask(near: Neighbourhood, i: Int[Tensor, "g T"], j: Int[Tensor, "g U"]) -> Bool[Tensor, "#B #g 1 T U"]:
    """Who may look within each block; one mask for all blocks where they are alike."""
    outside = int(j[0, 0]) < 0 or int(j[-1, -1]) >= near.keys
    if near.pattern.relative and not outside and near.facts.padding is None:
        i, j = i[:1], j[:1]
    inside = (j >= 0) & (j < near.keys)
    mask = near.pattern.allows(i[:, :, None], j[:, None, :]) & inside[:, None, :]
    if near.facts.padding is None:
        return mask[None, :, None]
    real = near.facts.padding.real[:, j.clamp(0, near.keys - 1)]
    return (mask & real[:, :, None, :])[:, :, None]
