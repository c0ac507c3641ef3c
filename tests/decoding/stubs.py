"""Models whose words are known beforehand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from mirada.attention import Padding
from mirada.text.subwords import END, PADDING

SIZE = 50
Speech = Callable[[list[int]], Sequence[int]]


@dataclass(frozen=True, eq=False)
class Script:
    """What each row is about to say, and how much of it was said."""

    words: list[Sequence[int]]
    said: int

    def select(self, rows: Tensor) -> "Script":
        return Script([self.words[row] for row in rows.tolist()], self.said)


class Actor:
    """A model that says, almost surely, what `speech` makes of its source, and then END for ever.

    A share of what is left goes to END, so that a beam has other hypotheses, too; as many of them as the beam is wide
    and it stops, so a long speech needs a share of 0.
    """

    def __init__(self, speech: Speech, sure: float = 0.9, size: int = SIZE, ending: float = 0.25) -> None:
        self.speech, self.sure, self.size, self.ending = speech, sure, size, ending
        self.batches: list[tuple[int, ...]] = []

    def start(self, source: Tensor, padding: Padding | None) -> Script:
        self.batches.append(tuple(source.shape))
        rows = [[one for one in row if one not in (END, PADDING)] for row in source.tolist()]
        return Script([self.speech(row) for row in rows], 0)

    def step(self, tokens: Tensor, state: Script) -> tuple[Tensor, Script]:
        rest = (1 - self.sure) / self.size
        scores = torch.full((len(tokens), self.size), (1 - self.ending) * rest)
        scores[:, END] = rest * self.size * self.ending
        for row, words in enumerate(state.words):
            scores[row, words[state.said] if state.said < len(words) else END] += self.sure
        return (scores / scores.sum(-1, keepdim=True)).log(), Script(state.words, state.said + 1)
