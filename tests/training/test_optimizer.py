"""The optimizer: what it keeps, what it skips, and that masters hold what bf16 would lose."""

import math
from typing import cast

import pytest
import torch
from torch import Tensor, nn

from mirada.attention import Attention, Facts, Maps
from mirada.layers.block import Block
from mirada.layers.feed_forward import FeedForward
from mirada.models.build import build
from mirada.models.config import LanguageModelConfig
from mirada.training import muon
from mirada.training.crew import Crew
from mirada.training.optimizer import Optimizer, matrices_of
from mirada.training.stretches import OptimizerKind, Settings


class Blocks(nn.Module):
    """Rows of three numbers through two blocks. Keys have no bias: its gradient is nothing but rounding."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(3, 8)
        self.blocks = nn.ModuleList(
            Block(Attention(8, heads=2, maps=Maps(bias=False)), None, FeedForward(8, 16)) for _ in range(2)
        )
        self.leave = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        states = self.enter(x)[None]
        for block in self.blocks:
            states, _ = block(states, Facts())
        return cast(Tensor, self.leave(states[0]))


def model(by: OptimizerKind = "adam") -> nn.Module:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2)) if by == "adam" else Blocks()


def learn(optimizer: Optimizer, inner: nn.Module, steps: int, rate: float = 0.01) -> None:
    kind = next(inner.parameters()).dtype
    for step in range(steps):
        x = torch.sin((step + 1) * torch.arange(96).square()).view(32, 3).to(kind)  # so that gradients have full rank
        optimizer.add(optimizer.gradients(inner(x).square().sum()))
        optimizer.step(rate, 1.0)


@pytest.mark.parametrize("by", ["adam", "muon"])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_a_restored_optimizer_goes_on_to_the_same_weights(by: OptimizerKind, kind: torch.dtype) -> None:
    whole, first, second = (model(by) for _ in range(3))
    unbroken, before, after = (Optimizer(one, Settings(by, decay=0.1), kind) for one in (whole, first, second))
    learn(unbroken, whole, 4)
    learn(before, first, 4)
    kept = {name: tensor.clone() for name, tensor in before.state().items()}
    after.restore(kept, 4)
    learn(unbroken, whole, 3)
    learn(after, second, 3)
    for name, tensor in unbroken.weights().items():
        assert tensor.equal(after.weights()[name])
    assert next(second.parameters()).dtype == kind


def by_jordan(x: Tensor, kind: torch.dtype) -> Tensor:
    """U Vᵀ as torch's Muon finds it: five equal steps, in bf16 whatever the model computes in."""
    tall = x.shape[0] > x.shape[1]
    y = (x.T if tall else x).bfloat16()
    y = y / y.norm().clamp_min(1e-7)
    for _ in range(5):
        squared = y @ y.T
        y = torch.addmm(y, torch.addmm(squared, squared, squared, beta=-4.775, alpha=2.0315), y, beta=3.4445)
    return (y.T if tall else y).to(x.dtype)


def test_muon_is_for_the_matrices_of_blocks_and_moves_them_as_torch_does(monkeypatch) -> None:
    """But for how a step is made orthogonal, and its rows alike: test_muon.py has those."""
    monkeypatch.setattr(muon, "orthogonal", by_jordan)
    monkeypatch.setattr(muon, "alike", lambda step, rows: torch.ones_like(rows))
    inner, same = model("muon"), model("muon")
    matrices = matrices_of(inner)
    maps = ("query_map", "key_map", "value_map", "output_map")
    attention = {f"blocks.{block}.self_attention.{name}.weight" for block in (0, 1) for name in maps}
    feed_forward = {
        f"blocks.{block}.feed_forward.{name}_map.weight" for block in (0, 1) for name in ("inner", "output")
    }
    assert matrices == attention | feed_forward
    optimizer = Optimizer(inner, Settings("muon"), torch.float32)
    parameters = dict(same.named_parameters())
    oracles = (
        torch.optim.Muon(
            [parameters[name] for name in sorted(matrices)],
            lr=0.01,
            weight_decay=0.0,
            adjust_lr_fn="match_rms_adamw",
        ),
        torch.optim.Adam(
            [one for name, one in parameters.items() if name not in matrices], lr=0.01, betas=(0.9, 0.98), eps=1e-9
        ),
    )
    x = torch.sin(torch.arange(96.0).square()).view(32, 3)
    for _ in range(3):
        optimizer.add(optimizer.gradients(inner(x).square().mean()))
        optimizer.step(0.01, 0.0)
        same.zero_grad()
        same(x).square().mean().backward()
        for oracle in oracles:
            oracle.step()
    for name, tensor in optimizer.weights().items():
        torch.testing.assert_close(tensor, parameters[name].detach(), rtol=1e-3, atol=1e-5)
        assert bool(optimizer.state()[f"second.{name}"].any()) == (name not in matrices), "Muon has one moment"


def test_only_matrices_decay_where_muon_is() -> None:
    learnt = model("muon")
    before = {name: one.detach().clone() for name, one in learnt.named_parameters()}
    optimizer = Optimizer(learnt, Settings("muon", decay=0.5), torch.float32)
    optimizer.add(optimizer.gradients(0.0 * learnt(torch.ones(4, 3)).sum()))
    optimizer.step(0.1, 0.0)
    for name, tensor in optimizer.weights().items():
        kept = 0.95 if name in matrices_of(learnt) else 1.0
        torch.testing.assert_close(tensor, kept * before[name])


def test_the_map_of_a_convolution_learns_by_muon_too() -> None:
    learnt = build(LanguageModelConfig(width=8, feed_forward=8, convolution=2), vocabulary=9)
    assert "convolution.places_map.weight" in matrices_of(learnt)
    assert not any("embedding" in name for name in matrices_of(learnt))


def test_masters_gather_what_bf16_rounds_away() -> None:
    inner = model()
    optimizer = Optimizer(inner, Settings(), torch.bfloat16)
    before = {name: tensor.clone() for name, tensor in optimizer.weights().items()}
    learn(optimizer, inner, 1, rate=1e-6)
    assert any(not tensor.equal(before[name]) for name, tensor in optimizer.weights().items())
    assert all(tensor.dtype == torch.float32 for tensor in optimizer.weights().values())


def test_a_gradient_that_is_not_finite_changes_nothing() -> None:
    inner = model()
    optimizer = Optimizer(inner, Settings(), torch.float32)
    learn(optimizer, inner, 2)
    before = {name: tensor.clone() for name, tensor in optimizer.state().items()}
    optimizer.add(optimizer.gradients(inner(torch.ones(1, 3)).sum() * math.inf))
    assert not math.isfinite(optimizer.step(0.01, 1.0))
    assert all(tensor.equal(before[name]) for name, tensor in optimizer.state().items())


def test_long_gradients_are_clipped() -> None:
    for clip, expected in ((0.5, 0.5), (0.0, None)):
        inner = nn.Linear(2, 1, bias=False)
        optimizer = Optimizer(inner, Settings(betas=(0.0, 0.0), epsilon=1.0), torch.float32)
        start = inner.weight.detach().clone()
        optimizer.add(optimizer.gradients(inner(torch.tensor([[30.0, 40.0]])).sum()))
        assert optimizer.step(1.0, clip) == pytest.approx(50.0)
        moved = float((inner.weight.detach() - start).abs().max())
        gradient = 40.0 if expected is None else expected * 0.8
        assert moved == pytest.approx(gradient / (gradient + 1.0), rel=1e-4)


def test_parts_of_a_gradient_add_up_as_if_they_were_one() -> None:
    whole, cut = model(), model()
    at_once, in_parts = (Optimizer(one, Settings(epsilon=1.0), torch.float32) for one in (whole, cut))
    rows = torch.linspace(-1, 1, 12).view(4, 3)
    at_once.add(at_once.gradients(whole(rows).sum()))
    for part in rows.split(2):
        in_parts.add(in_parts.gradients(cut(part).sum()))
    assert at_once.step(0.01, 0.0) == pytest.approx(in_parts.step(0.01, 0.0), rel=1e-6)
    for name, tensor in at_once.weights().items():
        torch.testing.assert_close(in_parts.weights()[name], tensor)


def test_the_parameters_are_views_of_one_vector_and_keep_their_shapes() -> None:
    inner = model()
    before = {name: parameter.detach().clone() for name, parameter in inner.named_parameters()}
    optimizer = Optimizer(inner, Settings(), torch.float32)
    for name, parameter in inner.named_parameters():
        assert parameter.equal(before[name])
        assert parameter.data_ptr() == optimizer.weights()[name].data_ptr()


def updated(kind: torch.dtype, workers: int, by: OptimizerKind) -> Optimizer:
    inner = model(by)
    optimizer = Optimizer(inner, Settings(by, decay=0.1), kind)
    optimizer.divide(Crew(workers, workers))
    learn(optimizer, inner, 4)
    return optimizer


@pytest.mark.parametrize("by", ["adam", "muon"])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("workers", [2, 3, 7])
def test_a_crew_comes_to_the_same_weights(by: OptimizerKind, kind: torch.dtype, workers: int) -> None:
    """However it divides them, and with more workers than there are blocks of numbers."""
    alone, together = updated(kind, 1, by), updated(kind, workers, by)
    near = {"rtol": 1e-5, "atol": 1e-7} if by == "adam" else {"rtol": 1e-2, "atol": 1e-4}  # Muon iterates in bf16
    for name, tensor in alone.state().items():
        torch.testing.assert_close(together.state()[name], tensor, **near)


@pytest.mark.parametrize("workers", [1, 3])
def test_what_a_crew_saved_another_goes_on_from(workers: int) -> None:
    kept = {name: tensor.clone() for name, tensor in updated(torch.float32, 2, "adam").state().items()}
    inner = model()
    after = Optimizer(inner, Settings(decay=0.1), torch.float32)
    after.restore(kept, 4)
    after.divide(Crew(workers, workers))
    learn(after, inner, 2)
    whole = model()
    unbroken = Optimizer(whole, Settings(decay=0.1), torch.float32)
    learn(unbroken, whole, 4)
    learn(unbroken, whole, 2)
    for name, tensor in unbroken.state().items():
        torch.testing.assert_close(after.state()[name], tensor, rtol=1e-5, atol=1e-7)


def test_the_names_of_what_is_saved_stay() -> None:
    """Runs that were begun by earlier versions go on."""
    inner = nn.Linear(3, 2)
    optimizer = Optimizer(inner, Settings(), torch.float32)
    assert set(optimizer.state()) == {"weight.weight", "weight.bias"}
    before = {name: tensor.clone() for name, tensor in optimizer.state().items()}
    learn(optimizer, inner, 1)
    moments = {"first.weight", "first.bias", "second.weight", "second.bias"}
    assert set(optimizer.state()) == {"weight.weight", "weight.bias"} | moments
    optimizer.restore(before, 0)
    assert set(optimizer.state()) == set(before), "the moments of what was left behind are gone"
