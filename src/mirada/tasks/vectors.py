"""Word vectors as a task: tell a word's neighbours from words drawn at random (Mikolov et al. 2013, equation 4).

    −log σ(u_o · v_i) − Σ_k log σ(−u_k · v_i)

v are the vectors that are kept, u those of the words that are foretold, o a neighbour of the word i, and k stands for
`negatives` words drawn at random. Skip-gram foretells each neighbour from the word; CBOW the word from the mean of
its neighbours. The gradients are written out: there are three matrix products, and no graph to keep.

The words drawn are those of the whole block, each counted by negatives / N: the same mean with less to fetch. A step
moves each row once, by row-wise Adagrad (Duchi et al. 2011): the sum of a frequent word's gradients would overshoot
with one rate for all.

Legend: B blocks, Q words of a block, K places around it, N words drawn, R rows, W width, M members.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from mirada.data.neighbours import Neighbours

FIRST_SQUARE = 1e-8  # of a row that has not moved yet
LEAST = 1e-9  # probability in a loss that is told


class Table:
    """Rows of numbers that learn, each at a rate that falls as its gradients add up."""

    def __init__(self, rows: Float[Tensor, "R W"], squares: Float[Tensor, "R"] | None = None) -> None:
        self.rows = rows
        self.squares = torch.full((len(rows),), FIRST_SQUARE) if squares is None else squares

    def vectors(self, ids: Int[Tensor, "..."]) -> Float[Tensor, "... W"]:
        """The rows of ids."""
        return functional.embedding(ids, self.rows)

    def learn(self, ids: Int[Tensor, "M"], gradients: Float[Tensor, "M W"], rate: float) -> None:
        """Move each row once, by the sum of its gradients."""
        touched, inverse = distinct(ids, len(self.rows))
        sums = gradients.new_zeros(len(touched), self.rows.shape[1]).index_add_(0, inverse, gradients)
        squares = self.squares.index_select(0, touched) + sums.square().mean(1)
        self.squares.index_copy_(0, touched, squares)
        moved = functional.embedding(touched, self.rows) - sums * (rate * squares.rsqrt())[:, None]
        self.rows.index_copy_(0, touched, moved)


@runtime_checkable
class Inputs(Protocol):
    """Where the vectors of words come from, and what learns when they should be others."""

    def vectors(self, ids: Int[Tensor, "..."]) -> Float[Tensor, "... W"]:
        """The vectors of words."""

    def learn(self, ids: Int[Tensor, "M"], gradients: Float[Tensor, "M W"], rate: float) -> None:
        """Change them against these gradients."""


@dataclass(frozen=True, eq=False)
class Spelt:
    """Words whose vector is the mean of their own row and of those of their n-grams."""

    table: Table  # words, then buckets of n-grams
    members: Int[Tensor, "M"]  # rows of all words, one behind another
    starts: Int[Tensor, "V1"]  # where those of each word begin, with the end of all

    def vectors(self, ids: Int[Tensor, "..."]) -> Float[Tensor, "... W"]:
        touched, inverse = distinct(ids.flatten(), len(self.starts) - 1)
        members, lengths = self._members(touched)
        offsets = torch.cumsum(lengths, 0) - lengths
        means = functional.embedding_bag(members, self.table.rows, offsets, mode="mean")
        return functional.embedding(inverse.view(ids.shape), means)

    def learn(self, ids: Int[Tensor, "M"], gradients: Float[Tensor, "M W"], rate: float) -> None:
        touched, inverse = distinct(ids, len(self.starts) - 1)
        sums = gradients.new_zeros(len(touched), gradients.shape[1]).index_add_(0, inverse, gradients)
        members, lengths = self._members(touched)
        each = torch.arange(len(touched)).repeat_interleave(lengths)
        self.table.learn(members, functional.embedding(each, sums / lengths[:, None]), rate)

    def _members(self, words: Int[Tensor, "R"]) -> tuple[Int[Tensor, "M"], Int[Tensor, "R"]]:
        """The rows of words one behind another, and how many each has."""
        starts = self.starts[words]
        lengths = self.starts[words + 1] - starts
        before = torch.cumsum(lengths, 0) - lengths
        places = torch.arange(int(lengths.sum())) + (starts - before).repeat_interleave(lengths)
        return self.members[places], lengths


def distinct(ids: Int[Tensor, "M"], size: int) -> tuple[Int[Tensor, "R"], Int[Tensor, "M"]]:
    """The different ids in order, and the place of each id among them; no sorting, which would take longer."""
    met = torch.zeros(size, dtype=torch.bool)
    met[ids] = True
    return torch.nonzero(met).flatten(), (torch.cumsum(met, 0) - 1)[ids]


def skipgram(batch: Neighbours, inputs: Inputs, outputs: Table, negatives: int, rate: float) -> Tensor:
    """One step towards foretelling neighbours from words; the loss of a pair before it."""
    count = batch.around.shape[1]
    foretold = torch.cat([batch.around, batch.drawn], 1)
    own, others = inputs.vectors(batch.words), outputs.vectors(foretold)
    slopes = torch.bmm(own, others.transpose(1, 2)).sigmoid_()
    near, drawn = slopes[:, :, :count], slopes[:, :, count:]
    neighbours = batch.seen.sum(2)
    share = (neighbours * (negatives / batch.drawn.shape[1]))[:, :, None]
    loss = _told(near, batch.seen, drawn, share, neighbours)
    near.sub_(1).mul_(batch.seen)
    drawn.mul_(share)
    inputs.learn(batch.words.flatten(), torch.bmm(slopes, others).flatten(0, 1), rate)
    outputs.learn(foretold.flatten(), torch.bmm(slopes.transpose(1, 2), own).flatten(0, 1), rate)
    return loss


def cbow(batch: Neighbours, inputs: Inputs, outputs: Table, negatives: int, rate: float) -> Tensor:
    """One step towards foretelling words from the mean of their neighbours; the loss of a word before it."""
    count = batch.words.shape[1]
    foretold = torch.cat([batch.words, batch.drawn], 1)
    around, others = inputs.vectors(batch.around), outputs.vectors(foretold)
    neighbours = batch.seen.sum(2)
    has = (neighbours > 0)[:, :, None]
    weights = batch.seen / neighbours.clamp(min=1)[:, :, None]
    means = torch.bmm(weights, around)
    own, drawn = others[:, :count], others[:, count:]
    near = (means * own).sum(2, keepdim=True).sigmoid_()
    away = torch.bmm(means, drawn.transpose(1, 2)).sigmoid_()
    share = has * (negatives / batch.drawn.shape[1])
    loss = _told(near, has, away, share, has.squeeze(2))
    near.sub_(1).mul_(has)
    away.mul_(share)
    slopes = torch.baddbmm(near * own, away, drawn)
    learnt = torch.cat([near * means, torch.bmm(away.transpose(1, 2), means)], 1)
    inputs.learn(batch.around.flatten(), torch.bmm(weights.transpose(1, 2), slopes).flatten(0, 1), rate)
    outputs.learn(foretold.flatten(), learnt.flatten(0, 1), rate)
    return loss


def _told(near: Tensor, seen: Tensor, drawn: Tensor, share: Tensor, pairs: Tensor) -> Tensor:
    """The mean loss of a pair, from the probabilities that were foretold in the first blocks: enough to be told."""
    some = slice(0, 4)
    lost = -(near[some].clamp(min=LEAST).log() * seen[some]).sum()
    lost = lost - ((1 - drawn[some]).clamp(min=LEAST).log() * share[some]).sum()
    return lost / pairs[some].sum().clamp(min=1)
