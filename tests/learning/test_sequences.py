"""Learning: copy, reverse and sort, on sequences of several lengths that were never seen, from any seed."""

import random
import time

import numpy as np
import pytest
import torch

from mirada.data.batch import Batch, pair_up
from mirada.decoding.options import Search
from mirada.decoding.search import decode_many
from mirada.tasks.translation import evaluating, loss_of
from mirada.text.subwords import END, PADDING
from mirada.training.optimizer import Optimizer
from mirada.training.schedule import rate_at
from mirada.training.stretches import Settings
from tests.models.build import small_transformer

VOCABULARY, FIRST = 16, 4
SHORTEST, LONGEST = 3, 8
STEPS, ROWS = 600, 64
ANSWERS = {"copy": lambda row: row, "reverse": lambda row: row[::-1], "sort": sorted}


def draw(chance: random.Random, rows: int) -> list[list[int]]:
    lengths = [chance.randint(SHORTEST, LONGEST) for _ in range(rows)]
    return [[chance.randrange(FIRST, VOCABULARY) for _ in range(length)] for length in lengths]


def padded(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ended = [[*row, END] for row in rows]
    lengths = np.array([len(row) for row in ended], dtype=np.int64)
    table = np.full((len(rows), lengths.max()), PADDING, dtype=np.int64)
    for place, row in enumerate(ended):
        table[place, : len(row)] = row
    return table, lengths


def make(rows: list[list[int]], task: str) -> Batch:
    return pair_up(*padded(rows), *padded([list(ANSWERS[task](row)) for row in rows]))


@pytest.mark.parametrize("task", list(ANSWERS))
def test_it_learns(task: str) -> None:
    seed = random.SystemRandom().randrange(2**31)  # a model that learns from some seeds only would be found out
    chance = random.Random(seed)
    torch.manual_seed(seed)
    model = small_transformer(vocabulary=VOCABULARY, width=64, layers=1, heads=4).train()
    optimizer = Optimizer(model, Settings(), torch.float32)
    begun = time.monotonic()
    for step in range(1, STEPS + 1):
        optimizer.add(optimizer.gradients(loss_of(model, make(draw(chance, ROWS), task), None, 0.0)))
        optimizer.step(rate_at("linear", step, peak=3e-3, warmup=60, total=STEPS, width=64), 1.0)
    rows = draw(chance, 400)
    with evaluating(model):
        found = decode_many(model, [[*row, END] for row in rows], Search(beam=1))
    right = sum(best[0].tokens == list(ANSWERS[task](row)) for row, best in zip(rows, found, strict=True))
    assert right >= 0.99 * len(rows), f"{right} of {len(rows)} from seed {seed}"
    assert time.monotonic() - begun < 60
