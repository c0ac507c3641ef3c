"""Dropout on edges: it multiplies weights and nothing else, whatever runs the edges are cut into."""

import pytest
import torch

from mirada.attention import Causal, Edges, Facts, Kernel, Static, Uniform, attend
from mirada.attention.kernels import edges as kernel
from tests.laws.choices import CONTENT, build, states

LENGTH, HEADS = 11, 3


def graph() -> Edges:
    mask = torch.rand(LENGTH, LENGTH) < 0.4
    return Edges.of(*torch.nonzero(mask, as_tuple=True), query_count=LENGTH)


@pytest.mark.parametrize("score", CONTENT, ids=str)
@pytest.mark.parametrize("run", [3, 8_192])
def test_the_weights_of_edges_are_multiplied(score, run: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "RUN", run)
    x = states(5, LENGTH).double()
    attention = build(score).double()
    edges = graph()
    kept = torch.rand(len(edges), HEADS, dtype=torch.float64)
    facts = Facts(edges=edges)
    dense = torch.zeros(HEADS, LENGTH, LENGTH, dtype=torch.float64)
    dense[:, edges.queries, edges.keys] = kept.T
    problem = attention.problem(x, facts=facts, kept=kept)
    wanted = (attention.weights(x, facts=facts) * dense) @ problem.values
    found = attend(problem)
    torch.testing.assert_close(found, wanted)
    parameters = [one for name, one in attention.named_parameters() if not name.startswith("output_map")]
    mixture = torch.linspace(-1, 1, found.numel(), dtype=torch.float64).view(found.shape)
    for one, other in zip(
        *(
            torch.autograd.grad((output * mixture).sum(), parameters, retain_graph=True, materialize_grads=True)
            for output in (found, wanted)
        ),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_what_cannot_be_dropped_is_told() -> None:
    x, attention, edges = states(1, LENGTH), build(Static()), graph()
    with pytest.raises(ValueError, match=r"kept has the shape \(2, 3\), but there are \d+ edges and 3 heads"):
        attention(x, facts=Facts(edges=edges), kept=torch.ones(2, HEADS))
    with pytest.raises(ValueError, match="weights are dropped edge by edge: give edges"):
        attention(x, kept=torch.ones(2, HEADS))
    with pytest.raises(ValueError, match="a pattern that allows all"):
        build(Uniform(), Causal())(x, facts=Facts(edges=edges), kept=torch.ones(len(edges), HEADS))
    problem = attention.problem(x, facts=Facts(edges=edges), kept=torch.ones(len(edges), HEADS))
    with pytest.raises(ValueError, match="DENSE cannot answer: weights of edges are dropped"):
        attend(problem, Kernel.DENSE)
