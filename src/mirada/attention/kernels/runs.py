"""Runs: a problem computed piece by piece, and computed again backward instead of being kept.

A run's scores and gathered keys stay in the cache, and nothing of the size of all pairs is ever held. Computing a run
twice costs less than writing it to memory and reading it back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from mirada.attention.problem import Origin

RUN = 1 << 20  # pairs computed at once: 4 MB of scores in float32, about what the caches hold


def pieces_per_run(pieces: int, pairs_of_one: int, kept: int) -> int:
    """How many blocks or tiles make a run: all of them where their pairs are few enough to be kept."""
    return max(1, pieces) if pieces * pairs_of_one <= kept else max(1, RUN // pairs_of_one)


class Run(ABC):
    """A piece of the problem: some queries, with all the keys and values that they look at."""

    @abstractmethod
    def take_queries(self, rows: Tensor) -> Tensor:
        """The run's part of the queries."""

    def take_gradient(self, rows: Tensor) -> Tensor:
        """The run's part of the output's gradient."""
        return self.take_queries(rows)

    @abstractmethod
    def put(self, rows: Tensor, part: Tensor) -> None:
        """Store a part where the run's queries are."""

    @abstractmethod
    def take(self, rows: Tensor) -> Tensor:
        """The run's part of the keys or values."""

    @abstractmethod
    def give(self, rows: Tensor, part: Tensor) -> None:
        """Add a part to the keys or values that it was taken from."""

    @abstractmethod
    def attend(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The answer for the run's queries."""

    def answer(self, output: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> None:
        """Compute the run and store it in the output."""
        self.put(output, self.attend(self.take_queries(queries), self.take(keys), self.take(values)))


def attend_in_runs(
    runs: Sequence[Run],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    modules: Sequence[nn.Module | None],
    outside: Tensor,
    origin: Origin | None,
) -> Tensor:
    """The answers of all runs; `outside` is the answer for a query that is in no run.

    `modules` hold the learned numbers that enter a run besides; `origin` is that of queries, keys and values.
    """
    if len(runs) == 1:  # small enough to be kept
        output = outside.repeat(*queries.shape[:-1], 1)
        runs[0].answer(output, queries, keys, values)
        return output
    arguments = runs, outside, origin, queries, keys, values, *learned_numbers(modules)
    return _Runs.apply(*arguments)  # type: ignore[no-untyped-call]


def learned_numbers(modules: Sequence[nn.Module | None]) -> list[Tensor]:
    """What the modules have learned."""
    return [number for module in modules if module is not None for number in module.parameters()]


class _Runs(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        runs: Sequence[Run],
        outside: Tensor,
        origin: Origin | None,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        *learned: Tensor,
    ) -> Tensor:
        output = outside.repeat(*queries.shape[:-1], 1)
        for run in runs:
            run.answer(output, queries, keys, values)
        keep(ctx, origin, (queries, keys, values), *learned)
        ctx.runs = runs
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        rows, learned = kept(ctx)
        found = Gradients(rows, learned)
        found.add(ctx.runs, lambda run, _: run.take_gradient(gradient))
        return None, None, None, *found.all


def keep(ctx: Any, origin: Origin | None, rows: tuple[Tensor, Tensor, Tensor], *others: Tensor) -> None:
    """Keep what the backward pass needs: for queries, keys and values their origin is enough."""
    # Not the origin itself: its states are torch's to let go when the backward pass has been there.
    ctx.make = None if origin is None else origin.make
    ctx.save_for_backward(*(rows if origin is None else (origin.states,)), *others)


def kept(ctx: Any) -> tuple[tuple[Tensor, Tensor, Tensor], tuple[Tensor, ...]]:
    """Queries, keys and values, made again where they were not kept, and the others."""
    if ctx.make is None:
        queries, keys, values, *others = ctx.saved_tensors
        return (queries, keys, values), tuple(others)
    states, *others = ctx.saved_tensors
    return ctx.make(states), tuple(others)


class Gradients:
    """What a backward pass finds: the gradients of queries, keys, values, and of the learned numbers."""

    def __init__(self, rows: tuple[Tensor, Tensor, Tensor], learned: Sequence[Tensor]) -> None:
        self._rows, self._learned = rows, learned
        self._queries, self._keys, self._values = (torch.zeros_like(part) for part in rows)
        self._wanted = [number for number in learned if number.requires_grad]
        self._found = [torch.zeros_like(number) for number in self._wanted]

    def add(self, runs: Sequence[Run], to_output: Callable[[Run, Tensor], Tensor]) -> None:
        """Compute runs again; `to_output` tells the gradient of a run's output."""
        for run in runs:
            queries, keys, values = self._rows
            taken = [
                part.detach().requires_grad_() for part in (run.take_queries(queries), run.take(keys), run.take(values))
            ]
            with torch.enable_grad():
                output = run.attend(*taken)
            gradient = to_output(run, output.detach())
            found = torch.autograd.grad(output, [*taken, *self._wanted], gradient, materialize_grads=True)
            run.put(self._queries, run.take_queries(self._queries).add_(found[0]))
            run.give(self._keys, found[1])
            run.give(self._values, found[2])
            for total, part in zip(self._found, found[3:], strict=True):
                total.add_(part)

    @property
    def all(self) -> tuple[Tensor | None, ...]:
        """Those of queries, keys and values, then one for each learned number, None where it is not wanted."""
        found = iter(self._found)
        learned = (next(found) if number.requires_grad else None for number in self._learned)
        return self._queries, self._keys, self._values, *learned
