"""Captioners on the command line: train, resume, predict, evaluate, info, and every wrong turn."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from PIL import Image
from typer.testing import CliRunner

from mirada.cli.app import app
from tests.translators import random_folder

COLOURS = {"red": ("rojo", (255, 0, 0)), "green": ("verde", (0, 255, 0)), "blue": ("azul", (0, 0, 255))}
SIDES = {"left": "izquierda", "right": "derecha"}
SMALL = [
    "--set=model.patch=4",
    "--set=model.width=32",
    "--set=model.feed_forward=64",
    "--set=model.encoder.layers=1",
    "--set=model.decoder.layers=1",
    "--set=data.shift=0",
    "--set=data.test_share=0.2",
    "--set=training.batch_tokens=400",
    "--set=training.validations=2",
    "--set=training.dropout=0",
    "--set=training.rate=0.005",
    "--set=training.threads=1",
]


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


def draw(path: Path, colour: str, side: str, generator: np.random.Generator) -> None:
    """A square on a ground of noise, on one side."""
    pixels = generator.integers(200, 256, (16, 16, 3), dtype=np.uint8)
    first = 1 if side == "left" else 9
    pixels[5:11, first : first + 6] = COLOURS[colour][1]
    Image.fromarray(pixels).save(path)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("squares")
    generator = np.random.default_rng(1)
    rows = ["picture\ten\tes"]
    for number in range(72):
        colour, side = list(COLOURS)[number % 3], list(SIDES)[number // 3 % 2]
        draw(folder / f"{number}.png", colour, side, generator)
        spanish = f"un cuadrado {COLOURS[colour][0]} a la {SIDES[side]}"
        rows.append(f"{number}.png\ta {colour} square on the {side}\t{spanish}")
    (folder / "broken.png").write_text("no picture")
    path = folder / "squares.tsv"
    path.write_text("\n".join([*rows, "broken.png\tnothing\tnada", "0.png\t\t"]) + "\n")
    return path


@pytest.fixture(scope="module")
def model(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "squares"
    result = mirada("train", "--task", "caption", table, "--output", folder, "--steps", 140, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["step"]) == (True, 140)
    assert set(told["test"]) == {"en", "es"}
    assert "1 pictures are left out: it is damaged or no picture" in result.stderr
    assert "1 pictures are left out: there is no caption" in result.stderr
    return folder


def test_a_captioner_learns_to_say_what_it_sees(model: Path, table: Path) -> None:
    """The ground is noise, so that nearness of pixels tells the square as well, and both must be right."""
    told = json.loads(mirada("evaluate", model, "--input", table, "--json").stdout)
    assert (told["pictures"], told["faults"]) == (73 - 1, 1)
    for language in ("en", "es"):
        assert told["languages"][language]["chrf"] > 90
        assert told["languages"][language]["nearest_chrf"] > 90
    shown = mirada("evaluate", model, "--input", table)
    assert "nearest training picture" in shown.stdout


def test_pictures_are_described_in_the_language_that_is_asked_for(model: Path, table: Path) -> None:
    picture = table.parent / "0.png"
    assert mirada("predict", model, picture).stdout == "a red square on the left\n"
    assert mirada("predict", model, picture, "--language", "es").stdout == "un cuadrado rojo a la izquierda\n"
    assert mirada("predict", model, picture, "--language", "spa", "--beam", 1).exit_code == 0
    result = mirada("predict", model, picture, table.parent / "broken.png", "--json")
    one, other = json.loads(result.stdout)["predictions"]
    assert one["text"] == "a red square on the left"
    assert "damaged" in other["error"]
    assert "broken.png" in result.stderr
    wrong = mirada("predict", model, picture, "--language", "ru")
    assert "language = 'ru'; this model writes en, es" in wrong.stderr


def test_info_and_card_tell_what_it_is(model: Path) -> None:
    lines = mirada("info", model).stdout
    assert "captioner: 1 + 1 layers, width 32, feed-forward 64" in lines
    assert "chrF es" in lines
    told = json.loads(mirada("info", model, "--json").stdout)
    assert (told["task"], told["data"]["languages"]) == ("caption", ["en", "es"])
    assert told["data"]["shape"] == {"frames": 1, "height": 16, "width": 16, "channels": 3}
    card = (model / "card.md").read_text()
    assert "nearest training picture" in card
    assert (model / "curves.png").exists()


def test_the_models_of_tasks_are_not_mixed_up(model: Path, table: Path, tmp_path: Path) -> None:
    translator = random_folder(tmp_path / "translator")
    assert "holds a model for translation" in mirada("predict", translator, table.parent / "0.png").stderr
    assert "no picture was named" in mirada("predict", model).stderr
    assert mirada("translate", model).exit_code != 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--from", "en"), "--from, --to and --columns are for translators"),
        (("--preset", "gpt2"), "--preset gpt2 is not known; use tiny, small, base"),
        (("--model", "recurrent"), "--model recurrent does not serve --task caption"),
        (("--set", "data.size=10", "--set", "model.patch=4"), "model.patch = 4 does not divide pictures of 10 × 10"),
    ],
)
def test_wrong_words_are_told(table: Path, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = mirada("train", "--task", "caption", table, "--output", tmp_path / "model", *words)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "model").exists()


def test_a_table_without_captions_is_told(table: Path, tmp_path: Path) -> None:
    other = table.with_name("labels.tsv")
    other.write_text("picture\tlabel\n0.png\tred\n")
    result = mirada("train", "--task", "caption", other, "--output", tmp_path / "model")
    assert "gives no picture that can be trained on; the first: there is no caption" in result.stderr


def test_where_the_words_look(model: Path, table: Path, tmp_path: Path) -> None:
    picture, page, drawn = table.parent / "0.png", tmp_path / "page.html", tmp_path / "look.svg"
    spanish = ["view", model, picture, "--language", "es"]
    assert mirada(*spanish, "--output", page, "--quiet").exit_code == 0
    assert "un cuadrado rojo a la izquierda" in page.read_text(encoding="utf-8")
    assert mirada(*spanish, "--output", drawn, "--quiet").exit_code == 0
    assert drawn.read_text(encoding="utf-8").count("<image ") == 7, "six words and the end"
    lines = mirada("view", model, picture).stdout.splitlines()
    assert lines[:3] == [
        "0.png",
        "a red square on the left",
        "cross, layer 1, mean of the heads: written ↓ looks at source →",
    ]
    assert lines[3].split() == ["a", "red", "square", "on", "the", "left", "<end>"]
    told = json.loads(mirada("view", model, picture, "--reference", "a blue square", "--json").stdout)
    assert (told["reference"], told["translation"]) == ("a blue square", "a red square on the left")
    broken = mirada("view", model, table.parent / "broken.png")
    assert (broken.exit_code, "damaged or no picture" in broken.stderr) == (1, True)
