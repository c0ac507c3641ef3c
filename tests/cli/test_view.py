"""`mirada view`, as a user meets it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mirada.cli.app import app
from mirada.viewing.contract import View

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"
SENTENCE = "The animal was too tired."


def view(*words: str | Path | int, model: Path = MODEL, sentence: str = SENTENCE) -> Result:
    return CliRunner().invoke(app, ["view", str(model), sentence, *map(str, words)], catch_exceptions=False)


def test_a_page_in_a_file(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = view("--output", page, "--layer", 1, "--head", 2, "--look", "encoder")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith(f"{page} written (")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert '"start":{"group":"encoder","layer":0,"head":1}' in text
    assert "schema-1" in text


def test_a_picture_in_a_file(tmp_path: Path) -> None:
    picture = tmp_path / "look.svg"
    result = view("--output", picture, "--head", 2)
    assert (result.exit_code, result.stdout) == (0, "")
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<svg ")
    assert "cross, layer 1, head 2: written ↓ looks at source →" in text


def test_a_heat_map_in_the_terminal() -> None:
    result = view("--head", 1)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0] == SENTENCE
    assert lines[2] == "cross, layer 1, head 1: written ↓ looks at source →"
    assert any("█" in line or "▓" in line for line in lines[3:])
    assert "\x1b" not in result.stdout
    assert view("--head", 1, "--text").stdout == result.stdout


def test_layer_by_layer_in_the_terminal() -> None:
    lines = view("--lens").stdout.splitlines()
    assert lines[0] == SENTENCE
    assert lines[2].split() == ["layer", "1"]
    assert lines[-1].startswith("→ </s>")


def test_json(tmp_path: Path) -> None:
    result = view("--json", "--reference", "La casa.", "--quiet", "--output", tmp_path / "page.html")
    seen = View.model_validate_json(result.stdout)
    assert (seen.reference, seen.model, result.stderr) == ("La casa.", "schema-1", "")
    assert json.loads(result.stdout)["schema_number"] == 1
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--layer", 5), "--layer 5, but the layers of cross are 1 to 1"),
        (("--head", 9), "--head 9, but the heads of cross are 1 to 2"),
        (("--json", "--text"), "--json and --text were both given"),
        (("--json", "--lens"), "--json and --lens were both given"),
        (("--output", "page.pdf"), "cannot write page.pdf: a view is a page for a browser or a picture; use page.html"),
        (("--output", "absent/page.html"), "cannot write absent/page.html: name a file in a directory that exists"),
    ],
)
def test_wrong_use(words: tuple[str | int, ...], told: str) -> None:
    result = view(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"mirada: {told}")


def test_what_cannot_be_looked_at(tmp_path: Path) -> None:
    assert "no sentence to look at" in view(sentence="  ").stderr
    absent = view(model=tmp_path / "absent")
    assert absent.exit_code == 1
    assert "is no folder of a model" in absent.stderr
