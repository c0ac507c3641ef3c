"""Progress: how much of the phrases that it must contain each candidate has said.

Legend: R rows, P phrases, F forms of a phrase, L tokens of the longest form, T vocabulary, C tokens to go on with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mirada.text.asking import Forms

NONE = -1  # in place of a token
FAR = 1 << 30  # more tokens than are ever said


@dataclass(frozen=True, eq=False)
class Progress:
    """The phrases of each row, and which of their tokens were just said.

    `begun[..., k]` says whether the last k + 1 tokens are the first k + 1 of a form: shift, and compare with the new
    token (Baeza-Yates and Gonnet 1992), which finds every occurrence, in whatever it overlaps. A phrase is met when all
    of a form was said between two joints; whether a joint follows is known with the next token.
    """

    forms: Int[Tensor, "R P F L"]  # NONE behind the end of a form
    lengths: Int[Tensor, "R P F"]  # 0 for a form that is not there
    begun: Bool[Tensor, "R P F L"]
    met: Bool[Tensor, "R P"]  # also where a row has fewer phrases than others
    last: Int[Tensor, "R"]
    begins: Bool[Tensor, "T"]  # pieces that go on with a word, see `mirada.text.joints`
    ends: Bool[Tensor, "T"]  # pieces whose word goes on with those

    @classmethod
    def of(
        cls,
        phrases: Sequence[Sequence[Forms]],
        first: Int[Tensor, "R"],
        begins: Bool[Tensor, "T"],
        ends: Bool[Tensor, "T"],
    ) -> Progress:
        """The progress of rows that have said nothing but their first token, which is of no phrase."""
        most = max(map(len, phrases), default=0)
        many = max((len(forms) for row in phrases for forms in row), default=1)
        longest = max((len(form) for row in phrases for forms in row for form in forms), default=1)
        table = torch.full((len(phrases), most, many, longest), NONE, dtype=torch.int64)
        for number, row in enumerate(phrases):
            for place, forms in enumerate(row):
                for which, form in enumerate(forms):
                    table[number, place, which, : len(form)] = torch.tensor(form, dtype=torch.int64)
        table = table.to(first.device)
        lengths = (table != NONE).sum(-1)
        return cls(
            table, lengths, torch.zeros_like(table, dtype=torch.bool), lengths[:, :, 0] == 0, first, begins, ends
        )

    def select(self, rows: Int[Tensor, "R2"]) -> Progress:
        """The progress of these rows, in this order."""
        return replace(
            self,
            forms=self.forms[rows],
            lengths=self.lengths[rows],
            begun=self.begun[rows],
            met=self.met[rows],
            last=self.last[rows],
        )

    def after(self, tokens: Int[Tensor, "R"]) -> Progress:
        """The progress when each row has said one more token."""
        joined = self.ends[self.last] & self.begins[tokens]
        starting = ~joined[:, None, None, None].expand(*self.forms.shape[:3], 1)
        begun = torch.cat([starting, self.begun[..., :-1]], -1) & (self.forms == tokens[:, None, None, None])
        met = self.met | (self.complete & ~joined[:, None])
        return replace(self, begun=begun, met=met, last=tokens)

    @cached_property
    def complete(self) -> Bool[Tensor, "R P"]:
        """Which phrases have just been said whole; a next token that goes on with the word undoes it."""
        return ((self.lengths > 0) & (self._said == self.lengths)).any(-1)

    @cached_property
    def waiting(self) -> Int[Tensor, "R"]:
        """The tokens of the phrases that are still to be said, if a joint follows, and no phrase is gone on with."""
        return (self.lengths[..., 0] * ~(self.met | self.complete)).sum(-1)

    @cached_property
    def unmet(self) -> Int[Tensor, "R"]:
        """The same if the word is gone on with, which undoes what is complete."""
        return (self.lengths[..., 0] * ~self.met).sum(-1)

    @cached_property
    def needed(self) -> Int[Tensor, "R"]:
        """The fewest tokens that surely make a row say all its phrases; after one of them it is smaller by 1 or more.

        Either a form that was begun is gone on with, or no form is. Other phrases that were begun are said anew; those
        that are complete count as said where a joint follows.
        """
        said = self._said
        going = (said > 0) & (said < self.lengths) & ~(self.met | self.complete)[..., None]
        joined = self.ends[self.last][:, None, None] & self.begins[self._next.clamp_min(0)]
        rest = torch.where(joined, self.unmet[:, None, None], self.waiting[:, None, None])
        saved = self.lengths[..., :1] - (self.lengths - said)
        going_on = (rest - saved).masked_fill(~going, FAR).flatten(1)
        return torch.cat([self.waiting[:, None], going_on], 1).amin(1)

    def following(self) -> Int[Tensor, "R C"]:
        """The tokens that go on with a phrase that is not met, or begin it; NONE in place of one."""
        following = torch.cat([self._next, self.forms[:, :, :1, 0]], -1)
        return following.masked_fill(self.met[..., None], NONE).flatten(1)

    def joined(self) -> Bool[Tensor, "R T"]:
        """Which tokens would go on with the word of the last one."""
        return self.ends[self.last][:, None] & self.begins

    def needed_after(self, rows: Int[Tensor, "K"], tokens: Int[Tensor, "K"]) -> Int[Tensor, "K"]:
        """The tokens that these rows would need after these tokens."""
        return self.select(rows).after(tokens).needed

    @cached_property
    def _said(self) -> Int[Tensor, "R P F"]:
        """How many tokens of each form were just said."""
        count = torch.arange(1, self.forms.shape[-1] + 1, device=self.forms.device)
        return (self.begun * count).amax(-1)

    @cached_property
    def _next(self) -> Int[Tensor, "R P F"]:
        """The token of each form behind those that were said; NONE where all were."""
        said = self._said
        last = self.forms.shape[-1] - 1
        return self.forms.gather(-1, said.clamp_max(last)[..., None])[..., 0].masked_fill(said >= self.lengths, NONE)
