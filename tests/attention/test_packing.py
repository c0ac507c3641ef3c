"""Sequences that lie one after the other find what each of them finds alone."""

import pytest
import torch
from torch import Tensor

from mirada.attention import (
    Attention,
    Causal,
    Facts,
    Full,
    Heads,
    Kernel,
    Packing,
    Padding,
    Rotary,
    Strided,
    Window,
    attend,
)
from mirada.attention.attend import plan
from tests.operations.compiled import MARKS, assert_near, precision

LENGTHS, OTHERS, WIDTH = (5, 1, 13, 7), (3, 11, 2, 1), 12
COUNT = sum(LENGTHS)


def lengths(numbers: tuple[int, ...]) -> Tensor:
    return torch.tensor(numbers)


def packing(queries: tuple[int, ...] = LENGTHS, keys: tuple[int, ...] = LENGTHS) -> Packing:
    return Packing.of(lengths(queries), lengths(keys))


def packed(states: Tensor) -> list[Tensor]:
    """The sequences of a row, each as a row of its own."""
    return list(states.split(LENGTHS, 1))


def test_what_is_known_of_it() -> None:
    one = packing(LENGTHS, OTHERS)
    assert len(one) == 4
    assert one.counts == (26, 17)
    assert one.longest == (13, 11)
    assert one.pairs == 15 + 11 + 26 + 7
    assert int(one.mask().sum()) == one.pairs


@pytest.mark.parametrize(
    ("queries", "keys", "said"),
    [((2, 3), (2,), "2 sequences of queries"), ((2,), (0,), "no key"), ((2, 0), (2, 3), "no query")],
)
def test_what_cannot_be_packed(queries: tuple[int, ...], keys: tuple[int, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        packing(queries, keys)


@pytest.mark.parametrize("position", [None, Rotary(50.0)])
@pytest.mark.parametrize("pattern", [Full(), Causal(), Window(2, 1), Causal() & Strided(2)], ids=str)
def test_each_sequence_is_alone(pattern, position) -> None:
    attention = Attention(WIDTH, heads=2, pattern=pattern, position=position).double()
    x = torch.randn(1, COUNT, WIDTH, dtype=torch.float64)
    together = attention(x, None, Facts(packing=packing()))
    for found, alone in zip(packed(together), packed(x), strict=True):
        torch.testing.assert_close(found, attention(alone))


def test_sequences_that_look_at_others() -> None:
    attention = Attention(WIDTH, heads=2).double()
    x, y = (torch.randn(1, count, WIDTH, dtype=torch.float64) for count in (COUNT, sum(OTHERS)))
    together = attention(x, attention.remember(y), Facts(packing=packing(LENGTHS, OTHERS)))
    for found, alone, other in zip(packed(together), packed(x), y.split(OTHERS, 1), strict=True):
        torch.testing.assert_close(found, attention(alone, attention.remember(other)))


@pytest.mark.parametrize("position", [None, Rotary(50.0)])
@pytest.mark.parametrize("pattern", [Full(), Causal(), Window(2, 1)], ids=str)
def test_apart_it_is_as_with_a_mask_of_all_pairs(pattern, position) -> None:
    """Gradients as well; two heads of keys and values serve four."""
    attention = Attention(WIDTH, heads=Heads(4, groups=2, width=2), pattern=pattern, position=position).double()
    x = torch.randn(1, COUNT, WIDTH, dtype=torch.float64, requires_grad=True)
    problem = attention.problem(x, None, Facts(packing=packing()))
    found, wanted = attend(problem), attend(problem, Kernel.DENSE)
    torch.testing.assert_close(found, wanted)
    fall = torch.randn_like(found)
    asked = [x, *attention.parameters()]
    both = [torch.autograd.grad(y, asked, fall, retain_graph=True, materialize_grads=True) for y in (found, wanted)]
    for one, right in zip(*both, strict=True):
        torch.testing.assert_close(one, right)


def test_apart_what_is_no_number_stays_in_its_sequence() -> None:
    attention = Attention(WIDTH, heads=2, pattern=Causal())
    x = torch.randn(1, COUNT, WIDTH)
    x[0, 0] = torch.nan
    first, *others = packed(attention(x, None, Facts(packing=packing())))
    assert first.isnan().all()
    assert all(one.isfinite().all() for one in others)


def test_the_plan_of_what_is_taken_apart() -> None:
    """It is that of the longest sequence, padded: as if all of them were of its length, in float32."""
    attention = Attention(WIDTH, heads=2, pattern=Causal())
    x = torch.randn(1, COUNT, WIDTH, requires_grad=True)
    told = plan(attention.problem(x, None, Facts(packing=packing())))
    assert told.reason == plan(attention.problem(x[:, : max(LENGTHS)])).reason


@pytest.mark.parametrize(
    ("facts", "pattern", "own", "said"),
    [
        (Facts(packing=packing((2, 3), (2, 3))), Full(), True, "are packed, but there are"),
        (
            Facts(Padding.from_lengths([20], COUNT), packing=packing()),
            Full(),
            True,
            "no padding, no edges and no offset",
        ),
        (Facts(packing=packing()), Causal(), False, "cannot be packed; pad them"),
    ],
)
def test_facts_that_contradict(facts: Facts, pattern, own: bool, said: str) -> None:
    attention = Attention(WIDTH, heads=2, pattern=pattern)
    x = torch.randn(1, COUNT, WIDTH)
    with pytest.raises(ValueError, match=said):
        attention(x, None if own else attention.remember(x), facts)


class TestCompiled:
    pytestmark = MARKS

    @pytest.mark.parametrize("pattern", [Full(), Causal(), Window(2, 1)], ids=str)
    def test_the_library_equals_the_mask(self, pattern) -> None:
        attention = Attention(WIDTH, heads=2, pattern=pattern).to(precision())
        x = torch.randn(1, COUNT, WIDTH).to(precision()).requires_grad_()
        problem = attention.problem(x, None, Facts(packing=packing()))
        assert plan(problem).kernel is Kernel.COMPILED
        found, wanted = attend(problem), attend(problem, Kernel.DENSE)
        assert_near(found, wanted.double())
        fall = torch.randn_like(found)
        for one, right in zip(
            *(torch.autograd.grad(y, [x], fall, retain_graph=True) for y in (found, wanted)), strict=True
        ):
            assert_near(one, right.double(), times=2)

    def test_packed_as_padded_to_the_bit(self) -> None:
        attention = Attention(WIDTH, heads=2, pattern=Causal()).to(precision())
        x = torch.randn(1, COUNT, WIDTH).to(precision()).requires_grad_()
        together = attention(x, None, Facts(packing=packing()))
        for found, alone in zip(packed(together), packed(x), strict=True):
            assert torch.equal(found, attention(alone))
