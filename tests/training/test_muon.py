"""The step of a matrix by Muon: torch's own in bf16, and orthogonal in any precision."""

import pytest
import torch

from mirada.operations.choice import by_torch
from mirada.training import muon

SHAPES = [(7, 5), (5, 11), (4, 4), (3, 1)]


def matrix(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", SHAPES)
def test_in_bf16_it_moves_as_torch_does(shape) -> None:
    ours, theirs = matrix(shape, 1), matrix(shape, 1)
    oracle = torch.optim.Muon([theirs], lr=0.02, weight_decay=0.3, momentum=0.9, adjust_lr_fn="match_rms_adamw")
    mean = torch.zeros(shape)
    for step in range(4):
        gradient = matrix(shape, 10 + step)
        theirs.grad = gradient.clone()
        oracle.step()
        with by_torch():  # the library rounds elsewhere
            muon.move(ours, gradient, mean, rate=0.02, momentum=0.9, decay=0.3, kind=torch.bfloat16)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(mean, oracle.state[theirs]["momentum_buffer"])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_directions_stay_and_lengths_become_alike(shape, kind) -> None:
    x = matrix(shape, 2)
    left, lengths, right = torch.linalg.svd(x, full_matrices=False)
    assert float(lengths.min()) > 0.01 * float(lengths.max()), "or five steps would be too few"
    turned = left.T @ muon.orthogonal(x, kind).float() @ right.T
    slack = 0.0 if kind == torch.float32 else 0.05
    assert 0.68 - slack < float(turned.diagonal().min()) <= float(turned.diagonal().max()) < 1.21 + slack
    assert float((turned - turned.diagonal().diag()).abs().max()) < 1e-5 + slack


def test_no_gradient_is_no_step() -> None:
    x, mean = matrix((4, 3), 3), torch.zeros(4, 3)
    before = x.clone()
    muon.move(x, torch.zeros(4, 3), mean, rate=0.1, momentum=0.95, decay=0.0, kind=torch.float32)
    assert torch.equal(x, before)
