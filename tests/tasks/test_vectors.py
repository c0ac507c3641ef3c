"""The steps of word vectors: written-out gradients are those of the loss, and each row moves once."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from mirada.data.neighbours import Neighbours
from mirada.tasks.vectors import FIRST_SQUARE, Spelt, Table, cbow, distinct, skipgram

WORDS, WIDTH, NEGATIVES = 11, 5, 3


class Recorded(Table):
    """A table that does not learn, and keeps the gradient that it was given."""

    gradient: Tensor

    def learn(self, ids: Tensor, gradients: Tensor, rate: float) -> None:
        self.gradient = torch.zeros_like(self.rows).index_add_(0, ids, gradients)


def batch() -> Neighbours:
    return Neighbours(
        torch.randint(WORDS, (2, 3)),
        torch.randint(WORDS, (2, 7)),
        torch.rand(2, 3, 7) < 0.4,
        torch.randint(WORDS, (2, 4)),
    )


def loss_by_loops(kind: str, one: Neighbours, own: Tensor, outputs: Tensor) -> Tensor:
    """Σ over pairs of −log σ(u · v) − negatives · mean over drawn words k of log σ(−u_k · v)."""
    total = torch.zeros(())
    for block, row in torch.cartesian_prod(torch.arange(2), torch.arange(3)).tolist():
        seen = one.around[block][one.seen[block, row]]
        drawn = outputs[one.drawn[block]]
        word = one.words[block, row]
        if kind == "skipgram":
            for other in seen:
                total = total - functional.logsigmoid(outputs[other] @ own[word])
                total = total - NEGATIVES * functional.logsigmoid(-drawn @ own[word]).mean()
        elif len(seen):
            mean = own[seen].mean(0)
            total = total - functional.logsigmoid(outputs[word] @ mean)
            total = total - NEGATIVES * functional.logsigmoid(-drawn @ mean).mean()
    return total


@pytest.mark.parametrize(("kind", "step"), [("skipgram", skipgram), ("cbow", cbow)])
def test_gradients_are_those_of_the_loss(kind: str, step: Callable[..., Tensor]) -> None:
    one, own, outputs = batch(), torch.randn(WORDS, WIDTH), torch.randn(WORDS, WIDTH)
    inputs, others = Recorded(own), Recorded(outputs)
    told = step(one, inputs, others, NEGATIVES, 0.1)
    own, outputs = own.clone().requires_grad_(), outputs.clone().requires_grad_()
    loss = loss_by_loops(kind, one, own, outputs)
    loss.backward()
    torch.testing.assert_close(inputs.gradient, own.grad)
    torch.testing.assert_close(others.gradient, outputs.grad)
    pairs = one.seen.sum() if kind == "skipgram" else one.seen.any(2).sum()
    torch.testing.assert_close(told, loss.detach() / pairs)


def test_a_row_moves_once_by_the_sum_of_its_gradients() -> None:
    table = Table(torch.zeros(3, 2))
    table.learn(torch.tensor([2, 0, 2]), torch.tensor([[1.0, 0.0], [0.0, 3.0], [1.0, 2.0]]), rate=0.5)
    square = FIRST_SQUARE + torch.tensor([4.5, 4.0])  # the means of (0, 3)² and (2, 2)²
    expected = -0.5 * torch.tensor([[0.0, 3.0], [2.0, 2.0]]) / square.sqrt()[:, None]
    torch.testing.assert_close(table.rows[[0, 2]], expected)
    assert table.rows[1].tolist() == [0, 0]
    assert table.squares[1] == table.squares.new_tensor(FIRST_SQUARE)


def test_a_spelt_word_is_the_mean_of_its_rows_and_teaches_all_of_them() -> None:
    table = Table(torch.randn(7, 3))
    spelt = Spelt(table, torch.tensor([0, 3, 4, 1, 2, 6, 6]), torch.tensor([0, 3, 4, 7]))
    found = spelt.vectors(torch.tensor([[2, 0], [1, 2]]))
    torch.testing.assert_close(found[0, 1], table.rows[[0, 3, 4]].mean(0))
    torch.testing.assert_close(found[1, 1], table.rows[[2, 6, 6]].mean(0))
    before = table.rows.clone()
    spelt.learn(torch.tensor([0, 0]), torch.ones(2, 3), 0.1)
    moved = (table.rows != before).all(1).tolist()
    assert moved == [True, False, False, True, True, False, False]
    torch.testing.assert_close(table.squares[3] - FIRST_SQUARE, torch.tensor((2 / 3) ** 2))


def test_distinct_ids_are_sorted_and_found_again() -> None:
    ids = torch.tensor([5, 1, 5, 9])
    different, places = distinct(ids, 10)
    assert different.tolist() == [1, 5, 9]
    assert torch.equal(different[places], ids)
