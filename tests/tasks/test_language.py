"""The loss of a text: every token counted once, and the same by windows as step by step."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from torch.nn import functional

from mirada.data.windows import TextBatch
from mirada.models.build import build
from mirada.models.config import LanguageModelConfig, RecurrentLanguageConfig, StackConfig
from mirada.models.language import AnyLanguageModel
from mirada.tasks.language import LATER, LanguageTask, spans, spread, total_loss

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


@pytest.mark.parametrize("kind", [LanguageModelConfig, RecurrentLanguageConfig])
def test_the_token_after_the_next_is_learnt_from_and_not_told(
    kind: type[LanguageModelConfig | RecurrentLanguageConfig],
) -> None:
    """The gradient is that of both losses, the value that of the next token alone."""
    model = build(kind(context=CONTEXT, width=8, after_next=True), 13, seed=1)
    assert model.later_map is not None
    torch.nn.init.normal_(model.later_map.weight)
    rows = torch.randint(4, 13, (3, CONTEXT + 1), generator=torch.Generator().manual_seed(2))
    batch = TextBatch(rows[:, :-1], rows[:, 1:].flatten())
    loss = LanguageTask(model, np.full(9, 7), BEFORE, 50).loss(batch, None, 0.0)
    found = torch.autograd.grad(loss, list(model.parameters()))
    states = model(batch.entered)

    def lost(said: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        return functional.nll_loss(model.output.scores(said.flatten(0, 1)), expected.flatten())

    of_next = lost(states, rows[:, 1:])
    torch.testing.assert_close(loss, of_next)
    both = of_next + LATER * lost(model.later_map(states[:, :-1]), rows[:, 2:])
    torch.testing.assert_close(found, torch.autograd.grad(both, list(model.parameters())))


def test_a_text_of_one_place_has_no_token_after_the_next() -> None:
    model = build(LanguageModelConfig(context=2, width=8, after_next=True), 13, seed=1)
    batch = TextBatch(torch.tensor([[5], [6]]), torch.tensor([7, 8]))
    loss = LanguageTask(model, np.full(9, 7), BEFORE, 50).loss(batch, None, 0.0)
    torch.testing.assert_close(loss, model.output.loss(model(batch.entered).flatten(0, 1), batch.expected))


def test_a_stride_beyond_the_context_would_leave_tokens_out() -> None:
    with pytest.raises(ValueError, match="stride = 6; use 1 to the context of 5"):
        spans(20, CONTEXT, 6)
