"""Language modelling as a task: learn each token of a text from those before it, score by loss.

Legend: B batch, N places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mirada.data.windows import TextBatch
from mirada.layers.noise import Noise
from mirada.models.language import AnyLanguageModel
from mirada.operations.maps import map_states
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating

AT_ONCE = 8_192  # tokens of a batch that is scored
LATER = 0.3  # what the loss of the token after the next counts beside that of the next


@dataclass(frozen=True, slots=True)
class Span:
    """A window of a text, from `first` to before `last`; the loss of its tokens from `counted` on is counted."""

    first: int
    last: int
    counted: int


def spans(count: int, context: int, stride: int) -> list[Span]:
    """Windows over a text of `count` tokens that count each of them once; all are as long as they can be."""
    if not 1 <= stride <= context:
        raise ValueError(f"stride = {stride}; use 1 to the context of {context}")
    last = min(context, count)
    found = [Span(0, last, 0)] if count else []
    while last < count:
        counted, last = last, min(last + stride, count)
        found.append(Span(last - context, last, counted))
    return found


def spread(windows: Sequence[Span], tokens: int, stride: int) -> list[Span]:
    """At most so many tokens' worth of windows, taken evenly from all."""
    most = max(1, tokens // stride)
    if len(windows) <= most:
        return list(windows)
    return [windows[int(place)] for place in np.linspace(0, len(windows) - 1, most)]


def total_loss(
    model: AnyLanguageModel,
    text: NDArray[Any],
    before: int,
    windows: Sequence[Span],
    device: torch.device | str = "cpu",
) -> tuple[float, int]:
    """Σ −log p of the tokens that windows of a text count, and how many they are; `before` stands before the text."""
    total, count = 0.0, 0
    rows = max(1, AT_ONCE // model.context)
    with evaluating(model), torch.inference_mode():
        for start in range(0, len(windows), rows):
            loss, counted = _loss_of_some(model, text, before, windows[start : start + rows], device)
            total += loss * counted
            count += counted
    return total, count


def _loss_of_some(
    model: AnyLanguageModel, text: NDArray[Any], before: int, windows: Sequence[Span], device: torch.device | str
) -> tuple[float, int]:
    """The mean loss of what some windows of one length count, and how much that is."""
    firsts = np.array([window.first for window in windows])
    places = firsts[:, None] + np.arange(windows[0].last - windows[0].first)
    expected = text[places].astype(np.int64)
    entered = np.where(places > 0, text[np.maximum(places - 1, 0)], before).astype(np.int64)
    counted = places >= np.array([window.counted for window in windows])[:, None]
    states = model(torch.from_numpy(entered).to(device)).flatten(0, 1)
    chosen = states.index_select(0, torch.from_numpy(np.flatnonzero(counted)).to(device))
    loss = model.output.loss(chosen, torch.from_numpy(expected[counted]).to(device))
    return float(loss), int(np.count_nonzero(counted))


class LanguageTask:
    """A language model that learns; a validation looks at windows of the development text, side by side."""

    def __init__(
        self,
        model: AnyLanguageModel,
        development: NDArray[Any],
        before: int,
        tokens: int,
        device: torch.device | None = None,
    ) -> None:
        self._model, self._development, self._before = model, development, before
        self._windows = spread(spans(len(development), model.context, model.context), tokens, model.context)
        self._device = torch.device("cpu") if device is None else device

    def loss(self, batch: TextBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        states = self._model(batch.entered, noise)
        loss = self._model.output.loss(states.flatten(0, 1), batch.expected, smoothing)
        later = self._model.later_map
        if later is None or states.shape[1] < 2:
            return loss
        expected = batch.expected.view(states.shape[:2])[:, 1:].flatten()
        added = LATER * self._model.output.loss(
            map_states(states[:, :-1], [later])[0].flatten(0, 1), expected, smoothing
        )
        return loss + (added - added.detach())  # it is learnt from, and the loss that is told is that of the next token

    def validate(self, step: int) -> Score:
        total, count = total_loss(self._model, self._development, self._before, self._windows, self._device)
        return Score(step=step, loss=total / max(1, count))
