"""The tour is what its script makes today: every snippet runs, and every picture is drawn anew."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
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
    assert re.findall(r"<!-- (?!Made by).*", TOUR) == []
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
    kept = make_tour.tour_translators.known()  # raises where the recipe has changed since
    none, bahdanau, transformer = (row["chrf"]["score"] for row in kept["models"])
    assert none < bahdanau
    assert none < transformer
    for row in kept["models"]:
        assert f"BLEU {row['bleu']['score']:.1f}, chrF {row['chrf']['score']:.1f}" in TOUR


def test_the_families_are_those_of_the_recipes_and_show_what_the_text_says(make_tour: ModuleType) -> None:
    kept = make_tour.tour_families.known()  # raises where a recipe has changed since
    families = {one.name: one for one in make_tour.FAMILIES}
    assert set(kept) == set(families)
    for one in families.values():
        assert make_tour.reached(one, kept) in TOUR
        assert make_tour.shown(one.command) in TOUR
    test = {name: found["trained"].get("test", {}) for name, found in kept.items()}
    assert test["gpt"]["perplexity"] < test["lstm"]["perplexity"] < test["ngram"]["perplexity"]
    assert test["groups"]["accuracy"] > test["alone"]["accuracy"] + 20
    assert test["it"]["accuracy"] > 0.99
    assert test["demand"]["mse"] < test["demand"]["seasonal_naive"]["mse"] / 2
    looks = (DOCS / "pictures" / "look-it.svg").read_text(encoding="utf-8")
    assert "animal at wide." in looks
    assert "street at animal" in looks
    reached = [one["reached"] for one in test["player"]["returns"]]
    assert reached[1] < reached[3] < reached[5]


def test_a_family_is_trained_again_when_its_command_its_questions_or_its_data_change(make_tour: ModuleType) -> None:
    families = make_tour.tour_families
    one = families.Family("a", families.graph, "nodes a.npz", "", (families.Ask("mirada predict a"),))
    others = [
        replace(one, options="nodes b.npz"),
        replace(one, asks=(families.Ask("mirada predict a", given="text"),)),
        replace(one, data=families.series),
        replace(one, data=None),
    ]
    assert len({one.recipe, *(other.recipe for other in others)}) == 1 + len(others)
    assert replace(one, score="{test}").recipe == one.recipe  # only told in other words


def test_the_commands_of_the_tour_are_commands(make_tour: ModuleType) -> None:
    commands = re.findall(r'^    (?:echo ".*" \| )?mirada (\S+) (.*)$', re.sub(r" \\\n +", " ", TOUR), re.MULTILINE)
    asked = sum(len(one.commands) + len(one.asks) for one in make_tour.FAMILIES)
    assert len(commands) == 6 + asked  # three translators, two looks, one comparison
    for verb, words in commands:
        known = get_command(app).commands[verb].params
        options = {name for one in known for name in one.opts}
        assert {word for word in shlex.split(words) if word.startswith("--")} <= options
