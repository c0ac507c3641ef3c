"""Learning: a recurrent translator with additive attention reverses sequences that it never saw, from any seed.

Where it looks is then known: at the token that it writes, so that its looks can be scored as an alignment.
"""

import random
import time

import torch

from mirada.decoding.options import Search
from mirada.decoding.search import decode_many
from mirada.evaluation.alignment import Gold, score
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.forced import forced_looks
from mirada.models.recurrent import Recurrent
from mirada.tasks.translation import evaluating, loss_of
from mirada.text.subwords import END
from mirada.training.optimizer import Optimizer
from mirada.training.schedule import rate_at
from mirada.training.stretches import Settings
from tests.learning.test_sequences import VOCABULARY, draw, make

STEPS, ROWS = 400, 64
SHAPE = {"width": 32, "encoder": {"width": 64}, "decoder": {"width": 64}, "attention": {"when": "before"}}


def test_it_learns_to_reverse() -> None:
    seed = random.SystemRandom().randrange(2**31)
    chance = random.Random(seed)
    model = build(RecurrentConfig.model_validate(SHAPE), VOCABULARY, seed).train()
    optimizer = Optimizer(model, Settings(), torch.float32)
    begun = time.thread_time()  # a busy machine does not make it learn less
    for step in range(1, STEPS + 1):
        optimizer.add(optimizer.gradients(loss_of(model, make(draw(chance, ROWS), "reverse"), None, 0.0)))
        optimizer.step(rate_at("linear", step, peak=1e-2, warmup=40, total=STEPS, width=32), 1.0)
    rows = draw(chance, 400)
    with evaluating(model):
        found = decode_many(model, [[*row, END] for row in rows], Search(beam=1))
    right = sum(best[0].tokens == row[::-1] for row, best in zip(rows, found, strict=True))
    assert right >= 0.95 * len(rows), f"{right} of {len(rows)} from seed {seed}"
    found_links, gold = links(model, rows), [turned(row) for row in rows]
    shuffled = [Gold.of(zip(range(len(row)), chance.sample(range(len(row)), len(row)), strict=True)) for row in rows]
    assert score(found_links, gold).error < 0.2, f"from seed {seed}"  # 0.001 to 0.012 from three seeds
    assert score(found_links, shuffled).error > 0.6, f"from seed {seed}"
    assert time.thread_time() - begun < 60


def turned(row: list[int]) -> Gold:
    return Gold.of((len(row) - 1 - place, place) for place in range(len(row)))


def links(model: Recurrent, rows: list[list[int]]) -> list[list[tuple[int, int]]]:
    """The place of the source that the model looks at most, for every place of what it is made to say."""
    batch = make(rows, "reverse")
    sides = batch.source, batch.source_padding, batch.target, batch.target_padding
    with evaluating(model):
        (weights,) = forced_looks(model, model.looks_at_source(), *sides)
    most = [weights[number, 0, : len(row), : len(row)].argmax(-1).tolist() for number, row in enumerate(rows)]
    return [[(source, target) for target, source in enumerate(row)] for row in most]
