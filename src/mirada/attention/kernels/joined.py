"""Parts joined: several softmaxes, each over its own keys, weighed into one over all keys.

Each run answers with one more column, the log of its sum. Σ_p s_p · answer_p with s = softmax(log-sums) is the answer
of all parts together. Backward, the parts are computed again. Kept are the output y and the log L of the whole sum,
which tell each part's share s_p = exp(log-sum_p − L): a gradient g of the output is one of s_p · g for its answer, and
of s_p · g · (answer_p − y) for its log-sum.

Legend: B batch, N places, n places of a run, H heads, V value width.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from mirada.attention.kernels.runs import Gradients, Run, keep, kept, learned_numbers
from mirada.attention.problem import Origin
from mirada.attention.score import in_full

Parts = Sequence[Sequence[Run]]


def attend_joined(
    parts: Parts,
    queries: Float[Tensor, "B N H D"],
    keys: Float[Tensor, "B N G D"],
    values: Float[Tensor, "B N G2 V"],
    modules: Sequence[nn.Module | None],
    origin: Origin | None,
) -> Float[Tensor, "B N H V"]:
    """The answer of all parts, of which nothing is kept; zeros for a query that is in none of them."""
    arguments = parts, origin, queries, keys, values, *learned_numbers(modules)
    return _Joined.apply(*arguments)  # type: ignore[no-untyped-call]


def weigh(answers: Sequence[Float[Tensor, "B N H V1"]]) -> Float[Tensor, "B N H V"]:
    """The parts' answers weighed by their sums, by operations that torch knows the gradients of."""
    total = torch.stack([in_full(answer[..., -1:]) for answer in answers]).logsumexp(0)
    weighed = [answer[..., :-1] * share_of(answer[..., -1:], total) for answer in answers]
    return torch.stack(weighed).sum(0)


def _join(
    run: Run, answer: Float[Tensor, "B n H V1"], output: Float[Tensor, "B N H V"], total: Float[Tensor, "B N H 1"]
) -> None:
    """Weigh the answer of one run more into that of the parts so far and the log of their sum."""
    so_far = run.take_queries(total)
    whole = torch.logaddexp(so_far, in_full(answer[..., -1:]))
    before, more = share_of(so_far, whole).to(output.dtype), share_of(answer[..., -1:], whole)
    run.put(output, run.take_queries(output).mul_(before).addcmul_(answer[..., :-1], more))
    run.put(total, whole)


def share_of(log_sum: Float[Tensor, "B n H 1"], total: Float[Tensor, "B n H 1"]) -> Float[Tensor, "B n H 1"]:
    """How much of the whole sum one part is; 0 where nobody is seen."""
    # A sum over nothing is near the lowest number of its type, where no real score comes.
    alone = total <= torch.finfo(log_sum.dtype).min / 2
    return (in_full(log_sum) - total).clamp(max=0).exp().masked_fill(alone, 0).to(log_sum.dtype)


class _Joined(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, parts: Parts, origin: Origin | None, queries: Tensor, keys: Tensor, values: Tensor, *learned: Tensor
    ) -> Float[Tensor, "B N H V"]:
        nothing, shape = outside(values), queries.shape[:-1]
        output, total = nothing[:-1].repeat(*shape, 1), in_full(nothing[-1:]).repeat(*shape, 1)
        for run in chain(*parts):  # one after the other, so that no answer of a whole part is held
            _join(run, run.attend(run.take_queries(queries), run.take(keys), run.take(values)), output, total)
        keep(ctx, origin, (queries, keys, values), output, total, *learned)
        ctx.parts = parts
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Float[Tensor, "B N H V"]) -> tuple[Tensor | None, ...]:
        rows, (output, total, *learned) = kept(ctx)

        def to_part(run: Run, part: Float[Tensor, "B n H V1"]) -> Float[Tensor, "B n H V1"]:
            to_answer = run.take_gradient(gradient) * share_of(part[..., -1:], run.take_queries(total))
            to_sum = (to_answer * (part[..., :-1] - run.take_queries(output))).sum(-1, keepdim=True)
            return torch.cat([to_answer, to_sum], -1)

        found = Gradients(rows, learned)
        for runs in ctx.parts:
            found.add(runs, to_part)
        return None, None, *found.all


def outside(values: Float[Tensor, "B N G2 V"]) -> Float[Tensor, "V1"]:
    """The answer of a part that a query is not in: zeros, and the log of a sum over nothing."""
    nothing = values.new_zeros(values.shape[-1] + 1)
    nothing[-1] = torch.finfo(values.dtype).min
    return nothing
