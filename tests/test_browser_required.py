"""A run that requires the browser fails when a browser test was skipped or left out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUICK = "tests/test_house.py::test_the_targets_are_there"


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    surroundings = {**os.environ, "MIRADA_CHROMIUM": "/nowhere/chromium", **environment}
    return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words",
    [("tests/browser",), ("tests/browser", QUICK, "-m", "not browser")],
    ids=["skipped", "deselected"],
)
def test_it_fails_without_the_browser(words: tuple[str, ...]) -> None:
    done = run(*words, MIRADA_REQUIRE_BROWSER="1")
    assert done.returncode == 1
    assert "not every browser test ran" in done.stdout


def test_it_skips_where_the_browser_is_not_required() -> None:
    done = run("tests/browser", MIRADA_REQUIRE_BROWSER="0")
    assert done.returncode == 0
    assert "skipped" in done.stdout.splitlines()[-1]
