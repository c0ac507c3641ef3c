"""Two language models as one task (Peters et al. 2018, 3.1): the next token and the one before, on one loss."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from mirada.data.both_ways import BothBatch, both_ways
from mirada.data.rows import Lines, held_out
from mirada.evaluation.reading import BothScore
from mirada.layers.noise import Noise
from mirada.models.elmo import BidirectionalModel
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating

AT_ONCE = 8_192  # tokens of a batch that is scored


class ElmoTask:
    """Two language models that learn."""

    def __init__(
        self, model: BidirectionalModel, development: Lines, tokens: int, device: torch.device | None = None
    ) -> None:
        self._model = model
        self._device = torch.device("cpu") if device is None else device
        self._batches = [both_ways(one) for one in held_out(development, tokens, AT_ONCE, pairs=False)]

    def loss(self, batch: BothBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        states = self._model(batch.entered, batch.padding, batch.ahead, batch.behind, noise)
        return self._model.output.loss(states, batch.expected, smoothing)

    def validate(self, step: int) -> Score:
        return Score(step=step, loss=score_both(self._model, self._batches, self._device).loss)


def score_both(
    model: BidirectionalModel, batches: Iterable[BothBatch], device: torch.device | str = "cpu"
) -> BothScore:
    """The mean loss of both directions."""
    totals, count = [0.0, 0.0], 0
    with evaluating(model), torch.inference_mode():
        for one in batches:
            batch = one.to(torch.device(device))
            states = model(batch.entered, batch.padding, batch.ahead, batch.behind)
            half = len(batch.ahead)
            for way, (said, expected) in enumerate(zip(states.split(half), batch.expected.split(half), strict=True)):
                totals[way] += float(model.output.loss(said, expected)) * half
            count += half
    return BothScore(totals[0] / max(1, count), totals[1] / max(1, count), count)
