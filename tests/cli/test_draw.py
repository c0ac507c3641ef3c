"""`mirada draw`, as a user meets it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mirada.attention.pattern import parse
from mirada.cli.app import app
from mirada.viewing.drawing import allowed_pairs, as_svg, as_text


def draw(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["draw", *map(str, words)], catch_exceptions=False)


def sentence(result: Result) -> str:
    """The one line that a failed command says."""
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_text_on_the_terminal() -> None:
    result = draw("window(8,0) & strided(4)", "--length", 32)
    assert result.exit_code == 0
    assert result.stdout == as_text(parse("window(8, 0) & strided(4)"), 32) + "\n"
    assert result.stderr == ""


def test_a_picture_in_a_file(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    result = draw("causal", "--length", 7, "--output", picture)
    assert (result.exit_code, result.stdout) == (0, "")
    assert picture.read_text(encoding="utf-8") == as_svg(parse("causal"), 7)


def test_json_lists_the_keys_of_each_query(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    for extra in ((), ("--output", picture)):
        result = draw("causal & strided(2)", "--length", 4, "--json", *extra)
        assert json.loads(result.stdout) == {
            "pattern": "causal & strided(2)",
            "length": 4,
            "keys": [[0], [1], [0, 2], [1, 3]],
        }
    assert picture.exists()


def test_json_agrees_with_the_drawing() -> None:
    keys = json.loads(draw("fixed(5, 2)", "--length", 23, "--json").stdout)["keys"]
    allowed = allowed_pairs(parse("fixed(5, 2)"), 23)
    assert keys == [[j for j in range(23) if allowed[i, j]] for i in range(23)]


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("windo(8, 0)", ["windo", "window(left, right)"]),
        ("window(8, 0", ["character", "known:"]),
        ("window(8)", ["left, right"]),
        ("window(-1, 0)", ["window(-1, 0)", "0 or more"]),
        ("window(9" + "9" * 20 + ", 0)", ["9"]),
        ("strided(0)", ["strided(0)"]),
        ("causal &", ["causal &"]),
        ("causal + full", ["causal + full"]),
        ("", ["known:"]),
        ("__import__('os')", ["__import__"]),
    ],
)
def test_a_pattern_that_does_not_parse(pattern: str, parts: list[str]) -> None:
    said = sentence(draw(pattern, "--length", 8))
    assert said.startswith("mirada: ")
    assert all(part in said for part in parts)


@pytest.mark.parametrize("length", [-3, 0, 513])
def test_a_length_out_of_range(length: int) -> None:
    assert sentence(draw("full", f"--length={length}")) == (f"mirada: length = {length} cannot be drawn; use 1 to 512")


def test_a_length_that_is_no_number() -> None:
    result = draw("full", "--length", "long")
    assert result.exit_code == 2
    assert "--length" in result.stderr


@pytest.mark.parametrize("name", ["picture.png", "picture"])
def test_a_picture_of_another_kind(tmp_path: Path, name: str) -> None:
    output = tmp_path / name
    assert sentence(draw("full", "--output", output)) == (
        f"mirada: cannot write {output}: only .svg pictures are drawn; use {tmp_path / 'picture.svg'}"
    )
    assert not output.exists()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    absent = tmp_path / "absent" / "picture.svg"
    assert sentence(draw("full", "--output", absent)) == (f"mirada: cannot write {absent}: No such file or directory")
    folder = tmp_path / "folder.svg"
    folder.mkdir()
    assert sentence(draw("full", "--output", folder)) == f"mirada: cannot write {folder}: Is a directory"


def test_a_terminal_without_blocks_gets_ascii() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "mirada", "draw", "causal", "--length", "3"]
    done = subprocess.run(command, capture_output=True, check=True, env=environment, timeout=60)
    assert done.stdout.decode("ascii").splitlines() == [r"i\j 0 1 2", "  0 ##. .", "  1 ####.", "  2 ######"]
