"""The tour is what its script makes today: every snippet runs, and every picture is drawn anew."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from typer.main import get_command

from mirada import attention
from mirada.attention.pattern import WORDS
from mirada.cli.app import app
from mirada.viewing.examples import worked_examples

DOCS = Path(__file__).parents[1] / "docs"
TOUR = (DOCS / "tour.md").read_text(encoding="utf-8")
SHOWN = sorted(set(re.findall(r'src="(pictures/[^"]+)"', TOUR)))


@pytest.fixture(scope="module")
def make_tour() -> Iterator[ModuleType]:
    sys.path.insert(0, str(DOCS))  # where a script finds the modules beside it
    spec = importlib.util.spec_from_file_location("make_tour", DOCS / "make_tour.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def made(make_tour: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("docs")
    make_tour.make(directory)
    return directory


def test_the_text_is_made_by_the_script(made: Path) -> None:
    assert (made / "tour.md").read_text(encoding="utf-8") == TOUR


def test_the_pictures_are_made_by_the_script(made: Path) -> None:
    drawn = sorted(str(path.relative_to(made)) for path in (made / "pictures").iterdir())
    assert drawn == SHOWN
    for picture in drawn:
        assert (made / picture).read_bytes() == (DOCS / picture).read_bytes(), f"{picture}: run make tour"


def test_nothing_is_left_to_be_made() -> None:
    assert "<!-- picture" not in TOUR
    assert "<!-- examples" not in TOUR
    assert "False" not in TOUR  # a snippet that says so would contradict its own sentence


@pytest.mark.parametrize("word", WORDS)
def test_every_pattern_is_shown(word: str) -> None:
    assert any(Path(picture).name.startswith(word) for picture in SHOWN)
    assert f"### `{word}" in TOUR


@pytest.mark.parametrize("kind", [attention.Score, attention.Kernel], ids=lambda kind: kind.__name__)
def test_every_score_and_kernel_is_named(kind: type) -> None:
    names = [one.name for one in kind] if kind is attention.Kernel else [one.__name__ for one in kind.__subclasses__()]
    assert names
    assert [name for name in names if name not in TOUR] == []


@pytest.mark.parametrize("name", ["Sinusoidal", "Learned", "Shaw", "Rotary", "Heads", "Memory", "Maps", "record"])
def test_every_other_word_is_named(name: str) -> None:
    assert name in TOUR


def test_every_worked_example_is_a_line() -> None:
    for example in worked_examples():
        assert f"| {example.title} | {example.formula} | {example.result} |" in TOUR


def test_a_file_is_named_after_its_pattern(make_tour: ModuleType) -> None:
    assert make_tour.file_name("window(8, 0) & strided(4) | full") == "window-8-0-and-strided-4-or-full"


def test_the_translators_are_those_of_the_recipe_and_show_what_the_text_says(make_tour: ModuleType) -> None:
    kept = make_tour.known()  # raises where the recipe has changed since
    none, bahdanau, transformer = (row["chrf"]["score"] for row in kept["models"])
    assert none < bahdanau
    assert none < transformer
    for row in kept["models"]:
        assert f"BLEU {row['bleu']['score']:.1f}, chrF {row['chrf']['score']:.1f}" in TOUR


def test_the_commands_of_the_tour_are_commands(make_tour: ModuleType) -> None:
    commands = re.findall(r"^    mirada (\S+) (.*)$", re.sub(r" \\\n +", " ", TOUR), re.MULTILINE)
    assert [verb for verb, _ in commands] == ["train", "train", "view", "train", "view", "compare"]
    for verb, words in commands:
        known = get_command(app).commands[verb].params
        options = {name for one in known for name in one.opts}
        assert {word for word in shlex.split(words) if word.startswith("--")} <= options
