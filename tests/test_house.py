"""What the house promises outside the code: its version, its commands, its pictures, its pins."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mirada
from mirada.cli.app import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
DRAWINGS = re.findall(r"^    mirada draw (.*)$", README, re.MULTILINE)


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert mirada.__version__ == project["version"]
    assert not [path for path in SOURCES if project["version"] in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_make_command_of_a_page_exists(page: str) -> None:
    named = set(re.findall(r"(?:^ +|`)make ([a-z]+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE))
    assert named
    assert named <= TARGETS


def test_the_targets_are_there() -> None:
    assert {"help", "demo", "test", "check", "bench", "tour", "browser", "clean"} <= TARGETS
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_readme_shows_pictures_that_exist() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)


@pytest.mark.parametrize("words", DRAWINGS)
def test_the_readme_draws_what_it_shows(words: str, tmp_path: Path) -> None:
    arguments = shlex.split(words)
    shown = None
    if "--output" in arguments:
        place = arguments.index("--output") + 1
        shown, arguments[place] = ROOT / arguments[place], str(tmp_path / "picture.svg")
    result = CliRunner().invoke(app, ["draw", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    if shown is not None:
        assert (tmp_path / "picture.svg").read_bytes() == shown.read_bytes()


def test_the_readme_draws_something() -> None:
    assert any("--output" in words for words in DRAWINGS)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_pickled(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not re.findall(r"\b(?:pickle|dill|joblib|marshal|shelve)\b|\btorch\.(?:load|save)\b", source)


def test_every_pin_is_exact() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert "torch==2.13.0" in pins
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin) for pin in pins)
