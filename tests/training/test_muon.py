"""The step of a matrix by Muon, in any precision: orthogonal, as long as it should be, and its rows alike over time."""

import pytest
import torch

from mirada.training import muon

SHAPES = [(7, 5), (5, 11), (4, 4), (3, 1), (58, 58), (32, 128)]
KINDS = [torch.float32, torch.bfloat16]


def matrix(shape: tuple[int, int], seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [1e-4, 1.0, 1e3])
def test_directions_stay_and_lengths_become_alike(shape, kind, length) -> None:
    """Whatever the lengths were, from a thirtieth of the greatest on."""
    left, _, right = torch.linalg.svd(matrix(shape, 2), full_matrices=False)
    lengths = torch.linspace(length, length / 30, min(shape))
    turned = left.T @ muon.orthogonal(left @ lengths.diag() @ right, kind).float() @ right.T
    slack = 0.0 if kind == torch.float32 else 0.06
    assert 0.71 - slack < float(turned.diagonal().min()) <= float(turned.diagonal().max()) < 1.27 + slack
    assert float((turned - turned.diagonal().diag()).abs().max()) < 1e-5 + slack


@pytest.mark.parametrize("kind", KINDS)
def test_one_direction_alone_does_not_run_away(kind) -> None:
    """Its singular value is as long as the norm: the end of what the polynomials are made for."""
    for seed in range(30):
        x = matrix((64, 1), seed) @ matrix((1, 48), 100 + seed)
        assert float(torch.linalg.matrix_norm(muon.orthogonal(x, kind).float(), 2)) < 1.4


@pytest.mark.parametrize("shape", SHAPES)
def test_a_step_is_momentum_made_orthogonal_and_its_rows_alike(shape) -> None:
    """The formula, in full, over some steps."""
    ours, theirs = matrix(shape, 1), matrix(shape, 1)
    mean, rows = torch.zeros(shape), torch.zeros(shape[0], 1)
    their_mean, their_rows = torch.zeros(shape), torch.zeros(shape[0], 1)
    for step in range(4):
        gradient = matrix(shape, 10 + step)
        muon.move(ours, gradient, mean, rows, rate=0.02, momentum=0.9, decay=0.3, kind=torch.float32)
        their_mean = 0.9 * their_mean + 0.1 * gradient
        found = muon.orthogonal(0.9 * their_mean + 0.1 * gradient, torch.float32)
        their_rows = 0.95 * their_rows + 0.05 * found.square().mean(1, keepdim=True)
        scaled = found / their_rows.sqrt()
        scaled *= found.norm() / scaled.norm()
        theirs = (1 - 0.02 * 0.3) * theirs - 0.02 * 0.2 * max(shape) ** 0.5 * scaled
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(mean, their_mean)
    torch.testing.assert_close(rows, their_rows)


def test_a_row_that_is_moved_little_is_moved_as_far_as_the_others() -> None:
    steps = torch.eye(4)[:, :3] + 0.1
    steps[3] = 0.01
    factor = muon.alike(steps, torch.zeros(4, 1))
    lengths = (factor * steps).norm(dim=1)
    torch.testing.assert_close(lengths, lengths[:1].expand(4))
    torch.testing.assert_close((factor * steps).norm(), steps.norm())


def test_no_gradient_is_no_step() -> None:
    x, mean, rows = matrix((4, 3), 3), torch.zeros(4, 3), torch.zeros(4, 1)
    before = x.clone()
    muon.move(x, torch.zeros(4, 3), mean, rows, rate=0.1, momentum=0.95, decay=0.0, kind=torch.float32)
    assert torch.equal(x, before)
