"""The command answers at once: nothing heavy is imported before a verb runs."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

import mirada

MIRADA = Path(sys.executable).with_name("mirada")
SECONDS = 1.0  # 0.3 on a quiet machine
HELP = """
import contextlib, runpy, sys
sys.argv = ["mirada", "--help"]
with contextlib.suppress(SystemExit):
    runpy.run_module("mirada", run_name="__main__")
"""


def run(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_help_names_every_verb() -> None:
    text = run(MIRADA, "--help")
    assert "draw" in text
    assert "demo" in text


def test_help_is_quick() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        run(MIRADA, "--help")
        return time.perf_counter() - start

    assert min(seconds() for _ in range(3)) < SECONDS


@pytest.mark.parametrize(
    "program",
    [
        "import mirada",
        "import mirada.cli",
        HELP,
    ],
    ids=["package", "command line", "help"],
)
def test_torch_is_not_imported(program: str) -> None:
    last = run(sys.executable, "-c", f"{program}\nimport sys; print('torch' in sys.modules)").splitlines()[-1]
    assert last == "False"


@pytest.mark.parametrize("command", [(MIRADA,), (sys.executable, "-m", "mirada")], ids=["script", "module"])
def test_version(command: tuple[str | Path, ...]) -> None:
    assert run(*command, "--version") == f"mirada {mirada.__version__}\n"
