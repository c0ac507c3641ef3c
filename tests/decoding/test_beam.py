"""Beam search against all sequences counted out."""

import itertools
import math
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from mirada.decoding.beam import beam
from mirada.decoding.greedy import greedy

END, SIZE = 0, 4


@dataclass(frozen=True, eq=False)
class Said:
    """The tokens so far are the whole state."""

    tokens: Tensor

    def select(self, rows: Tensor) -> "Said":
        return Said(self.tokens[rows])


class Table:
    """A model whose next token depends on the sentence and on all tokens so far, through a fixed hash."""

    def step(self, tokens: Tensor, state: Said) -> tuple[Tensor, Said]:
        said = torch.cat([state.tokens, tokens[:, None]], 1)
        return torch.stack([self.scores(tuple(row)) for row in said.tolist()]), Said(said)

    @staticmethod
    def scores(said: tuple[int, ...]) -> Tensor:
        generator = torch.Generator().manual_seed(
            sum((place + 1) * 31**place * token for place, token in enumerate(said))
        )
        return torch.randn(SIZE, generator=generator).mul(1.5).log_softmax(-1)


def every_sequence(sentence: int, limit: int) -> dict[tuple[int, ...], float]:
    """The log-probability of each finished sequence of at most `limit` tokens, the end mark counted."""
    found = {}
    for length in range(limit):
        for tokens in itertools.product(range(1, SIZE), repeat=length):
            said, total = (sentence,), 0.0
            for token in (*tokens, END):
                total += float(Table.scores(said)[token])
                said = (*said, token)
            found[tokens] = total
    return found


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0])
def test_a_wide_beam_finds_the_best_of_all(penalty) -> None:
    first = torch.tensor([7, 8, 9])
    limits = torch.tensor([4, 3, 4])
    results = beam(Table(), Said(torch.empty(3, 0, dtype=torch.int64)), first, END, limits, 200, penalty)
    for sentence, limit, found in zip(first.tolist(), limits.tolist(), results, strict=True):
        counted = every_sequence(sentence, limit)
        wanted = sorted(counted, key=lambda tokens: counted[tokens] / (len(tokens) + 1) ** penalty, reverse=True)
        finished = [hypothesis for hypothesis in found if hypothesis.finished]
        assert [tuple(hypothesis.tokens) for hypothesis in finished[:5]] == wanted[:5]
        for hypothesis in finished[:5]:
            assert math.isclose(hypothesis.log_probability, counted[tuple(hypothesis.tokens)], abs_tol=1e-4)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_sentence_does_not_depend_on_its_batch(width) -> None:
    first, limits = torch.tensor([7, 8, 9, 11]), torch.tensor([6, 2, 9, 4])
    together = beam(Table(), Said(torch.empty(4, 0, dtype=torch.int64)), first, END, limits, width)
    for row in range(4):
        one = slice(row, row + 1)
        (alone,) = beam(Table(), Said(torch.empty(1, 0, dtype=torch.int64)), first[one], END, limits[one], width)
        assert [hypothesis.tokens for hypothesis in alone] == [hypothesis.tokens for hypothesis in together[row]]


class Counting(Table):
    """The same model, which counts its steps."""

    def __init__(self) -> None:
        self.steps = 0

    def step(self, tokens: Tensor, state: Said) -> tuple[Tensor, Said]:
        self.steps += 1
        return super().step(tokens, state)


def test_a_sentence_stops_when_as_many_have_ended_as_the_beam_is_wide() -> None:
    model, first, limits = Counting(), torch.tensor([7]), torch.tensor([50])
    (found,) = beam(model, Said(torch.empty(1, 0, dtype=torch.int64)), first, END, limits, 3)
    assert [hypothesis.finished for hypothesis in found] == [True] * 3
    assert model.steps < 50
    assert model.steps >= max(len(hypothesis.tokens) + 1 for hypothesis in found)


def test_the_limit_is_said() -> None:
    first, limits = torch.tensor([7]), torch.tensor([1])
    (found,) = beam(Table(), Said(torch.empty(1, 0, dtype=torch.int64)), first, END, limits, 3)
    assert {hypothesis.finished for hypothesis in found} == {True, False}
    assert all(len(hypothesis.tokens) <= 1 for hypothesis in found)


def test_nothing_to_decode_gives_nothing() -> None:
    nothing = torch.empty(0, dtype=torch.int64)
    assert greedy(Table(), Said(nothing[:, None]), nothing, END, nothing) == []
    assert beam(Table(), Said(nothing[:, None]), nothing, END, nothing, 2) == []


def test_a_beam_of_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="beam = 0"):
        beam(Table(), Said(torch.empty(1, 0, dtype=torch.int64)), torch.tensor([7]), END, torch.tensor([3]), 0)
