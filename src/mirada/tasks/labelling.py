"""Labelling as a task: learn the label of each word or of the whole, score by accuracy and macro F1."""

from __future__ import annotations

from math import nan

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mirada.data.labelled import LabelBatch, Labelled, tiled
from mirada.evaluation.labels import score_labels
from mirada.layers.noise import Noise
from mirada.models.labelling import Labeller
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating
from mirada.text.labels import MISSING

AT_ONCE = 4_096  # places of a batch that is scored


def states_of(model: Labeller, batch: LabelBatch, noise: Noise | None = None) -> Float[Tensor, "M W"]:
    """The states of all that is labelled in a batch."""
    words = None if batch.words is None else (batch.words.places, batch.words.word, batch.words.count)
    return model(batch.entered.values, batch.entered.padding, words, noise, batch.entered.edges)


def predict(model: Labeller, labelled: Labelled, device: torch.device | str = "cpu") -> Float[np.ndarray, "M Y"]:
    """The log-probabilities of every label for every row, or every word, in their order."""
    count = len(labelled.labels)
    found = np.zeros((count, len(model.output.weight)), dtype=np.float32)
    starts = _starts(labelled)
    with evaluating(model), torch.inference_mode():
        for rows in tiled(labelled.inputs.lengths, max(AT_ONCE, int(labelled.inputs.lengths.max(initial=1)))):
            batch = labelled.batch(rows, every=True).to(torch.device(device))
            scores = model.output.scores(states_of(model, batch)).cpu().numpy()
            found[np.concatenate([np.arange(starts[row], starts[row + 1]) for row in rows])] = scores
    return found


def _starts(labelled: Labelled) -> NDArray[np.int64]:
    """Where the labels of each row begin."""
    counts = np.ones(len(labelled), dtype=np.int64) if labelled.counts is None else labelled.counts
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


class LabellingTask:
    """A tagger or a classifier that learns; a validation labels the development set."""

    def __init__(
        self, model: Labeller, development: Labelled, labels: tuple[str, ...], device: torch.device | None = None
    ) -> None:
        self._model, self._development, self._labels = model, development, labels
        self._device = torch.device("cpu") if device is None else device

    def loss(self, batch: LabelBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        return self._model.output.loss(states_of(self._model, batch, noise), batch.expected, smoothing)

    def validate(self, step: int) -> Score:
        found = predict(self._model, self._development, self._device)
        right = self._development.labels
        asked, met = np.flatnonzero(right != MISSING), np.flatnonzero(right >= 0)
        scores = score_labels(right[asked], found[asked].argmax(1), self._labels)
        loss = -float(found[met, right[met]].mean()) if len(met) else nan
        return Score(
            step=step, loss=loss, values={"accuracy": 100 * scores.accuracy, "macro_f1": 100 * scores.macro_f1}
        )
