"""Recording: where the model looks, without touching what it says.

Legend: B batch, H heads, Q queries, K keys, E edges, P batch rows that share the edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mirada.attention.attend import Plan, plan, weigh
from mirada.attention.core import Attention
from mirada.attention.kernels import edges as edges_kernel
from mirada.attention.neighbourhood import Edges
from mirada.attention.problem import Problem


@dataclass(frozen=True, eq=False)
class Look:
    """One look of one attention: its name in the model, its weights, and the plan by which the output was made."""

    name: str
    attention: Attention
    weights: Float[Tensor, "B H Q K"]
    plan: Plan


@dataclass(frozen=True, eq=False)
class EdgeLook:
    """One look along the edges of a graph: the weight of each edge, where a matrix would be nearly empty."""

    name: str
    attention: Attention
    edges: Edges
    weights: Float[Tensor, "E P H"]
    plan: Plan


@contextmanager
def record_edges(model: nn.Module) -> Iterator[list[EdgeLook]]:
    """Collect the looks of every attention of a model over graphs, as `record` does, edge by edge."""
    looks: list[EdgeLook] = []

    def tap(name: str, attention: Attention, problem: Problem) -> None:
        edges = problem.neighbourhood.edges(problem.queries.device)
        with torch.no_grad():
            weights = edges_kernel.weights(problem)
        looks.append(EdgeLook(name, attention, edges, weights, plan(problem)))

    with _tapped(model, tap):
        yield looks


@contextmanager
def record(model: nn.Module) -> Iterator[list[Look]]:
    """Collect the looks of every attention of a model, in the order in which they happen.

    The output still comes from the planned kernel; the weights are computed beside it, from the same inputs. Nothing
    is kept on the modules: the taps go with the block.
    """
    looks: list[Look] = []

    def tap(name: str, attention: Attention, problem: Problem) -> None:
        with torch.no_grad():
            weights = weigh(problem)
        looks.append(Look(name, attention, weights, plan(problem)))

    with _tapped(model, tap):
        yield looks


@contextmanager
def _tapped(model: nn.Module, tap: Callable[[str, Attention, Problem], None]) -> Iterator[None]:
    """A context in which each attention of a model shows its problem after it has answered it."""

    def show(name: str, attention: Attention, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        tap(name, attention, attention.problem(*inputs, **named))

    handles = [
        attention.register_forward_hook(
            lambda module, inputs, named, output, name=name: show(name, module, inputs, named),
            with_kwargs=True,
        )
        for name, attention in model.named_modules()
        if isinstance(attention, Attention)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def joined(looks: Sequence[Look]) -> list[Look]:
    """One look for each attention: where it looked once at every step, all its queries after each other."""
    by_name: dict[str, list[Look]] = {}
    for look in looks:
        by_name.setdefault(look.name, []).append(look)
    return [replace(same[0], weights=torch.cat([one.weights for one in same], 2)) for same in by_name.values()]
