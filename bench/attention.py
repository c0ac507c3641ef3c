"""Attention against bare torch and its peers: every bar of speed and memory, each with pass or miss.

    python bench/attention.py [SECTION …]        crossover overhead blocked gathered edges dense

Ratios come from alternating repeats in one run. A peer that is not installed is said and skipped.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from measure import alternate, growth, in_fresh_process, memory_above_start, multiplies_bfloat16, ratio
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from mirada.attention import (
    Additive,
    Attention,
    Causal,
    Edges,
    Facts,
    Fixed,
    Full,
    Grid,
    Heads,
    Kernel,
    Maps,
    Neighbourhood,
    Pattern,
    Problem,
    ScaledDot,
    Strided,
    Window,
    attend,
    plan,
)
from mirada.attention.score import DotScorer

WIDTH, HEADS, HEAD_WIDTH = 256, 4, 64
TOKENS = 4_096
verdicts: list[bool] = []


def line(name: str, figure: str, passed: bool) -> None:
    """One line of the table."""
    verdicts.append(passed)
    print(f"{'pass' if passed else 'MISS'}  {name:68s} {figure}", flush=True)


def note(text: str) -> None:
    """A line without a verdict."""
    print(f"      {text}", flush=True)


# --- works: each returns a function that does one forward and backward pass ---------------------------------------


def training(attention: Attention, answer: Callable[[Tensor], Tensor], x: Tensor) -> Callable[[], None]:
    """Forward and backward of `answer`, gradients of the input and of every map included."""
    gradient = torch.randn_like(x)

    def work() -> None:
        attention.zero_grad(set_to_none=True)
        answer(x.detach().requires_grad_()).backward(gradient)

    return work


def mapped(linear: nn.Linear | None, x: Tensor) -> Tensor:
    """x through one of an attention's maps, where it has it."""
    return x if linear is None else linear(x)


def around(attention: Attention, kernel: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The attention's own projections around a bare kernel."""

    def answer(x: Tensor) -> Tensor:
        q, k, v = (
            mapped(linear, x).unflatten(-1, (HEADS, HEAD_WIDTH)).transpose(1, 2)
            for linear in (attention.query_map, attention.key_map, attention.value_map)
        )
        return mapped(attention.output_map, kernel(q, k, v).transpose(1, 2).flatten(2))

    return answer


def bare_fused(causal: bool) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """torch's kernel."""
    return lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=causal)


def bare_explicit(causal: bool, length: int, dtype: torch.dtype) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Matmul, softmax, matmul, with a ready-made additive mask."""
    lowest = torch.finfo(dtype).min
    bias = torch.full((length, length), lowest, dtype=dtype).triu_(1) if causal else None

    def kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = (q * HEAD_WIDTH**-0.5) @ k.transpose(-1, -2)
        return (scores if bias is None else scores + bias).softmax(-1) @ v

    return kernel


def problem(pattern: Pattern, length: int, batch: int = 1) -> Problem:
    """Queries, keys and values as the projections leave them, under a pattern."""
    q, k, v = (torch.randn(batch, length, HEADS, HEAD_WIDTH).transpose(1, 2).requires_grad_() for _ in range(3))
    near = Neighbourhood(pattern, length, length, own=True).simplify()
    return Problem(q, k, v, near, DotScorer(HEAD_WIDTH**-0.5))


def passes(asked: Problem, answer: Callable[[], Tensor]) -> Callable[[], None]:
    """Forward and backward of an answer to a problem."""
    gradient = torch.randn(*asked.queries.shape[:3], asked.values.shape[-1])

    def work() -> None:
        for x in (asked.queries, asked.keys, asked.values):
            x.grad = None
        answer().backward(gradient)

    return work


def by(asked: Problem, kernel: Kernel | None = None) -> Callable[[], None]:
    """Forward and backward by a kernel, or by the planned one."""
    return passes(asked, lambda: attend(asked, kernel))


# --- the sections --------------------------------------------------------------------------------------------------


def crossover() -> None:
    """`Attention` beside the better of fused and explicit at every length."""
    precisions = [torch.float32]
    if multiplies_bfloat16():
        precisions.append(torch.bfloat16)
    else:
        note("bfloat16 is left out: this CPU does not multiply it in hardware")
    for dtype in precisions:
        for causal in (False, True):
            for length in (8, 16, 32, 64, 128, 256, 512, 1_024, 2_048):
                _crossover_at(dtype, causal, length)


def _crossover_at(dtype: torch.dtype, causal: bool, length: int) -> None:
    pattern = Causal() if causal else Full()
    attention = Attention(WIDTH, heads=HEADS, pattern=pattern).to(dtype)
    x = torch.randn(max(1, TOKENS // length), length, WIDTH, dtype=dtype)
    works = {
        "ours": training(attention, attention, x),
        "fused": training(attention, around(attention, bare_fused(causal)), x),
        "explicit": training(attention, around(attention, bare_explicit(causal, length, dtype)), x),
    }
    times = alternate(works, repeats=9 if length < 1_024 else 5, warm=2)
    better = min(("fused", "explicit"), key=lambda name: times[name].median)
    found = ratio(times, "ours", better)
    figures = ", ".join(f"{name} {time}" for name, time in times.items())
    name = f"{str(dtype)[6:]}, {pattern}, length {length}: ours ≤ 1.10 × {better}"
    line(name, f"{found:.2f} ×   {attention.plan(x.requires_grad_()).kernel.name}   {figures}", found <= 1.10)


def overhead() -> None:
    """FUSED through `Attention` against the same projections around torch's bare kernel."""
    for length in (64, 512):
        attention = Attention(WIDTH, heads=HEADS)
        x = torch.randn(32, length, WIDTH)

        def ours(x: Tensor, attention: Attention = attention) -> Tensor:
            states = attend(attention.problem(x), Kernel.FUSED).transpose(1, 2).flatten(2)
            return mapped(attention.output_map, states)

        works = {
            "ours": training(attention, ours, x),
            "bare": training(attention, around(attention, bare_fused(False)), x),
        }
        times = alternate(works, repeats=31 if length == 64 else 15, warm=3)
        found = ratio(times, "ours", "bare")
        figures = ", ".join(f"{name} {time}" for name, time in times.items())
        line(
            f"FUSED at batch 32, length {length}: ≤ 1.03 × bare torch",
            f"{found:.3f} ×   {figures}",
            found <= 1.03,
        )


LENGTHS = (2_048, 4_096, 8_192, 16_384, 32_768)


def blocked() -> None:
    """A window of 128 to the left: growth, torch with a dense mask, and the local-attention package."""
    window = Window(128, 0)
    works = {str(length): by(problem(window, length), Kernel.BLOCKED) for length in LENGTHS}
    for length, found in zip(LENGTHS[1:], growth(works, repeats=7), strict=True):
        line(f"BLOCKED time from {length // 2:,} to {length:,}: ≤ 2.2 ×", f"{found:.2f} ×", found <= 2.2)
    memory = [in_fresh_process(__file__, "--memory", "blocked", str(length)) for length in LENGTHS]
    for length, small, large in zip(LENGTHS[1:], memory, memory[1:], strict=False):
        figure = f"{large / small:.2f} ×   {small / 1e6:.0f} → {large / 1e6:.0f} MB"
        line(f"BLOCKED memory from {length // 2:,} to {length:,}: ≤ 2.2 ×", figure, large <= 2.2 * small)
    _blocked_beside_dense(window)
    _blocked_beside_peer(window)


def _blocked_beside_dense(window: Window) -> None:
    asked = problem(window, 16_384)
    times = alternate({"ours": by(asked), "dense mask": by(asked, Kernel.FUSED)}, repeats=3)
    found = ratio(times, "dense mask", "ours")
    figures = ", ".join(f"{name} {time}" for name, time in times.items())
    line(
        "BLOCKED at 16,384: ≥ 8 × faster than torch with the dense mask",
        f"{found:.1f} ×   {figures}",
        found >= 8,
    )


def _blocked_beside_peer(window: Window) -> None:
    try:
        from local_attention import LocalAttention
    except ImportError:
        note("local-attention is not installed: its line is left out")
        return
    peer = LocalAttention(
        window_size=128,
        causal=True,
        look_backward=1,
        look_forward=0,
        exact_windowsize=True,
        autopad=True,
        use_rotary_pos_emb=False,
    )
    for length in (2_048, 16_384):
        asked = problem(window, length)
        works = {
            "ours": by(asked),
            "local-attention": passes(asked, partial(peer, asked.queries, asked.keys, asked.values)),
        }
        times = alternate(works, repeats=11)
        found = ratio(times, "ours", "local-attention")
        figures = ", ".join(f"{name} {time}" for name, time in times.items())
        line(
            f"BLOCKED at {length:,}: no slower than local-attention",
            f"{found:.2f} ×   {figures}",
            found <= 1.0,
        )


def gathered() -> None:
    """How tiles grow, and that they are never chosen where torch with a mask is faster."""
    sides = ((32, 32), (32, 64), (64, 64), (64, 128), (128, 128))
    works = {f"{h} × {w}": by(problem(Grid(h, w, 1), h * w), Kernel.GATHERED) for h, w in sides}
    for name, found in zip(list(works)[1:], growth(works, repeats=7), strict=True):
        line(f"GATHERED grid of radius 1, doubled to {name}: ≤ 2.2 ×", f"{found:.2f} ×", found <= 2.2)
    lengths = (1_024, 2_048, 4_096, 8_192, 16_384)
    for make in (Strided, lambda stride: Fixed(stride, 1)):
        patterns = {length: make(round(math.sqrt(length))) for length in lengths}
        works = {str(p): by(problem(p, length), Kernel.GATHERED) for length, p in patterns.items()}
        for length, found in zip(lengths[1:], growth(works, repeats=7), strict=True):
            line(
                f"GATHERED {patterns[length]}, {length:,} places: ≤ 3.0 × half",
                f"{found:.2f} ×",
                found <= 3.0,
            )
    _gathered_beside_fused()


def _gathered_beside_fused() -> None:
    worst, where = 0.0, "never chosen"
    for length in (64, 128, 256, 512, 1_024, 2_048):
        root, batch = round(math.sqrt(length)), max(1, TOKENS // length)
        side = 2 ** (length.bit_length() // 2)
        for pattern in (
            Strided(4),
            Strided(root),
            Fixed(root, 1),
            Causal() & Strided(root),
            Causal() & Fixed(root, 1),
            Window(root, 0) | Strided(root),
            Grid(length // side, side, 1),
            Grid(length // side, side, 3),
        ):
            asked = problem(pattern, length, batch)
            if plan(asked).kernel is not Kernel.GATHERED:
                continue
            times = alternate({"ours": by(asked), "fused": by(asked, Kernel.FUSED)}, repeats=5)
            found = ratio(times, "ours", "fused")
            note(f"{pattern}, {length}: GATHERED {found:.2f} × FUSED with the mask")
            if found > worst:
                worst, where = found, f"{pattern}, length {length}"
    line(
        "GATHERED where it is chosen: no slower than FUSED with the mask",
        f"{worst:.2f} × at {where}",
        worst <= 1.0,
    )


def edges() -> None:
    """A million edges, 8 heads × 16, beside torch_geometric."""
    try:
        from torch_geometric.nn import GATv2Conv, TransformerConv
    except ImportError:
        note("torch_geometric is not installed: its lines are left out")
        return
    count, nodes, heads, width = 1_000_000, 100_000, 8, 16
    ends = torch.randint(0, nodes, (2, count))
    graph = Edges.of(ends[0], ends[1], query_count=nodes)
    index = torch.stack([graph.keys, graph.queries])
    x = torch.randn(nodes, heads * width)

    def ours(score: ScaledDot | Additive) -> Callable[[], None]:
        attention = Attention(heads * width, heads=heads, score=score, maps=Maps(output=False))
        facts = Facts(edges=graph)
        return lambda: attention(x.clone().requires_grad_()[None], facts=facts).sum().backward()

    def peer(layer: torch.nn.Module) -> Callable[[], None]:
        return lambda: layer(x.clone().requires_grad_(), index).sum().backward()

    pairs = {
        "Additive beside GATv2Conv": (
            ours(Additive("leaky_relu")),
            peer(GATv2Conv(heads * width, width, heads, add_self_loops=False)),
        ),
        "ScaledDot beside TransformerConv": (
            ours(ScaledDot()),
            peer(TransformerConv(heads * width, width, heads, root_weight=False)),
        ),
    }
    for name, (mine, theirs) in pairs.items():
        times = alternate({"ours": mine, "peer": theirs}, repeats=5)
        found = ratio(times, "ours", "peer")
        figures = ", ".join(f"{name} {time}" for name, time in times.items())
        line(f"EDGES, 1,000,000 edges, {name}: no slower", f"{found:.2f} ×   {figures}", found <= 1.0)


def dense() -> None:
    """The memory of additive attention over all pairs."""
    found = in_fresh_process(__file__, "--memory", "additive", "512")
    line(
        "DENSE additive, 512 × 512, 8 heads × 64: < 300 MB above the start",
        f"{found / 1e6:.0f} MB",
        found < 300e6,
    )


def memory(kind: str, length: int) -> None:
    """Print how many bytes one forward and backward pass holds; meant for a process of its own."""
    if kind == "blocked":
        asked = problem(Window(128, 0), length)
        by(problem(Window(128, 0), 256), Kernel.BLOCKED)()  # what torch sets up once is not counted
        print(memory_above_start(by(asked, Kernel.BLOCKED)))
    else:
        attention = Attention(512, heads=Heads(8), score=Additive())
        training(attention, attention, torch.randn(1, 8, 512))()
        print(memory_above_start(training(attention, attention, torch.randn(1, length, 512))))


SECTIONS = (crossover, overhead, blocked, gathered, edges, dense)


def main() -> int:
    """Run the sections that were asked for, or all."""
    torch.manual_seed(0)
    if sys.argv[1:2] == ["--memory"]:
        memory(sys.argv[2], int(sys.argv[3]))
        return 0
    asked = sys.argv[1:] or [section.__name__ for section in SECTIONS]
    print(f"{Path(__file__).name}: torch {torch.__version__}, {torch.get_num_threads()} threads", flush=True)
    for section in SECTIONS:
        if section.__name__ in asked:
            section()
    print(f"{sum(verdicts)} of {len(verdicts)} bars held")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
