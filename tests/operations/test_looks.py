"""Attention by dot products, compiled: what torch gives, whoever may look at whom, and wherever the numbers lie."""

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mirada.operations.looks import look
from tests.operations.compiled import MARKS, assert_same, gradients, precision, random, watched

pytestmark = MARKS

Layout = Callable[[Tensor], Tensor]

ROWS, HEADS = 3, 4
# Queries, keys, key width and value width. Scores stand sixteen queries side by side, two keys together.
SIZES = [
    (1, 1, 2, 2),
    (1, 19, 6, 10),
    (17, 1, 34, 34),
    (7, 13, 22, 38),
    (33, 41, 62, 26),
    (67, 31, 10, 70),
    (131, 137, 14, 2),
]


def formula(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float) -> Tensor:
    each = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(each, 1), v.repeat_interleave(each, 1)
    scores = scale * q @ k.transpose(-1, -2)
    if mask is None:
        return scores.softmax(-1) @ v
    scores = scores.masked_fill(~mask, -1e300)
    return (scores.softmax(-1) * mask) @ v


def head_by_head(x: Tensor) -> Tensor:
    return x.contiguous()


def place_by_place(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def with_gaps(x: Tensor) -> Tensor:
    return torch.cat([x, x], -1)[..., : x.shape[-1]]


def turned(x: Tensor) -> Tensor:
    return x.transpose(2, 3).contiguous().transpose(2, 3)


LAYOUTS = [head_by_head, place_by_place, with_gaps, turned]


def asked(
    queries: int, keys: int, width: int, value_width: int, groups: int = HEADS, layout: Layout = place_by_place
) -> list[Tensor]:
    """Queries, keys and values by chance."""
    shapes = (HEADS, queries, width), (groups, keys, width), (groups, keys, value_width)
    return [layout(torch.randn(ROWS, *shape).to(precision())).requires_grad_() for shape in shapes]


def masks(queries: int, keys: int) -> dict[str, Tensor | None]:
    """All kinds: every row sees somebody but in the last two."""
    lengths = torch.tensor([keys, max(1, keys // 2), 1])
    padding = (torch.arange(keys) < lengths[:, None])[:, None, None]
    causal = torch.ones(queries, keys).tril().bool()[None, None]
    some = torch.rand(ROWS, 1, queries, keys) < 0.3
    some[1, :, queries // 2] = False
    return {
        "none": None,
        "padding": padding,
        "padding of one row": padding[1:2],
        "causal": causal,
        "both": padding & causal,
        "by chance": some,
        "nobody": torch.zeros(1, 1, 1, keys, dtype=torch.bool),
    }


def assert_seen(numbers: list[Tensor], mask: Tensor | None, scale: float | None = None) -> None:
    scale = numbers[0].shape[-1] ** -0.5 if scale is None else scale
    assert_same(lambda q, k, v: look(q, k, v, mask, scale), lambda q, k, v: formula(q, k, v, mask, scale), numbers)


@pytest.mark.parametrize("kind", masks(1, 1))
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_who_may_look_at_whom(size, kind) -> None:
    assert_seen(asked(*size), masks(*size[:2])[kind])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("size", [(1, 1, 6, 10), (1, 19, 6, 10), (7, 13, 22, 38)], ids=str)
def test_heads_that_share_and_numbers_that_lie_elsewhere(size, groups, layout) -> None:
    for mask in masks(*size[:2]).values():
        assert_seen(asked(*size, groups, layout), mask)


@settings(max_examples=60)
@given(
    sizes=st.tuples(st.integers(1, 37), st.integers(1, 41)),
    widths=st.tuples(st.integers(1, 19), st.integers(1, 23)),
    groups=st.sampled_from([1, 2, 4]),
    layouts=st.tuples(*[st.sampled_from(LAYOUTS)] * 3),
    kind=st.sampled_from(list(masks(1, 1))),
    scale=st.sampled_from([None, 0.1, 1.0]),
    seed=st.integers(0, 1_000),
)
def test_any_size_and_layout(sizes, widths, groups, layouts, kind, scale, seed) -> None:
    torch.manual_seed(seed)
    numbers = asked(*sizes, *(2 * width for width in widths), groups)
    laid = [layout(one.detach()).requires_grad_() for layout, one in zip(layouts, numbers, strict=True)]
    assert_seen(laid, masks(*sizes)[kind], scale)


def test_the_gradient_may_lie_elsewhere() -> None:
    numbers, falls = asked(7, 13, 22, 38), random(ROWS, HEADS, 38, 7, learns=False).transpose(2, 3)
    found, plain = (gradients([look(*numbers, None, 0.2)], numbers, [one]) for one in (falls, place_by_place(falls)))
    assert all(map(torch.equal, found, plain))


def test_numbers_that_need_no_gradient() -> None:
    q, k, v = asked(7, 13, 22, 38)
    wanted = torch.autograd.grad(look(q, k, v, None, 0.2).square().sum(), [q, v])
    found = torch.autograd.grad(look(q, k.detach(), v, None, 0.2).square().sum(), [q, v])
    assert all(map(torch.equal, found, wanted))


@pytest.mark.parametrize("groups", [1, 4])
def test_who_may_look_at_nobody_finds_nothing_and_teaches_nothing(groups) -> None:
    q, k, v = asked(7, 13, 22, 38, groups)
    mask = torch.rand(ROWS, 1, 7, 13) < 0.5
    mask[0, :, 3] = False
    mask[1] = False
    answer = look(q, k, v, mask, 0.2)
    to_q, to_k, to_v = gradients([answer], [q, k, v], [torch.randn(answer.shape)])
    for one in (answer, to_q):
        assert not one[0, :, 3].any()
        assert not one[1].any()
        assert one[0, :, [0, 1, 2, 4, 5, 6]].any(-1).all()
    assert not to_k[1].any()
    assert not to_v[1].any()
    assert to_k[0].any()


@pytest.mark.parametrize("kind", masks(1, 1))
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_a_sequence_alone_is_what_it_is_among_others(groups, kind) -> None:
    """To the bit, with its gradients."""
    numbers, mask, falls = asked(37, 41, 22, 38, groups), masks(37, 41)[kind], random(ROWS, HEADS, 37, 38, learns=False)

    def run(part: slice) -> tuple[Tensor, ...]:
        own = [one.detach()[part].requires_grad_() for one in numbers]
        answer = look(*own, mask if mask is None or len(mask) == 1 else mask[part], 0.2)
        return answer, *gradients([answer], own, [falls[part]])

    together = run(slice(None))
    for row in range(ROWS):
        alone = run(slice(row, row + 1))
        assert all(torch.equal(one, all_[row : row + 1]) for one, all_ in zip(alone, together, strict=True))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_packed_sequences_are_each_alone(causal, groups, layout) -> None:
    """To the bit, with their gradients."""
    queries = (5, 1, 37, 17)
    keys = queries if causal else (2, 41, 1, 19)
    mask = torch.ones(37, 37).tril().bool()[None, None] if causal else None
    starts = tuple(torch.tensor([0, *lengths]).cumsum(0).int() for lengths in (queries, keys))
    numbers = [layout(one.detach()[:1]).requires_grad_() for one in asked(sum(queries), sum(keys), 22, 38, groups)]
    falls = random(1, HEADS, sum(queries), 38, learns=False)
    answer = look(*numbers, mask, 0.2, starts)
    together = parted([answer, *gradients([answer], numbers, [falls])], [queries, queries, keys, keys])
    for found, inputs in zip(together, parted([*numbers, falls], [queries, keys, keys, queries]), strict=True):
        *own, fall = (one.detach().requires_grad_() for one in inputs)
        alone = look(*own, None if mask is None else mask[..., : fall.shape[2], : fall.shape[2]], 0.2)
        assert all(map(torch.equal, (alone, *gradients([alone], own, [fall])), found))


def parted(packed: list[Tensor], lengths: list[tuple[int, ...]]) -> list[tuple[Tensor, ...]]:
    """Of each sequence its part of all of these."""
    return list(zip(*(one.split(of, 2) for one, of in zip(packed, lengths, strict=True)), strict=True))


def test_the_same_call_gives_the_same_bits() -> None:
    numbers, mask = asked(37, 41, 22, 38, 2), masks(37, 41)["both"]

    def run() -> list[Tensor]:
        answer = look(*numbers, mask, 0.2)
        return [answer, *torch.autograd.grad(answer.square().sum(), numbers)]

    assert all(map(torch.equal, run(), run()))


def test_a_larger_look_before_leaves_nothing_behind() -> None:
    """The library keeps the room that it needs; what a smaller look finds there is of no account."""
    numbers, mask = asked(7, 13, 22, 38, 2), masks(7, 13)["by chance"]
    answer = look(*numbers, mask, 0.2)
    wanted = answer, *torch.autograd.grad(answer.square().sum(), numbers)
    larger = [torch.full((1, 2, 67, width), math.nan).to(precision()).requires_grad_() for width in (74, 74, 82)]
    torch.autograd.grad(look(*larger, None, 1.0).sum(), larger)
    answer = look(*numbers, mask, 0.2)
    assert all(map(torch.equal, (answer, *torch.autograd.grad(answer.square().sum(), numbers)), wanted))


@pytest.mark.parametrize("scale", [30.0, -30.0, 1e4])
def test_scores_that_are_far_apart(scale) -> None:
    """A weight is all or nothing, and nothing overflows."""
    q, k, v = asked(7, 13, 22, 38)
    answer = look(q, k, v, None, scale)
    scores = scale * q.double() @ k.double().transpose(-1, -2)
    top, next_to_it = scores.topk(2).values.unbind(-1)
    sure = top - next_to_it > 20
    assert sure.any()
    best = v.gather(2, scores.argmax(-1)[..., None].expand(-1, -1, -1, 38))
    near = 0.0 if precision() == torch.bfloat16 else 1e-6  # what is nothing in bf16 may be the last bit of a float32
    torch.testing.assert_close(answer[sure], best[sure], rtol=near, atol=near)
    assert all(one.isfinite().all() for one in torch.autograd.grad(answer.sum(), [q, k, v]))


class TestNoNumber:
    """What is no number reaches those who look at it, in its own sequence and head."""

    OTHERS = (0, 1, 2, 4, 5, 6)

    @staticmethod
    def window() -> Tensor:
        """Each of 7 queries sees 3 of 7 keys."""
        i = torch.arange(7)
        return ((i[:, None] - i).abs() <= 1)[None, None]

    def test_a_query_stays_alone(self) -> None:
        q, k, v = asked(7, 7, 22, 38)
        q.data[1, 2, 3, 5] = math.nan
        answer = look(q, k, v, self.window(), 0.2)
        assert answer[1, 2, 3].isnan().all()
        assert answer[1, 2, self.OTHERS].isfinite().all()
        assert answer[1, [0, 1, 3]].isfinite().all()
        assert answer[[0, 2]].isfinite().all()
        to_q, to_k, to_v = torch.autograd.grad(answer.sum(), [q, k, v])
        assert to_q[1, 2, 3].isnan().all()
        assert to_k[1, 2, 2:5].isnan().all()
        assert to_v[1, 2, 2:5].isnan().all()
        assert all(one[[0, 2]].isfinite().all() for one in (to_q, to_k, to_v))

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=str)
    def test_a_key(self, number) -> None:
        q, k, v = asked(7, 7, 22, 38)
        q.data[..., 5] = 1.0  # so that the score of an infinite key has its sign
        k.data[1, 2, 3, 5] = number
        answer = look(q, k, v, self.window(), 0.2)
        if number != -math.inf:  # which is never looked at
            assert answer[1, 2, 2:5].isnan().all()
        assert answer[1, 2, [0, 1, 5, 6]].isfinite().all()
        assert answer[1, [0, 1, 3]].isfinite().all()

    @pytest.mark.parametrize("number", [math.nan, math.inf], ids=str)
    def test_a_value(self, number) -> None:
        q, k, v = asked(7, 7, 22, 38)
        v.data[1, 2, 3, 5] = number
        answer = look(q, k, v, self.window(), 0.2)
        assert not answer[1, 2, 2:5, 5].isfinite().any()
        assert answer[1, [0, 1, 3]].isfinite().all()
        assert answer[[0, 2]].isfinite().all()
        to_q, to_k, _ = torch.autograd.grad(answer.sum(), [q, k, v])
        assert not to_q[1, 2, 2:5].isfinite().any()
        assert not to_k[1, 2, 3].isfinite().any()


def test_the_library_is_called_once_each_way(monkeypatch) -> None:
    calls, numbers = watched(monkeypatch), asked(7, 13, 22, 38, 2)
    look(*numbers, None, 0.2).sum().backward()
    assert calls.names == ["mirada_look", "mirada_look_back"]
