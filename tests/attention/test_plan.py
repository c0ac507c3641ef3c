"""What plan chooses, from sizes and kinds alone."""

import pytest
import torch

from mirada.attention import (
    Additive,
    Attention,
    Causal,
    Edges,
    Facts,
    Fixed,
    Full,
    Kernel,
    Strided,
    Uniform,
    Window,
)
from mirada.operations.choice import by_torch

CHOICES = [
    (Full(), None, 16, Kernel.DENSE, "explicit"),
    (Causal(), None, 1024, Kernel.FUSED, "torch"),
    (Full(), Additive(), 1024, Kernel.DENSE, "not a dot product"),
    (Full(), Uniform(), 1024, Kernel.DENSE, "wide"),
    (Window(128, 0), None, 4096, Kernel.BLOCKED, "blocks"),
    (Window(128, 0), Additive(), 4096, Kernel.BLOCKED, "blocks"),
    (Window(4096, 0), None, 4096, Kernel.FUSED, "torch"),
    (Strided(32), None, 1024, Kernel.GATHERED, "tiles"),
    (Causal() & Fixed(32, 1), None, 1024, Kernel.GATHERED, "tiles"),
    (Strided(4), None, 32, Kernel.DENSE, "explicit"),
]


@pytest.mark.parametrize(("pattern", "score", "length", "kernel", "reason"), CHOICES, ids=str)
def test_the_choice_and_its_reason(pattern, score, length, kernel, reason) -> None:
    """Among torch's kernels; what the libraries serve is tested with them."""
    with by_torch():
        explanation = Attention(64, heads=4, pattern=pattern, score=score).explain(length)
    assert explanation.plan.kernel is kernel
    assert reason in explanation.plan.reason


def test_one_query_without_gradients_is_left_to_torch() -> None:
    attention = Attention(64, heads=4, pattern=Causal()).eval()
    assert attention.explain(1, 12, facts=Facts(offset=11)).plan.kernel is Kernel.FUSED


def test_an_unmeasured_precision_is_left_to_torch() -> None:
    attention = Attention(64, heads=4).half()
    assert attention.explain(8).plan.kernel is Kernel.FUSED


@pytest.mark.parametrize(("count", "kernel"), [(40, Kernel.EDGES), (4_000, Kernel.DENSE)])
def test_few_edges_are_run_through_and_many_are_a_mask(count, kernel) -> None:
    ends = torch.randint(0, 100, (2, count), generator=torch.Generator().manual_seed(0))
    facts = Facts(edges=Edges.of(ends[0], ends[1], query_count=100))
    assert Attention(64, heads=4).explain(100, facts=facts).plan.kernel is kernel


def test_an_explanation_computes_nothing_and_counts_what_would_be() -> None:
    explanation = Attention(64, heads=4, pattern=Window(128, 0)).explain(1_000_000)
    assert explanation.pairs < explanation.all_pairs / 3_000
    assert "BLOCKED" in str(explanation)
    assert "window(128, 0)" in str(explanation)
