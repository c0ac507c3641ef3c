"""Memory that a step frees is there for the next one, without the system's help."""

from __future__ import annotations

import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mirada.training import memory

STEPS = """
import resource
import sys
import torch
from mirada.training.memory import keep_memory

torch.set_num_threads(1)
if sys.argv[1] == "kept":
    assert keep_memory()


def step():
    held = [torch.ones(2_000_000) for _ in range(20)]
    return sum(float(one[0]) for one in held)


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


for _ in range(10):
    step()
before = faults()
for _ in range(5):
    step()
print(faults() - before)
"""


def faults(how: str) -> int:
    ran = subprocess.run([sys.executable, "-c", STEPS, how], capture_output=True, text=True, check=True)
    return int(ran.stdout)


HOLES = """
import torch
from mirada.training.memory import GIVE_BACK_EVERY, give_back, keep_memory

assert keep_memory()


def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6


large, small = [], []
for _ in range(100):  # what lives longer stands between what is freed
    large.append(torch.ones(500_000))
    small.append(torch.ones(100))
held = megabytes()
large.clear()
give_back(1)
kept = megabytes()
give_back(GIVE_BACK_EVERY)
print(round(held - kept), round(held - megabytes()))
"""
GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator, which is left as it is")


@GLIBC
def test_holes_are_given_back_now_and_then() -> None:
    ran = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True, check=True)
    at_first, then = map(int, ran.stdout.split())
    assert at_first < 20
    assert then > 150, "of 200 MB"


@GLIBC
def test_steps_take_the_pages_of_the_steps_before() -> None:
    """Five steps of 160 MB are 195,000 pages of 4 kB; those that are kept come without a fault."""
    assert faults("kept") < 2_000


def test_nothing_is_asked_of_an_allocator_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """To keep all and have a mapping for each tensor would be worse than to ask for nothing."""
    asked = []

    def mallopt(what: int, value: int) -> int:
        asked.append((what, value))
        return 0

    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: SimpleNamespace(mallopt=mallopt))
    monkeypatch.setattr(memory.sys, "platform", "linux")
    assert not memory.keep_memory.__wrapped__()
    assert {what for what, _ in asked} == {memory.MMAP_THRESHOLD}


FIRST = """
import sys
from importlib import import_module

verb = import_module(f"mirada.cli.{sys.argv[1]}")
from mirada.cli.app import app


class Asked(Exception):
    pass


def ask():
    raise Asked({"numpy", "torch"} & sys.modules.keys())


verb.keep_memory = ask
try:
    app(sys.argv[1:], standalone_mode=False)
except Asked as asked:
    print(asked)
"""


@pytest.mark.parametrize("words", ["train a.tsv --output b", "distill a b --output c", "demo"])
def test_memory_is_asked_for_before_libraries_begin_threads(words: str) -> None:
    """The heap of a thread that began before would be given to one of the crew."""
    ran = subprocess.run([sys.executable, "-c", FIRST, *words.split()], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
