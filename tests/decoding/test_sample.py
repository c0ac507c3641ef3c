"""Sampling: what is drawn, and on what it depends."""

import pytest
import torch

from mirada.decoding.greedy import greedy
from mirada.decoding.sample import draw, narrowed, sample
from tests.decoding.test_beam import END, SIZE, Said, Table


def nothing_said(rows: int) -> Said:
    return Said(torch.empty(rows, 0, dtype=torch.int64))


FIRST, LIMITS = torch.tensor([7, 8, 9, 11]), torch.tensor([6, 2, 9, 4])


@pytest.mark.parametrize("settings", [{"top_k": 1}, {"temperature": 1e-4}, {"top_p": 1e-9}])
def test_the_likeliest_only_is_greedy(settings) -> None:
    drawn = sample(Table(), nothing_said(4), FIRST, END, LIMITS, [1, 2, 3, 4], **settings)
    wanted = greedy(Table(), nothing_said(4), FIRST, END, LIMITS)
    assert [one.tokens for one in drawn] == [one.tokens for one in wanted]
    assert [one.finished for one in drawn] == [one.finished for one in wanted]
    for one, other in zip(drawn, wanted, strict=True):
        assert one.log_probability == pytest.approx(other.log_probability)


def test_a_row_does_not_depend_on_its_batch() -> None:
    seeds = [5, 6, 7, 8]
    together = sample(Table(), nothing_said(4), FIRST, END, LIMITS, seeds)
    for row in range(4):
        one = slice(row, row + 1)
        alone = sample(Table(), nothing_said(1), FIRST[one], END, LIMITS[one], seeds[one])
        assert alone == together[row : row + 1]


def test_another_seed_is_another_draw() -> None:
    first, limits = torch.full((20,), 7), torch.full((20,), 6)
    drawn = sample(Table(), nothing_said(20), first, END, limits, range(20))
    assert len({tuple(one.tokens) for one in drawn}) > 3
    assert drawn == sample(Table(), nothing_said(20), first, END, limits, range(20))


def test_draws_follow_the_probabilities() -> None:
    probabilities = torch.tensor([0.1, 0.0, 0.6, 0.3], dtype=torch.float64)
    chances = torch.rand(4000, dtype=torch.float64)
    counts = draw(probabilities.expand(4000, 4), chances).bincount(minlength=4)
    assert counts[1] == 0
    assert torch.allclose(counts / 4000, probabilities.float(), atol=0.03)


def test_what_has_no_probability_is_never_drawn() -> None:
    probabilities = torch.tensor([[0.0, 0.5, 0.5, 0.0]], dtype=torch.float64)
    for chance, wanted in ((0.0, 1), (0.4999, 1), (0.5, 2), (1 - 1e-16, 2)):
        assert draw(probabilities, torch.tensor([chance], dtype=torch.float64)).tolist() == [wanted]


def test_the_cuts() -> None:
    scores = torch.tensor([[0.4, 0.3, 0.2, 0.1]]).log()
    cases = [
        ({"top_k": 2}, [4 / 7, 3 / 7, 0, 0]),
        ({"top_p": 0.6}, [4 / 7, 3 / 7, 0, 0]),
        ({"top_p": 0.3}, [1, 0, 0, 0]),
        ({"top_k": 3, "top_p": 0.7}, [4 / 7, 3 / 7, 0, 0]),  # 0.4/0.9 + 0.3/0.9 reach 0.7
        ({"top_k": 99}, [0.4, 0.3, 0.2, 0.1]),
        ({"temperature": 0.5}, [16 / 30, 9 / 30, 4 / 30, 1 / 30]),
    ]
    for settings, wanted in cases:
        assert narrowed(scores, **settings)[0].tolist() == pytest.approx(wanted, abs=1e-6)


def test_limits_hold() -> None:
    drawn = sample(Table(), nothing_said(4), FIRST, END, torch.tensor([0, 1, 2, 0]), [1, 2, 3, 4])
    assert [len(one.tokens) <= limit for one, limit in zip(drawn, [0, 1, 2, 0], strict=True)] == [True] * 4
    assert not drawn[0].finished
    assert all(0 < token < SIZE for one in drawn for token in one.tokens)


def test_nothing_to_draw_gives_nothing() -> None:
    nothing = torch.empty(0, dtype=torch.int64)
    assert sample(Table(), nothing_said(0), nothing, END, nothing, []) == []
