"""Recurrent layers: torch's own numbers, step by step as well as all at once, and no look at padding."""

import pytest
import torch
from torch import nn

from mirada.attention import Padding
from mirada.layers.noise import Noise
from mirada.layers.recurrent import BothWays, Recurrence, RecurrentEncoder, RecurrentStack

KINDS = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
cells = pytest.mark.parametrize("cell", list(KINDS))


@pytest.fixture(autouse=True)
def doubles():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def of_torch(ours: Recurrence) -> nn.RNNBase:
    theirs = KINDS[ours.cell](ours.weight.shape[1], ours.width, batch_first=True)
    for name, parameter in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), ours.parameters(), strict=True):
        getattr(theirs, f"{name}_l0").data.copy_(parameter.data)
    return theirs


def shaken(layer: nn.Module) -> nn.Module:
    """No bias is zero, so that a forgotten one shows."""
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return layer


@cells
def test_whole_sequences_are_those_of_torch(cell) -> None:
    ours = shaken(Recurrence(cell, 5, 7))
    x, start = torch.randn(3, 11, 5), [torch.randn(3, 7) for _ in range(ours.parts)]
    theirs = of_torch(ours)
    torch.testing.assert_close(ours(x), theirs(x)[0])
    first = tuple(part[None] for part in start)
    torch.testing.assert_close(ours(x, tuple(start)), theirs(x, first if cell == "lstm" else first[0])[0])


@cells
def test_steps_are_the_whole_sequence_forward_and_backward(cell) -> None:
    """What enters late is part of what enters: the two halves are the same weights."""
    layer = shaken(Recurrence(cell, 5, 7, late=3))
    x, late = torch.randn(2, 6, 5), torch.randn(2, 6, 3)
    state = start = tuple(torch.randn(2, 7, requires_grad=True) for _ in range(layer.parts))
    whole = layer(torch.cat([x, late], -1), start)
    said = []
    for place, projected in enumerate(layer.project(x)):
        state = layer.step(projected, state, late[:, place])
        said.append(state[0])
    stepped = torch.stack(said, 1)
    torch.testing.assert_close(stepped, whole)
    weights = torch.randn_like(whole)
    inputs = [*layer.parameters(), *start]
    for one, other in zip(
        torch.autograd.grad((stepped * weights).sum(), inputs),
        torch.autograd.grad((whole * weights).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


@cells
def test_both_ways_are_torchs_packed_two_directions(cell) -> None:
    layer = shaken(BothWays(cell, 5, 6))
    theirs = KINDS[cell](5, 3, batch_first=True, bidirectional=True)
    for side, suffix in ((layer.forth, ""), (layer.back, "_reverse")):
        for name, parameter in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), side.parameters(), strict=True):
            getattr(theirs, f"{name}_l0{suffix}").data.copy_(parameter.data)
    lengths, x = [4, 7, 1], torch.randn(3, 7, 5)
    encoder = RecurrentEncoder(cell, 5, 6)
    encoder.layers[0] = layer
    states, last = encoder(x, Padding.from_lengths(lengths))
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), batch_first=True, enforce_sorted=False)
    wanted, final = theirs(packed)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(wanted, batch_first=True)
    final = final[0] if cell == "lstm" else final
    for row, length in enumerate(lengths):
        torch.testing.assert_close(states[row, :length], wanted[row, :length])
    torch.testing.assert_close(last, torch.cat(list(final), -1))


@cells
@pytest.mark.parametrize("norm", ["none", "layer", "rms"])
@pytest.mark.parametrize("residual", [False, True])
def test_a_stack_step_by_step_is_the_stack(cell, norm, residual) -> None:
    stack = shaken(RecurrentStack(cell, 5, 7, 3, residual=residual, norm=norm))
    x = torch.randn(2, 4, 5)
    states = [tuple(torch.randn(2, 7) for _ in range(one.parts)) for one in stack.cells]
    noise, again = (Noise(0.4, seed=1, step=3) for _ in range(2))
    whole = stack(x, states, noise=noise)
    projected = stack.project(x, again)
    masks = stack.masks(again, x)
    for place in range(4):
        said, states = stack.step(projected[place], states, masks=masks)
        torch.testing.assert_close(said, whole[:, place])


def test_dropout_is_the_same_at_all_places_of_a_row() -> None:
    stack = RecurrentStack("rnn", 50, 7)
    seen = []
    stack.cells[0].register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0]))
    stack(torch.ones(3, 4, 50), [(torch.zeros(3, 7),)], noise=Noise(0.5, seed=1, step=1))
    (x,) = seen
    assert torch.equal(x, x[:, :1].expand_as(x))
    assert not torch.equal(x[0], x[1])
    assert 0.2 < float((x == 0).double().mean()) < 0.8


def test_what_cannot_be_built_or_read_is_told() -> None:
    with pytest.raises(ValueError, match="width = 7 cannot be shared by two directions"):
        BothWays("gru", 3, 7)
    early = Padding.from_mask(torch.tensor([[False, True]]))
    with pytest.raises(ValueError, match="padded at the end only"):
        RecurrentEncoder("gru", 3, 4)(torch.zeros(1, 2, 3), early)
