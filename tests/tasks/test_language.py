"""The loss of a text: every token counted once, and the same by windows as step by step."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from mirada.models.build import build
from mirada.models.config import LanguageModelConfig, StackConfig
from mirada.models.language import AnyLanguageModel
from mirada.tasks.language import LanguageTask, spans, spread, total_loss

CONTEXT, BEFORE = 5, 4


def small() -> AnyLanguageModel:
    stack = StackConfig(layers=1, heads=2)
    return build(LanguageModelConfig(context=CONTEXT, width=8, feed_forward=8, stack=stack), 13, seed=1).eval()


@given(some.integers(0, 40), some.integers(1, 9), some.data())
def test_every_token_counts_once_and_windows_are_full(count: int, context: int, data: some.DataObject) -> None:
    stride = data.draw(some.integers(1, context))
    found = spans(count, context, stride)
    assert [place for one in found for place in range(one.counted, one.last)] == list(range(count))
    assert all(one.last - one.first == min(count, context) and one.first <= one.counted for one in found)


@pytest.mark.parametrize("length", [1, 3, 5, 6, 17])
def test_windows_lose_what_steps_lose(length: int) -> None:
    """With a stride of 1 every token sees all that the context holds, so a fresh state for each says the same."""
    model, text = small(), np.random.default_rng(0).integers(4, 13, length)
    padded = [BEFORE, *text.tolist()]
    expected = 0.0
    for place in range(1, length + 1):
        seen = torch.tensor([padded[max(0, place - CONTEXT) : place]])
        scores, _ = model.step(seen[:, -1], model.start(seen[:, :-1]))
        expected -= float(scores[0, padded[place]].detach())
    total, count = total_loss(model, text, BEFORE, spans(length, CONTEXT, 1))
    assert (total, count) == (pytest.approx(expected, rel=1e-5), length)


def test_a_validation_takes_windows_from_all_of_the_text() -> None:
    windows = spans(1_000, CONTEXT, CONTEXT)
    chosen = spread(windows, 50, CONTEXT)
    assert (len(chosen), chosen[0], chosen[-1]) == (10, windows[0], windows[-1])
    text = np.full(1_000, 7)
    score = LanguageTask(small(), text, BEFORE, 50).validate(3)
    assert (score.step, score.values) == (3, {})
    total, count = total_loss(small(), text, BEFORE, chosen)
    assert score.loss == total / count


def test_a_stride_beyond_the_context_would_leave_tokens_out() -> None:
    with pytest.raises(ValueError, match="stride = 6; use 1 to the context of 5"):
        spans(20, CONTEXT, 6)
