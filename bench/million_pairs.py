"""A million pairs from the files that you name, prepared as `mirada train` does it: seconds of each stage, and memory.

    python bench/million_pairs.py corpus.tsv --from en --to es [--pairs 1000000] [--plain] [--json]

The pairs are repeated and shuffled. From its second time on, one word of each side is replaced by another word of the
same language, so that nearly all stay distinct; with --plain they are repeated as they are, and all but the first are
duplicates. Memory is the sum over this program's processes, looked at five times a second.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mirada.corpora import prepare
from mirada.corpora.pair import Pair
from mirada.corpora.reading import read
from mirada.text import vocabulary
from mirada.training.config import DataConfig
from mirada.training.preparing import Files, prepare_data

STAGES: tuple[tuple[str, Any, str], ...] = (
    ("read and check", prepare, "gather"),
    ("divide", prepare, "divide"),
    ("subwords", prepare, "learn_subwords"),
    ("  of these, learning", vocabulary, "_train"),
    ("store", prepare, "build_store"),
)
LOOKS = 0.2  # seconds between two looks at the memory
SAMPLE = 500  # development pairs


def generate(files: Sequence[Path], languages: tuple[str, str], count: int, plain: bool, path: Path) -> int:
    """Write a table of so many pairs; return how many different ones the files have."""
    found = list({(unit.source, unit.target) for unit in read(files, *languages) if isinstance(unit, Pair)})
    found = [pair for pair in found if not any(sign in text for text in pair for sign in "\t\r\n")]
    found.sort()
    draw = random.Random(1)
    words = [[word for pair in found[::7] for word in pair[side].split()] for side in (0, 1)]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write("\t".join(languages) + "\n")
        for times in range(-(-count // len(found))):
            draw.shuffle(found)
            for pair in found[: count - times * len(found)]:
                sides = pair if plain or times == 0 else map(changed, pair, words, [draw, draw])
                out.write("\t".join(sides) + "\n")
    return len(found)


def changed(text: str, words: Sequence[str], draw: random.Random) -> str:
    """A text with one word replaced."""
    own = text.split()
    own[draw.randrange(len(own))] = draw.choice(words)
    return " ".join(own)


def clocks() -> tuple[float, float]:
    """The seconds that have passed, and those that this process and the ones that it began have computed."""
    spent = os.times()
    return time.perf_counter(), spent.user + spent.system + spent.children_user + spent.children_system


@contextmanager
def timing(stage: str, seconds: dict[str, list[float]]) -> Iterator[None]:
    """Add what is done in this context to a stage."""
    start = clocks()
    yield
    spent = [end - begin for begin, end in zip(start, clocks(), strict=True)]
    seconds[stage] = [before + more for before, more in zip(seconds.get(stage, [0.0, 0.0]), spent, strict=True)]


def timed(work: Callable[..., Any], stage: str, seconds: dict[str, list[float]]) -> Callable[..., Any]:
    """A function that adds what it takes to its stage."""

    def run(*given: Any, **named: Any) -> Any:
        with timing(stage, seconds):
            return work(*given, **named)

    return run


def measure(path: Path, languages: tuple[str, str], folder: Path) -> dict[str, object]:
    """Prepare a table, and tell how long each stage took."""
    seconds: dict[str, list[float]] = {}
    for stage, module, name in STAGES:
        setattr(module, name, timed(getattr(module, name), stage, seconds))

    def say(text: str) -> None:
        print(f"{time.perf_counter() - start:6.1f} s  {text}", file=sys.stderr, flush=True)

    files = Files((path,), source=languages[0], target=languages[1])
    start = time.perf_counter()
    with timing("whole", seconds):
        facts = prepare_data(folder, files, DataConfig(), 1, None, SAMPLE, say).facts
    rounded = {stage: [round(one, 2) for one in spent] for stage, spent in seconds.items()}
    return {"seconds": rounded, "cores": len(os.sched_getaffinity(0)), **facts.model_dump()}


def memory(process: int) -> int:
    """The bytes that a process and those that it began hold now."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:  # it has just ended
        return 0
    held = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")), "0")
    return int(held) * 1024 + sum(memory(int(child)) for child in children.split())


def watched(command: Sequence[str]) -> tuple[str, int]:
    """What a program printed, and the most memory that it held with its children."""
    most = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in looks(process):
            most = max(most, memory(process.pid))
        printed = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise SystemExit(process.returncode)
    return printed, most


def looks(process: subprocess.Popen[str]) -> Iterator[None]:
    """A moment now and then while a process runs."""
    while process.poll() is None:
        yield
        time.sleep(LOOKS)


def report(found: dict[str, Any]) -> None:
    for stage, (passed, computed) in found["seconds"].items():
        print(f"{stage:24s} {passed:8.1f} s   {computed:8.1f} s of computing")
    print(f"memory, all processes    {found['memory'] / 1e6:8.0f} MB")
    print(
        f"{found['read']:,} pairs read, {found['train']:,} to train on, {found['vocabulary']:,} subwords, "
        f"{found['variants']} segmentations of each, {found['cores']} cores"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", type=Path, nargs="+")
    options.add_argument("--from", dest="source", required=True)
    options.add_argument("--to", dest="target", required=True)
    options.add_argument("--pairs", type=int, default=1_000_000)
    options.add_argument("--plain", action="store_true", help="repeat the pairs as they are")
    options.add_argument("--json", action="store_true", help="print one JSON object")
    options.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    languages = chosen.source, chosen.target
    if chosen.prepare:
        print(json.dumps(measure(chosen.files[0], languages, chosen.prepare)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.tsv"
        distinct = generate(chosen.files, languages, chosen.pairs, chosen.plain, path)
        # A process of its own: what generating took is not counted.
        own = [sys.executable, __file__, str(path), "--from", languages[0], "--to", languages[1]]
        printed, most = watched([*own, "--prepare", str(Path(folder) / "run")])
    found = {**json.loads(printed), "memory": most, "distinct": distinct, "plain": chosen.plain}
    if chosen.json:
        print(json.dumps(found))
    else:
        report(found)


if __name__ == "__main__":
    main()
