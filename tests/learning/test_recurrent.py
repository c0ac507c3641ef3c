"""Learning: a recurrent translator with additive attention reverses sequences that it never saw, from any seed."""

import random
import time

import torch

from mirada.decoding.options import Search
from mirada.decoding.search import decode_many
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.tasks.translation import evaluating, loss_of
from mirada.text.subwords import END
from mirada.training.optimizer import AdamSettings, Optimizer
from mirada.training.schedule import rate_at
from tests.learning.test_sequences import VOCABULARY, draw, make

STEPS, ROWS = 400, 64
SHAPE = {"width": 32, "encoder": {"width": 64}, "decoder": {"width": 64}, "attention": {"when": "before"}}


def test_it_learns_to_reverse() -> None:
    seed = random.SystemRandom().randrange(2**31)
    chance = random.Random(seed)
    model = build(RecurrentConfig.model_validate(SHAPE), VOCABULARY, seed).train()
    optimizer = Optimizer(model, AdamSettings(), torch.float32)
    begun = time.thread_time()  # a busy machine does not make it learn less
    for step in range(1, STEPS + 1):
        optimizer.add(optimizer.gradients(loss_of(model, make(draw(chance, ROWS), "reverse"), None, 0.0)))
        optimizer.step(rate_at("linear", step, peak=1e-2, warmup=40, total=STEPS, width=32), 1.0)
    rows = draw(chance, 400)
    with evaluating(model):
        found = decode_many(model, [[*row, END] for row in rows], Search(beam=1))
    right = sum(best[0].tokens == row[::-1] for row, best in zip(rows, found, strict=True))
    assert right >= 0.95 * len(rows), f"{right} of {len(rows)} from seed {seed}"
    assert time.thread_time() - begun < 60
