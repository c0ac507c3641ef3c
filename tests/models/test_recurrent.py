"""The recurrent translator: the numbers of a plain loop, looked at freely; test_laws.py has what holds for all."""

from contextlib import nullcontext

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from mirada.attention import Attention
from mirada.attention.record import joined, record
from mirada.models.recurrent import Recurrent
from tests.models.build import RECURRENT, differing_recurrent, sentences, small_recurrent


@pytest.fixture(params=RECURRENT, ids=str)
def model(request):
    return differing_recurrent(request.param)


@torch.no_grad()
def test_recording_changes_no_bit_and_sees_every_place(model) -> None:
    source, padding = sentences([7, 3])
    target, target_padding = sentences([4, 6], seed=1)
    before = model(source, padding, target, target_padding)
    with record(model) as looks:
        during = model(source, padding, target, target_padding)
    assert torch.equal(before, during)
    attentions = model.looks_at_source()
    assert [look.attention for look in joined(looks)] == attentions
    for look in joined(looks):
        assert look.weights.shape[2:] == (6, 7)
        assert (look.weights[1, :, :, 3:] == 0).all()
        torch.testing.assert_close(look.weights.sum(-1), torch.ones_like(look.weights[..., 0]))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("look", [{"when": "before"}, {"when": "after"}, {"when": "after", "feeding": True}], ids=str)
def test_the_decoder_is_the_formula_written_as_a_loop(look, layers) -> None:
    """Bahdanau's and Luong's equations place by place with torch's cells, forward and gradient."""
    model = small_recurrent(score="additive", layers=layers, **look).double()
    target, _ = sentences([5, 5], seed=1)
    source, _ = sentences([4, 4])
    whole = model(source, None, target, None)
    parameters = list(model.parameters())
    weights = torch.randn_like(whole)
    plain = looped(model, source, target)
    torch.testing.assert_close(whole, plain)
    ours = torch.autograd.grad((whole * weights).sum(), parameters, allow_unused=True)
    theirs = torch.autograd.grad((plain * weights).sum(), parameters, allow_unused=True)
    for one, other in zip(ours, theirs, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other)


def looped(model: Recurrent, source, target):
    decoder, attention = model.decoder, model.decoder.cross_attention
    memory, last = model.encoder(model.embedding(source), None)
    layers = [tuple(part for part in state) for state in model.bridge(last)]
    said, fed = layers[-1][0], torch.zeros(len(source), model.embedding.width).double()

    def look(query):
        inner = attention.query_map(query)[:, None] + attention.key_map(memory)
        weights = (inner.tanh() @ attention.scorer.vector[0]).softmax(-1)
        return (weights[..., None] * memory).sum(1)

    out = []
    for token in target.unbind(1):
        x = model.embedding(token[:, None])[:, 0]
        context = look(said) if decoder.before else None
        late = [context] if decoder.before else [fed] if decoder.feeding else []
        inside = torch.cat([x, *late], -1)
        for number, cell in enumerate(decoder.stack.cells):
            arguments = inside, layers[number], cell.weight, cell.recurrent, cell.bias, cell.recurrent_bias
            layers[number] = torch.lstm_cell(*arguments)
            inside = layers[number][0] + (inside if number else 0)
        said = inside
        context = context if decoder.before else look(said)
        fed = torch.tanh(decoder.readout(torch.cat([said, context], -1)))
        out.append(fed)
    return torch.stack(out, 1)


def test_only_what_waits_for_a_look_is_stepped() -> None:
    stepped = {name: small_recurrent(**choice).decoder.stepwise for name, choice in RECURRENT.items()}
    waits = ("dot, before", "additive, before", "additive, GRU, deep", "one direction, two heads")
    assert {name for name, found in stepped.items() if found} == {*waits, "bilinear, fed", "additive, fed, deep"}


def test_tied_or_not() -> None:
    tied, apart = small_recurrent(), small_recurrent(tied=False)
    assert tied.output.weight is tied.embedding.weight
    assert apart.output.weight is not apart.embedding.weight
    assert isinstance(apart.output.weight, nn.Parameter)


class Work(TorchDispatchMode):
    """Keeps every operation of torch, with the shapes that it works on."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[str, ...]] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        shapes = [str(tuple(one.shape)) for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        self.done.append((str(func), *shapes))
        return func(*args, **kwargs or {})


@torch.no_grad()
def test_the_hundredth_step_works_as_much_as_the_first(model, monkeypatch) -> None:
    """The same operations on the same shapes; what is looked at is mapped once, before the first step."""
    remembered, remember = [], Attention.remember
    monkeypatch.setattr(Attention, "remember", lambda *given: remembered.append(given) or remember(*given))
    source, padding = sentences([7, 3])
    tokens, rows, work = torch.tensor([4, 5]), torch.tensor([1, 0]), []
    state = model.start(source, padding).select(rows)
    assert len(remembered) == len(model.looks_at_source())
    for step in range(100):
        with Work() if step in (0, 99) else nullcontext() as counted:
            scores, state = model.step(tokens, state)
            state = state.select(rows)
        work += [] if counted is None else [counted.done]
        tokens = scores.argmax(-1)
    assert work[0]
    assert work[1] == work[0]
    assert len(remembered) == len(model.looks_at_source())
