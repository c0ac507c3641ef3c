"""`Attention` with the weights of torch.nn.MultiheadAttention gives its outputs and its averaged weights."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

from mirada.attention import Attention, Causal, Facts, Heads, Kernel, Maps, Padding, attend

BATCH, QUERIES, KEYS, WIDTH, HEADS, OTHER_WIDTH = 3, 7, 11, 20, 5, 13
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Case:
    """What torch is asked, and the same for us."""

    name: str
    memory_width: int = WIDTH
    cross: bool = False
    causal: bool = False
    padded: bool = False
    bias: bool = True

    def states(self) -> tuple[Tensor, Tensor]:
        x = torch.randn(BATCH, QUERIES, WIDTH)
        return x, torch.randn(BATCH, KEYS, self.memory_width) if self.cross else x

    @property
    def lengths(self) -> list[int]:
        longest = KEYS if self.cross else QUERIES
        return [longest, 1, longest - 3]


CASES = [
    Case("self"),
    Case("self without bias", bias=False),
    Case("self, padded", padded=True),
    Case("causal", causal=True),
    Case("causal, padded", causal=True, padded=True),
    Case("cross", cross=True),
    Case("cross, padded", cross=True, padded=True),
    Case("cross of another width", cross=True, memory_width=OTHER_WIDTH),
    Case("cross of another width, padded", cross=True, memory_width=OTHER_WIDTH, padded=True),
    Case("cross of another width without bias", cross=True, memory_width=OTHER_WIDTH, bias=False),
]
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def torchs(case: Case) -> nn.MultiheadAttention:
    """Torch's module with every bias away from zero."""
    width = case.memory_width
    theirs = nn.MultiheadAttention(WIDTH, HEADS, bias=case.bias, kdim=width, vdim=width, batch_first=True)
    if case.bias:
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    return theirs


def ours(theirs: nn.MultiheadAttention, case: Case) -> Attention:
    """The same parameters under our names."""
    attention = Attention(
        WIDTH,
        heads=HEADS,
        memory_width=case.memory_width,
        pattern=Causal() if case.causal else None,
        maps=Maps(bias=case.bias),
    )
    parts = ("query_map", "key_map", "value_map")
    if theirs.in_proj_weight is None:
        weights = (theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight)
    else:
        weights = theirs.in_proj_weight.chunk(3)
    parameters = {f"{part}.weight": weight for part, weight in zip(parts, weights, strict=True)}
    parameters["output_map.weight"] = theirs.out_proj.weight
    if case.bias:
        biases = theirs.in_proj_bias.chunk(3)
        parameters |= {f"{part}.bias": bias for part, bias in zip(parts, biases, strict=True)}
        parameters["output_map.bias"] = theirs.out_proj.bias
    attention.load_state_dict(parameters)
    return attention


def ask_torch(theirs: nn.MultiheadAttention, case: Case, x: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
    """Torch's output and its weights averaged over the heads; its masks are True where nobody may look."""
    padding = None
    if case.padded:
        padding = torch.arange(source.shape[1])[None] >= torch.tensor(case.lengths)[:, None]
    ahead = torch.ones(QUERIES, QUERIES).triu(1).bool() if case.causal else None
    output, weights = theirs(x, source, source, key_padding_mask=padding, attn_mask=ahead)
    assert weights is not None
    return output, weights


def facts_of(case: Case) -> Facts:
    return Facts(padding=Padding.from_lengths(case.lengths)) if case.padded else Facts()


def close(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


@cases
def test_outputs_and_averaged_weights(case: Case) -> None:
    x, source = case.states()
    theirs = torchs(case)
    attention, facts = ours(theirs, case), facts_of(case)
    memory = attention.remember(source) if case.cross else None
    output, weights = ask_torch(theirs, case, x, source)
    real = torch.ones(BATCH, QUERIES, dtype=torch.bool)
    if case.padded and not case.cross:  # what a padded query returns has no meaning
        real = facts.padding.real
    close(attention(x, memory, facts)[real], output[real])
    close(attention.weights(x, memory, facts).mean(1)[real], weights[real])


@cases
@pytest.mark.parametrize("kernel", [Kernel.FUSED, Kernel.DENSE, Kernel.EDGES], ids=lambda kernel: kernel.name)
def test_every_kernel(case: Case, kernel: Kernel) -> None:
    x, source = case.states()
    theirs = torchs(case)
    attention, facts = ours(theirs, case), facts_of(case)
    problem = attention.problem(x, attention.remember(source), facts)
    heads = attend(problem, kernel).transpose(1, 2).flatten(2)
    close(attention.output_map(heads), ask_torch(theirs, case, x, source)[0])


@cases
def test_gradients(case: Case) -> None:
    x, source = case.states()
    theirs = torchs(case)
    attention, facts = ours(theirs, case), facts_of(case)
    direction = torch.randn(BATCH, QUERIES, WIDTH)
    x.requires_grad_()
    problem = attention.problem(x, attention.remember(source), facts)
    found = attention.output_map(attend(problem).transpose(1, 2).flatten(2))
    wanted, _ = ask_torch(theirs, case, x, source)
    (mine,) = torch.autograd.grad((found * direction).sum(), x)
    (torchs_own,) = torch.autograd.grad((wanted * direction).sum(), x)
    torch.testing.assert_close(mine, torchs_own, rtol=1e-4, atol=1e-4)


def test_the_defaults_have_torchs_shapes() -> None:
    attention = Attention(WIDTH, heads=Heads(HEADS))
    found = {name: tuple(parameter.shape) for name, parameter in attention.named_parameters()}
    square, vector = (WIDTH, WIDTH), (WIDTH,)
    assert found == {
        f"{part}_map.{kind}": shape
        for part in ("query", "key", "value", "output")
        for kind, shape in (("weight", square), ("bias", vector))
    }
