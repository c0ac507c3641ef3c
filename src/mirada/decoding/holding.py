"""Holding a model to what is demanded of its translations, whatever search is to follow.

Legend: B sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from mirada.decoding.demand import Demand
from mirada.decoding.phrases import Phrased
from mirada.decoding.prefix import Prefixed
from mirada.decoding.progress import Progress
from mirada.decoding.protocol import Reader
from mirada.text.joints import Joints
from mirada.text.subwords import END


@dataclass(frozen=True, eq=False)
class Demands:
    """What is demanded of each translation, and where words may be joined."""

    each: Sequence[Demand]
    joints: Joints

    @property
    def phrased(self) -> bool:
        """Whether a translation must contain phrases."""
        return any(one.phrases for one in self.each)

    def select(self, numbers: Sequence[int]) -> Demands:
        """The demands of these sources, in this order."""
        return Demands([self.each[number] for number in numbers], self.joints)

    def held(self, model: Reader[Any], first: Int[Tensor, "B"], limits: Int[Tensor, "B"]) -> Reader[Any]:
        """The model held to the demands of a batch; itself where there are none."""
        if any(one.prefix for one in self.each):
            model = Prefixed(model, [one.prefix for one in self.each])
        if not self.phrased:
            return model
        begins, ends = (torch.from_numpy(one).to(first.device) for one in (self.joints.begins, self.joints.ends))
        return Phrased(model, END, limits, Progress.of([one.phrases for one in self.each], first, begins, ends))
