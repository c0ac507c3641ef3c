"""Captioning as a task: learn the tokens of captions from pictures, score by loss, chrF and BLEU.

Legend: U pictures, F frames, C colours, Y rows, X columns of pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mirada.data.captions import CaptionBatch, Captions
from mirada.decoding.beam import beam
from mirada.decoding.greedy import greedy
from mirada.decoding.hypothesis import NOTHING, Hypothesis
from mirada.decoding.observing import Observer
from mirada.decoding.options import Search
from mirada.evaluation.captions import Said, mean_scores, score_captions
from mirada.layers.noise import Noise
from mirada.models.captioner import Captioner
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating
from mirada.text.subwords import END, Subwords

AT_ONCE = 8_192  # patches of a batch that is described, each counted once for every candidate
ROWS = 64  # captions whose loss is found at once


def describe(
    model: Captioner,
    entered: Float[Tensor, "U F C Y X"],
    of: Sequence[int],
    marks: Sequence[int],
    search: Search,
    longest: int,
    device: torch.device | str = "cpu",
    observer: Observer | None = None,
) -> list[Hypothesis]:
    """The best caption of picture `of` in the language whose mark it is to begin with, for each mark."""
    first = torch.tensor(list(marks), device=device)
    limits = torch.full_like(first, longest)
    with evaluating(model), torch.inference_mode():
        state = model.start(entered.to(device), None).select(torch.tensor(list(of), device=device))
        if search.beam == 1:
            return greedy(model, state, first, END, limits, observer)
        found = beam(model, state, first, END, limits, search.beam, search.length_penalty, observer)
    return [hypotheses[0] if hypotheses else NOTHING for hypotheses in found]


def describe_rows(
    model: Captioner,
    captions: Captions,
    rows: NDArray[np.int64],
    search: Search,
    longest: int,
    device: torch.device | str = "cpu",
) -> Iterator[Hypothesis]:
    """What a model says of the pictures of stored captions, each in the language of the caption."""
    count = max(1, AT_ONCE // (captions.patches * search.beam))
    for start in range(0, len(rows), count):
        some = rows[start : start + count]
        marks = captions.texts.batch(some, "source")[0][:, 0].tolist()
        numbers, of = np.unique(captions.of[some], return_inverse=True)
        yield from describe(model, captions.entered(numbers), of.tolist(), marks, search, longest, device)


class CaptionTask:
    """A captioner that learns; a validation writes captions of a sample of the development pictures."""

    def __init__(
        self,
        model: Captioner,
        captions: Captions,
        references: Sequence[tuple[str, str]],  # the language and the text of each
        subwords: Subwords,
        longest: int,
        sample: int,
        device: torch.device | None = None,
    ) -> None:
        self._model, self._captions, self._subwords, self._longest = model, captions, subwords, longest
        fitting = np.flatnonzero(captions.lengths <= longest)
        self._rows = fitting[np.linspace(0, len(fitting) - 1, min(sample, len(fitting))).astype(np.int64)]
        self._references = [references[row] for row in self._rows.tolist()]
        self._device = torch.device("cpu") if device is None else device

    def loss(self, batch: CaptionBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        read = self._model.reader(batch.source, None, noise)
        states = self._model.write(read, batch.of, batch.target, batch.target_padding, noise)
        return self._model.output.loss(states.flatten(0, 1).index_select(0, batch.places), batch.expected, smoothing)

    def validate(self, step: int) -> Score:
        if not len(self._rows):
            return Score(step=step, loss=float("nan"), values={"chrf": 0.0, "bleu": 0.0})
        total, count = 0.0, 0
        captions = self._captions
        with evaluating(self._model), torch.inference_mode():
            for start in range(0, len(self._rows), ROWS):
                batch = captions.batch(self._rows[start : start + ROWS])
                total += float(self.loss(batch, None, 0.0)) * len(batch.expected)
                count += len(batch.expected)
        # A model that has learnt little repeats itself up to the limit, which costs time and tells nothing.
        most = int(captions.lengths[self._rows].max())
        found = describe_rows(self._model, captions, self._rows, Search(beam=1), most, self._device)
        texts = self._subwords.decode_many([one.tokens for one in found])
        said = [Said(language, text, right) for text, (language, right) in zip(texts, self._references, strict=True)]
        return Score(step=step, loss=total / max(1, count), values=mean_scores(score_captions(said)))
