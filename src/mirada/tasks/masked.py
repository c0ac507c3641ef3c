"""Hidden words as a task (Devlin et al. 2019): learn them from what stands around, and what follows what.

Legend: M hidden places, T vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from mirada.data.masking import MaskedBatch, Masker, make_masked, mask_rows
from mirada.data.rows import Gathered, Lines, held_out
from mirada.evaluation.reading import MaskedScore
from mirada.layers.noise import Noise
from mirada.models.masked import MaskedModel
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating
from mirada.text.marks import FIRST_WORD, MASK

AT_ONCE = 8_192  # tokens of a batch that is scored
CHUNK = 512  # places whose scores are held at once


@dataclass(slots=True)
class Counted:
    """What was told right so far."""

    loss: float = 0.0
    right: int = 0
    places: int = 0
    following: int = 0
    pairs: int = 0


class MaskedTask:
    """A masked model that learns; a validation looks at rows of the development text, always hidden alike."""

    def __init__(
        self,
        model: MaskedModel,
        masker: Masker,
        development: Lines,
        tokens: int,
        weight: float,
        device: torch.device | None = None,
    ) -> None:
        self._model, self._weight = model, weight
        self._device = torch.device("cpu") if device is None else device
        rows = held_out(development, tokens, AT_ONCE, pairs=model.follows is not None)
        self._batches = [mask_rows(one, masker, 0, 0) for one in rows]

    def loss(self, batch: MaskedBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        states = self._model(batch.entered, batch.padding, batch.segments, noise)
        loss = self._model.output.loss(self._model.words(states, batch.places), batch.expected, smoothing)
        if self._model.follows is None or not len(batch.pairs):
            return loss
        told = self._model.following(states, batch.pairs, noise)
        return loss + self._weight * functional.cross_entropy(told.float(), batch.follows)

    def validate(self, step: int) -> Score:
        found = count_right(self._model, self._batches, self._device)
        values = {"accuracy": 100 * found.right / max(1, found.places)}
        if found.pairs:
            values["next_sentence"] = 100 * found.following / found.pairs
        return Score(step=step, loss=found.loss / max(1, found.places), values=values)


def count_right(model: MaskedModel, batches: Iterable[MaskedBatch], device: torch.device | str = "cpu") -> Counted:
    """The summed loss of hidden tokens and how many are told right, and of rows the same for what follows what."""
    found = Counted()
    with evaluating(model), torch.inference_mode():
        for one in batches:
            batch = one.to(torch.device(device))
            states = model(batch.entered, batch.padding, batch.segments)
            words = model.words(states, batch.places)
            for some, expected in zip(words.split(CHUNK), batch.expected.split(CHUNK), strict=True):
                scores = model.output.scores(some)
                found.loss -= float(scores.gather(1, expected[:, None]).sum(dtype=torch.float64))
                found.right += int((scores.argmax(1) == expected).sum())
            found.places += len(batch.expected)
            if model.follows is not None and len(batch.pairs):
                found.following += int((model.following(states, batch.pairs).argmax(1) == batch.follows).sum())
                found.pairs += len(batch.pairs)
    return found


def score_rows(model: MaskedModel, masker: Masker, rows: Sequence[Gathered]) -> MaskedScore:
    """Every token of some rows hidden once, in as many rounds as hide the share of training in each."""
    rounds = max(1, round(1 / masker.share))
    found = Counted()
    for one in rows:
        turns, counts = masker.order(one.ids, one.names, 0, 0)
        # Turns count from 0 to the last word of the row; round r hides those of the r-th part of them.
        of_round = np.minimum(turns * rounds // np.maximum(1, counts)[:, None], rounds - 1)
        for number in range(rounds):
            hidden = (of_round == number) & (one.ids >= FIRST_WORD)
            if hidden.any():
                part = count_right(model, [make_masked(one, np.where(hidden, MASK, one.ids), hidden)])
                found.loss, found.right = found.loss + part.loss, found.right + part.right
                found.places += part.places
                found.following, found.pairs = found.following + part.following, found.pairs + part.pairs
    following = 100 * found.following / found.pairs if found.pairs else None
    places = max(1, found.places)
    pairs = found.pairs // rounds  # each was asked in every round
    return MaskedScore(found.loss / places, 100 * found.right / places, found.places, rounds, following, pairs)
