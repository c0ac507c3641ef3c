"""What holds for every translator: step by step equals all at once, batches do not matter, beam 1 is greedy."""

import pytest
import torch

from mirada.decoding.beam import beam
from mirada.decoding.greedy import greedy
from mirada.layers.noise import Noise
from tests.models.build import BEGIN, END, RECURRENT, TRANSFORMERS, differing_recurrent, sentences, small_transformer


@pytest.fixture(params=[*TRANSFORMERS, *RECURRENT], ids=str)
def model(request):
    torch.manual_seed(5)
    if request.param in TRANSFORMERS:
        return small_transformer(**TRANSFORMERS[request.param]).double().eval()
    return differing_recurrent(request.param)


@torch.no_grad()
def test_step_by_step_equals_all_at_once(model) -> None:
    source, padding = sentences([7, 3, 5])
    target, _ = sentences([6, 6, 6], seed=1)
    whole = model.output.scores(model(source, padding, target, None).flatten(0, 1)).view(3, 6, -1)
    state = model.start(source, padding)
    for place in range(6):
        scores, state = model.step(target[:, place], state)
        torch.testing.assert_close(scores, whole[:, place])


@torch.no_grad()
def test_a_row_does_not_depend_on_its_batch(model) -> None:
    source, padding = sentences([7, 3, 5])
    target, target_padding = sentences([4, 6, 2], seed=1)
    together = model(source, padding, target, target_padding)
    for row, (length, target_length) in enumerate([(7, 4), (3, 6), (5, 2)]):
        alone = model(source[row : row + 1, :length], None, target[row : row + 1, :target_length], None)
        torch.testing.assert_close(together[row, :target_length], alone[0])


@torch.no_grad()
def test_rows_can_be_chosen_in_the_middle(model) -> None:
    source, padding = sentences([7, 3, 5])
    rows = torch.tensor([2, 0, 2])
    _, state = model.step(torch.tensor([BEGIN] * 3), model.start(source, padding))
    scores, _ = model.step(torch.tensor([4, 5, 6]), state)
    chosen, _ = model.step(torch.tensor([4, 5, 6])[rows], state.select(rows))
    torch.testing.assert_close(chosen, scores[rows])


@pytest.mark.parametrize(
    "chosen",
    [
        [[0, 0, 1, 1, 2, 2], [1, 0, 2, 3, 5, 5]],  # a beam of two whose candidates change places
        [[0, 0, 0, 1, 1, 1, 2, 2, 2], [8, 6, 6, 1, 0, 1]],  # a beam of three, of which one sentence is done
        [[0, 0, 1, 1, 2, 2], [0, 1, 2, 5]],  # draws, of which two have ended
        [[2, 2, 0, 0], [3, 0]],
        [[0, 1, 2], []],
    ],
)
@torch.no_grad()
def test_rows_of_one_source_are_as_rows_of_their_own(model, chosen) -> None:
    source, padding = sentences([7, 3, 5])
    state, rows = model.start(source, padding), torch.arange(3)
    for step, of in enumerate(map(torch.tensor, chosen)):
        state, rows = state.select(of.long()), rows[of.long()]
        scores, state = model.step(torch.full((len(rows),), 4 + step), state)
    known = model.start(source, padding)
    for step in range(len(chosen)):
        alone, known = model.step(torch.full((3,), 4 + step), known)
    torch.testing.assert_close(scores, alone[rows])


@torch.no_grad()
def test_candidates_share_what_they_translate() -> None:
    model = small_transformer().eval()
    source, padding = sentences([7, 3, 5])
    state = model.start(source, padding)
    wide = state.select(torch.arange(3).repeat_interleave(4))
    again = wide.select(torch.tensor([1, 0, 0, 3, 7, 4, 4, 5, 8, 8, 9, 10]))
    fewer = again.select(torch.arange(4, 12))
    assert [one.each for one in (*state.sources, *wide.sources, *fewer.sources)] == [1, 1, 4, 4, 4, 4]
    assert all(one.memory is before.memory for one, before in zip(again.sources, state.sources, strict=True))
    assert len(fewer.sources[0].memory.keys) == 2


@torch.no_grad()
def test_beam_of_one_is_greedy(model) -> None:
    source, padding = sentences([7, 3, 5, 4])
    first, limits = torch.full((4,), BEGIN), torch.tensor([9, 5, 7, 1])
    one = greedy(model, model.start(source, padding), first, END, limits)
    narrow = beam(model, model.start(source, padding), first, END, limits, width=1)
    assert [hypothesis.tokens for hypothesis in one] == [found[0].tokens for found in narrow]
    assert [hypothesis.finished for hypothesis in one] == [found[0].finished for found in narrow]


def test_the_gradient_of_a_padded_place_is_nothing(model) -> None:
    source, padding = sentences([7, 3])
    target, target_padding = sentences([4, 4], seed=1)
    hidden = model(source, padding, target, target_padding)
    (gradient,) = torch.autograd.grad(hidden.sum(), model.embedding.weight)
    assert gradient.isfinite().all()
    assert (gradient[0] == 0).all(), "the padding's own embedding gets no gradient"


def test_the_same_step_drops_the_same_numbers(model) -> None:
    source, padding = sentences([5, 4])
    target, target_padding = sentences([3, 3], seed=1)
    runs = [model(source, padding, target, target_padding, Noise(0.3, seed=7, step=step)) for step in (4, 4, 5)]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])
