"""attend: the one function that computes attention; plan: which kernel does it, and why.

Legend: B batch, H heads, Q queries, K keys, V value width.

`plan` is pure: it sees sizes and kinds, never numbers. The crossovers below were measured with `bench/attention.py`
(docs/experiments.md has the tables); a device that was never measured gets FUSED wherever it can answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import ModuleType

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.attention.apart import apart, together
from mirada.attention.kernels import blocked, compiled, dense, edges, fused, gathered, runs
from mirada.attention.pattern import Causal, Full
from mirada.attention.problem import Problem


class Kernel(Enum):
    """The six ways to compute the formula."""

    FUSED = "fused"
    BLOCKED = "blocked"
    GATHERED = "gathered"
    EDGES = "edges"
    DENSE = "dense"
    COMPILED = "compiled"


KERNELS: dict[Kernel, ModuleType] = {
    Kernel.FUSED: fused,
    Kernel.BLOCKED: blocked,
    Kernel.GATHERED: gathered,
    Kernel.EDGES: edges,
    Kernel.DENSE: dense,
    Kernel.COMPILED: compiled,
}


# Longest side of a square of pairs for which explicit products beat torch's fused kernel, by device, precision and
# whether gradients are wanted. bfloat16 was measured on a CPU that multiplies it in hardware.
EXPLICIT_UNTIL: dict[tuple[str, torch.dtype, bool], int] = {
    ("cpu", torch.float32, True): 64,
    ("cpu", torch.float32, False): 16,
    ("cpu", torch.bfloat16, True): 512,
}
# The same for the compiled libraries, which serve training on a CPU.
COMPILED_UNTIL = {torch.bfloat16: 1_024, torch.float32: 512}
# Costs on a CPU, in units of one pair of torch's kernel with a mask.
BLOCKED_PAIR = 2.0
BLOCKED_PLACE = 100  # what it costs to fold one place and to put its answer back
GATHERED_PAIR = 2.5
GATHERED_PLACE = 110  # the same for gathering it
JOINED_PLACE = 200  # the same for each part of a pattern that has several
EDGE_COST = 16


def explicit_until(device: str, dtype: torch.dtype, learning: bool) -> int:
    """The crossover between explicit products and torch's fused kernel; 0 where it was never measured."""
    return EXPLICIT_UNTIL.get((device, dtype, learning), 0)


@dataclass(frozen=True)
class Plan:
    """A kernel and the reason for it, in words."""

    kernel: Kernel
    reason: str

    def __str__(self) -> str:
        return f"{self.kernel.name}: {self.reason}"


def plan(problem: Problem) -> Plan:
    """The kernel for a problem, from its sizes and kinds alone."""
    near = problem.neighbourhood
    if near.facts.edges is not None:
        return _plan_edges(problem)
    if near.facts.packing is not None and not _by_library(problem):
        return plan(apart(problem, near.facts.packing))
    if problem.whole and not isinstance(near.pattern, Full | Causal):
        sparse = _plan_sparse(problem)
        if sparse is not None:
            return sparse
    return _plan_all_pairs(problem)


def _plan_edges(problem: Problem) -> Plan:
    found, everything = edges.pairs(problem), dense.pairs(problem)
    if problem.kept is not None:
        return Plan(Kernel.EDGES, f"{found:,} edges, some of which are dropped")
    if found * EDGE_COST > everything:
        reason = f"{found:,} edges among {everything:,} pairs, and an edge costs as much as {EDGE_COST} dense pairs"
        return Plan(Kernel.DENSE, reason)
    return Plan(Kernel.EDGES, f"{found:,} edges among {everything:,} pairs")


def _plan_sparse(problem: Problem) -> Plan | None:
    """BLOCKED or GATHERED where they compute few enough pairs, else None."""
    count = len(gathered.parts(problem))
    places = problem.neighbourhood.keys * (GATHERED_PLACE if count == 1 else JOINED_PLACE * count)
    options = [(places + GATHERED_PAIR * gathered.pairs(problem), Kernel.GATHERED, "tiles")]
    if blocked.refusal(problem) is None:
        cost = BLOCKED_PLACE * problem.neighbourhood.keys + BLOCKED_PAIR * blocked.pairs(problem)
        options.append((cost, Kernel.BLOCKED, "blocks"))
    cost, kernel, shape = min(options, key=lambda option: option[0])
    everything, pattern = dense.pairs(problem), problem.neighbourhood.pattern
    if cost >= everything:
        return None
    return Plan(kernel, f"{shape} of {pattern} cost as much as {cost:,.0f} of {everything:,} dense pairs")


def _by_library(problem: Problem) -> bool:
    """Whether a compiled library answers, and faster than torch."""
    return compiled.refusal(problem) is None and compiled.largest(problem) <= COMPILED_UNTIL[problem.queries.dtype] ** 2


def _plan_all_pairs(problem: Problem) -> Plan:
    q = problem.queries
    learning = torch.is_grad_enabled() and (q.requires_grad or problem.keys.requires_grad)
    kind = f"{'training' if learning else 'inference'} in {str(q.dtype).removeprefix('torch.')} on {q.device.type}"
    if _by_library(problem):
        until = COMPILED_UNTIL[q.dtype]
        return Plan(Kernel.COMPILED, f"{kind}: our own is faster up to {until} × {until} pairs")
    refusal = fused.refusal(problem)
    if refusal is not None:
        return Plan(Kernel.DENSE, refusal)
    crossover = explicit_until(q.device.type, q.dtype, learning)
    if problem.neighbourhood.queries == 1 and not learning:
        return Plan(Kernel.FUSED, f"{kind}: one query, where torch's kernel is faster at any length")
    if dense.pairs(problem) <= crossover**2:
        return Plan(Kernel.DENSE, f"{kind}: explicit products are faster up to {crossover} × {crossover} pairs")
    return Plan(Kernel.FUSED, f"{kind}: torch's kernel is faster beyond {crossover} × {crossover} pairs")


def attend(problem: Problem, kernel: Kernel | None = None) -> Float[Tensor, "B H Q V"]:
    """h_i = Σ_{j ∈ N(i)} α(q_i, k_j) · v_j by the planned kernel, or by the one that is asked for.

    Packed sequences are padded for it where the planned one knows no packing.
    """
    if problem.batch == 0 or problem.neighbourhood.queries == 0 or problem.neighbourhood.keys == 0:
        return problem.nothing.repeat(*problem.queries.shape[:3], 1)
    packing = problem.neighbourhood.facts.packing
    if kernel is None and packing is not None and not _by_library(problem):
        return together(attend(apart(problem, packing)), packing)
    chosen = plan(problem).kernel if kernel is None else kernel
    refusal = KERNELS[chosen].refusal(problem)
    if problem.kept is not None and chosen is not Kernel.EDGES:
        refusal = "weights of edges are dropped"
    if refusal is not None:
        raise ValueError(f"the kernel {chosen.name} cannot answer: {refusal}; leave the choice to plan()")
    return KERNELS[chosen].run(problem)


def weigh(problem: Problem) -> Float[Tensor, "B H Q K"]:
    """α for every pair, 0 where a query may not look: what the answer was made with, whatever the kernel.

    Nothing of it is dropped: it is where a model looks, not which part of it a step of training was left with.
    """
    if problem.batch == 0 or problem.neighbourhood.queries == 0 or problem.neighbourhood.keys == 0:
        return problem.queries.new_zeros(*problem.queries.shape[:3], problem.neighbourhood.keys)
    return dense.weights(problem)


@dataclass(frozen=True)
class Explanation:
    """What one attention costs at a given size, and why it is computed as it is.

    `flops` and `held_bytes` are those of one forward pass, without the linear maps: two operations for each product
    of scores and values, and what is held besides input and output.
    """

    pattern: str
    score: str
    plan: Plan
    pairs: int
    all_pairs: int
    flops: int
    held_bytes: int

    def __str__(self) -> str:
        return "\n".join(
            [
                f"pattern  {self.pattern}",
                f"score    {self.score}",
                f"kernel   {self.plan}",
                f"pairs    {self.pairs:,} of {self.all_pairs:,} a head ({self.pairs / max(1, self.all_pairs):.1%})",
                f"cost     {self.flops:,} FLOPs, {self.held_bytes:,} bytes held",
            ]
        )


def explain(problem: Problem, kernel: Kernel | None = None) -> Explanation:
    """The plan of a problem with its cost; sizes and kinds alone are read."""
    chosen = plan(problem) if kernel is None else Plan(kernel, "asked for")
    pairs = KERNELS[chosen.kernel].pairs(problem)
    rows = problem.batch * problem.heads
    widths = problem.queries.shape[-1] + problem.values.shape[-1]
    return Explanation(
        pattern=str(problem.neighbourhood.pattern),
        score=type(problem.score).__name__.removesuffix("Scorer"),
        plan=chosen,
        pairs=pairs,
        all_pairs=dense.pairs(problem),
        flops=2 * rows * pairs * widths,
        held_bytes=min(_held(problem, chosen.kernel), rows * pairs) * problem.queries.element_size(),
    )


def _held(problem: Problem, kernel: Kernel) -> int:
    """How many pairs of all heads a kernel holds at the most, where there are as many."""
    if kernel in (Kernel.FUSED, Kernel.COMPILED):
        return 0
    if kernel is Kernel.BLOCKED:
        return runs.RUN
    if kernel is Kernel.GATHERED:
        return gathered.held(problem)
    rows = problem.batch * problem.heads
    return rows * (edges.RUN if kernel is Kernel.EDGES else dense.pairs(problem))
