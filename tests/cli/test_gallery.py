"""`mirada gallery`, as a user meets it."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from mirada.attention.pattern import parse
from mirada.cli.app import app
from mirada.cli.gallery import GALLERY, LENGTH
from mirada.viewing.drawing import as_text
from mirada.viewing.examples import Example, worked_examples


def gallery(columns: int) -> str:
    result = CliRunner().invoke(app, ["gallery"], env={"COLUMNS": str(columns)}, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize(("columns", "abreast"), [(40, 1), (80, 2), (120, 3), (400, len(GALLERY))])
def test_drawings_stand_side_by_side_where_there_is_room(columns: int, abreast: int) -> None:
    heads = [line for line in gallery(columns).splitlines() if r"i\j" in line]
    assert heads[0].count(r"i\j") == abreast
    assert "".join(heads).count(r"i\j") == len(GALLERY)


def test_every_drawing_is_whole() -> None:
    text = gallery(40)
    for pattern in GALLERY:
        lines = [pattern, *as_text(parse(pattern), LENGTH).splitlines()]
        drawn = "\n".join(line.rstrip() for line in text.splitlines())
        assert "\n".join(lines) in drawn


def test_every_example_is_shown() -> None:
    text = gallery(400)
    assert worked_examples()
    for example in worked_examples():
        assert {example.title, example.formula, example.result} <= {
            cell.strip() for line in text.splitlines() for cell in line.split("│")
        }


def test_markup_in_an_example_is_only_text(monkeypatch: pytest.MonkeyPatch) -> None:
    example = Example(title="[bold]title", formula="a[0]", result="[/]")
    monkeypatch.setattr("mirada.viewing.examples.worked_examples", lambda: [example])
    text = gallery(80)
    assert all(words in text for words in ("[bold]title", "a[0]", "[/]"))


def test_a_terminal_that_prints_only_ascii() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "mirada", "gallery"]
    done = subprocess.run(command, capture_output=True, check=True, env=environment, timeout=60)
    assert "##" in done.stdout.decode("ascii")
