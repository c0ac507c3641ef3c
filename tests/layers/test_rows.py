"""Sparse rows: the same products, gradients and choices as the dense rows that they stand for."""

import torch
from torch import Tensor

from mirada.layers.noise import Noise
from mirada.layers.rows import RowMap, SparseRows, drop_rows, first_rows, select_rows

ROWS, WIDTH, OUT = 7, 11, 5


def pair() -> tuple[SparseRows, Tensor]:
    torch.manual_seed(3)
    dense = torch.randn(ROWS, WIDTH) * (torch.rand(ROWS, WIDTH) < 0.3)
    dense[2] = 0
    rows, columns = dense.nonzero(as_tuple=True)
    starts = torch.searchsorted(rows, torch.arange(ROWS + 1))
    return SparseRows(starts, columns, dense[rows, columns], WIDTH), dense


def test_products_and_gradients_are_those_of_dense_rows() -> None:
    sparse, dense = pair()
    mapping = RowMap(WIDTH, OUT)
    mixture = torch.linspace(-1, 1, ROWS * OUT).view(ROWS, OUT)
    outputs = [mapping(sparse), mapping(dense)]
    torch.testing.assert_close(outputs[0], outputs[1])
    found, wanted = (torch.autograd.grad((one * mixture).sum(), mapping.weight)[0] for one in outputs)
    torch.testing.assert_close(found, wanted)


def test_rows_are_chosen_alike() -> None:
    sparse, dense = pair()
    mapping = RowMap(WIDTH, OUT)
    chosen = torch.tensor([4, 2, 4, 0])
    torch.testing.assert_close(mapping(select_rows(sparse, chosen)), mapping(select_rows(dense, chosen)))
    torch.testing.assert_close(mapping(first_rows(sparse, 3)), mapping(first_rows(dense, 3)))
    assert len(first_rows(sparse, 0)) == 0


def test_dropout_leaves_what_is_nothing_and_keeps_the_mean() -> None:
    sparse = SparseRows(torch.tensor([0, 4_000]), torch.arange(4_000), torch.ones(4_000), 4_000)
    dropped = drop_rows(Noise(0.5, 1, 1), sparse)
    assert isinstance(dropped, SparseRows)
    assert set(dropped.values.tolist()) == {0.0, 2.0}
    assert abs(float(dropped.values.mean()) - 1) < 0.1
    again = drop_rows(Noise(0.5, 1, 1), sparse)
    assert isinstance(again, SparseRows)
    assert torch.equal(dropped.values, again.values)
    assert drop_rows(None, sparse) is sparse
