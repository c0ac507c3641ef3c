"""Long contexts: a character model with a sparse pattern beside full attention, and what a window costs.

    python bench/long.py --text FILE [--context 8192] [--steps 20] [--threads 1] [SECTION …]     train double generate

`train`: width 128, window + strided (√n) and full attention take the same steps on the same windows of a text, each
side in a process of its own: loss of held-out text, tokens a second, memory. `double`: a step with a window alone at
n and 2n places.
`generate`: time of a token and keys that are kept, near the end of the context, with a window and with full attention.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from measure import multiplies_bfloat16, peak_memory
from torch.profiler import ProfilerActivity, profile

from mirada.attention import Causal, Pattern, Rotary, Strided, Window, parse
from mirada.data.position import Position
from mirada.data.windows import Windows
from mirada.models.build import build
from mirada.models.config import LanguageModelConfig, StackConfig
from mirada.models.language import CausalTransformer
from mirada.tasks.language import LanguageTask
from mirada.text.characters import Characters

WIDTH, LAYERS, HEADS = 128, 4, 4
WINDOW = 128
SECTIONS = ("train", "double", "generate")


def model_of(pattern: Pattern, context: int, vocabulary: int) -> CausalTransformer:
    """A character model whose blocks look so."""
    stack = StackConfig(layers=LAYERS, heads=HEADS, position=Rotary(), pattern=pattern)
    config = LanguageModelConfig(context=context, width=WIDTH, feed_forward=4 * WIDTH, stack=stack)
    model = build(config, vocabulary, seed=1)
    if not isinstance(model, CausalTransformer):
        raise TypeError(f"{type(model).__name__} is no causal transformer")
    return model


def measured(text: Path, pattern: Pattern, context: int, steps: int, dtype: torch.dtype) -> tuple[float, ...]:
    """The loss of held-out text after so many steps, tokens a second, and megabytes of the process and of its tensors.

    Both are peaks above the beginning. That of the process has what the allocator could not use again, and differs by a
    twentieth from run to run; that of the tensors does not.
    """
    lines = text.read_text(encoding="utf-8").splitlines()
    units = Characters(sorted(set("".join(lines))))
    stream = np.asarray(units.encode(lines))
    cut = len(stream) - max(context + 1, len(stream) // 20)
    model = model_of(pattern, context, units.size)
    model.to(dtype)  # the compute weights; the masters below stay in float32
    masters = [parameter.detach().float().clone().requires_grad_() for parameter in model.parameters()]
    optimizer = torch.optim.Adam(masters, lr=2e-3, betas=(0.9, 0.98))
    task = LanguageTask(model, stream[cut:], units.line_end, 4 * context)
    batches = Windows(stream[:cut], context, context, seed=1).from_position(Position(0))
    before, spent = peak_memory(), []
    for _ in range(steps):
        batch, _ = next(batches)
        began = time.perf_counter()
        gradients = torch.autograd.grad(task.loss(batch, None, 0.0), list(model.parameters()))
        for master, gradient in zip(masters, gradients, strict=True):
            master.grad = gradient.float()
        torch.nn.utils.clip_grad_norm_(masters, 1.0)
        optimizer.step()
        with torch.no_grad():
            for parameter, master in zip(model.parameters(), masters, strict=True):
                parameter.copy_(master)
        spent.append(time.perf_counter() - began)
    held = (peak_memory() - before) / 1e6
    loss = task.validate(steps).loss
    batch, _ = next(batches)
    tensors = peak_of_tensors(lambda: torch.autograd.grad(task.loss(batch, None, 0.0), list(model.parameters())))
    return loss, context / float(np.median(spent)), held, tensors


def peak_of_tensors(work: Callable[[], object]) -> float:
    """Megabytes of tensors that are there at once at the most, while some work is done."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
        work()
    if found.profiler is None or found.profiler.kineto_results is None:
        raise RuntimeError("this torch was built without its profiler")
    events = [one for one in found.profiler.kineto_results.events() if one.name() == "[memory]"]
    changes = [one.nbytes() for one in sorted(events, key=lambda one: one.start_ns())]
    return float(np.cumsum(changes).max()) / 1e6


def in_own_process(arguments: argparse.Namespace, pattern: Pattern, context: int, steps: int) -> list[float]:
    """`measured`, in a fresh process, because a peak of memory is that of a process."""
    words = ["--text", arguments.text, "--context", context, "--steps", steps, "--threads", arguments.threads]
    asked = [sys.executable, __file__, *map(str, words), "--precision", arguments.precision, "--only", str(pattern)]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


def train(arguments: argparse.Namespace) -> bool:
    """Window and stride beside full attention, at the same steps."""
    sparse: Pattern = Window(WINDOW, 0) | Strided(math.isqrt(arguments.context))
    found = {}
    for pattern in (sparse, parse("full")):
        found[str(pattern)] = in_own_process(arguments, pattern, arguments.context, arguments.steps)
        loss, speed, held, tensors = found[str(pattern)]
        figures = f"loss {loss:.4f}, {speed:,.0f} tokens/s, {held:.0f} MB, {tensors:.0f} MB of tensors"
        print(f"      {pattern}: {figures}", flush=True)
    less = found[str(sparse)][3] / found["full"][3]
    good = told(f"tensors of {sparse} at {arguments.context:,}: no more than full", f"{less:.2f} ×", less <= 1)
    ratio = found[str(sparse)][1] / found["full"][1]
    name = f"tokens/s of {sparse} at {arguments.context:,}: ≥ 3 × full attention"
    return told(name, f"{ratio:.2f} ×", ratio >= 3) and good


def double(arguments: argparse.Namespace) -> bool:
    """The time of a step and its memory, when the context doubles, with a window alone."""
    once, twice = (in_own_process(arguments, Window(512, 0), arguments.context * by, 5) for by in (1, 2))
    time_ratio = 2 * once[1] / twice[1]
    name = f"window(512, 0) from {arguments.context:,} to {2 * arguments.context:,}: ≤ 2.2 ×"
    good = told(f"time of a step, {name}", f"{time_ratio:.2f} ×", time_ratio <= 2.2)
    figure = f"{twice[2] / once[2]:.2f} ×   {once[2]:.0f} → {twice[2]:.0f} MB"
    return told(f"memory of a step, {name}", figure, twice[2] <= 2.2 * once[2]) and good


def generate(arguments: argparse.Namespace) -> bool:
    """The time of a token at the beginning and near the end of the context, and how many keys are kept."""
    context, good = arguments.context, True
    for pattern in (Window(512, 0), Window(WINDOW, 0) | Strided(math.isqrt(context)), Causal()):
        model = model_of(pattern, context, 70).eval()
        early, _ = per_token(model, 600)
        late, kept = per_token(model, context - 65)
        print(
            f"      {pattern}: {early:.2f} ms a token at 600, {late:.2f} at the end, {kept:,} keys a head", flush=True
        )
        if isinstance(pattern, Window):
            good = told("time of a token with window(512, 0), at the end of the context: ≤ 1.2 × early",
                        f"{late / early:.2f} ×, {kept} keys a head", late <= 1.2 * early and kept <= 513)  # fmt: skip
    return good


def per_token(model: CausalTransformer, prompt: int, count: int = 64) -> tuple[float, int]:
    """The median milliseconds of a token after a prompt, and the keys that are kept at the end."""
    spent = []
    with torch.inference_mode():
        state = model.start(torch.randint(4, 70, (1, prompt)))
        token = torch.tensor([5])
        for _ in range(count):
            began = time.perf_counter()
            scores, state = model.step(token, state)
            token = scores.argmax(-1)
            spent.append(time.perf_counter() - began)
    return 1e3 * float(np.median(spent)), state.kept


def told(name: str, figure: str, passed: bool) -> bool:
    """One line of the table."""
    print(f"{'pass' if passed else 'MISS'}  {name:78s} {figure}", flush=True)
    return passed


def main() -> None:
    """Measure what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("sections", nargs="*", choices=[[], *SECTIONS], help="all where none is named")
    asked.add_argument("--text", type=Path, required=True)
    asked.add_argument("--context", type=int, default=8_192)
    asked.add_argument("--steps", type=int, default=20)
    asked.add_argument("--threads", type=int, default=torch.get_num_threads())
    asked.add_argument("--precision", choices=["float32", "bfloat16"])
    asked.add_argument("--only", help=argparse.SUPPRESS)
    arguments = asked.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.precision = arguments.precision or ("bfloat16" if multiplies_bfloat16() else "float32")
    if arguments.only is not None:
        dtype = getattr(torch, arguments.precision)
        print(*measured(arguments.text, parse(arguments.only), arguments.context, arguments.steps, dtype))
        return
    machine = f"torch {torch.__version__}, {arguments.threads} threads, {arguments.precision}"
    print(f"long.py: {machine}, context {arguments.context:,}, {LAYERS} layers of width {WIDTH}")
    works = {"train": train, "double": double, "generate": generate}
    verdicts = [works[name](arguments) for name in arguments.sections or SECTIONS]
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
