"""Classifiers of pictures on the command line: train, resume, predict, evaluate, info, and every wrong turn."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from PIL import Image
from typer.testing import CliRunner

from mirada.cli.app import app

SMALL = [
    "--set=model.width=16",
    "--set=model.feed_forward=32",
    "--set=model.stack.layers=1",
    "--set=data.test_share=0.2",
    "--set=data.dev_share=0.1",
    "--set=training.batch_tokens=400",
    "--set=training.validations=2",
    "--set=training.threads=1",
]


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


def bars(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Bars that lie or stand somewhere, on a ground of noise, in numbers from 0 to 16."""
    generator = np.random.default_rng(1)
    pictures = generator.uniform(0, 6, (count, 8, 8))
    labels = np.arange(count) % 2
    for picture, label, place in zip(pictures, labels, generator.integers(1, 7, count), strict=True):
        (picture if label else picture.T)[place] = 16.0
    return pictures, np.array(["lies", "stands"])[1 - labels]


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bars") / "bars.npz"
    pictures, labels = bars(240)
    np.savez(path, images=pictures, labels=labels)
    return path


@pytest.fixture(scope="module")
def model(arrays: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "bars"
    result = mirada("train", "--task", "classify", arrays, "-o", folder, "--steps", 120, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["step"], told["labels"]) == (True, 120, 2)
    assert told["test"]["accuracy"] > 0.9, "lying and standing bars are told apart by chance in a half"
    return folder


def test_numbers_of_other_ranges_are_read_as_in_training(model: Path, arrays: Path, tmp_path: Path) -> None:
    """A file whose largest number is smaller has the same scale: the range is kept in the folder."""
    pictures, labels = bars(240)
    np.savez(tmp_path / "few.npz", images=pictures[:5], labels=labels[:5])
    told = json.loads(mirada("predict", model, tmp_path / "few.npz", "--json").stdout)
    some = [one["probability"] for one in told["predictions"]]
    told = json.loads(mirada("predict", model, "--input", arrays, "--json").stdout)
    assert np.allclose(some, [one["probability"] for one in told["predictions"][:5]], atol=1e-4)
    assert len(told["predictions"]) == 240


def test_pictures_are_classified_one_by_one(model: Path, tmp_path: Path) -> None:
    pictures, labels = bars(2)
    for picture, label in zip(pictures, labels, strict=True):
        path = tmp_path / label / "bar.png"
        path.parent.mkdir()
        Image.fromarray((picture / 16 * 255).astype(np.uint8)).save(path)
    said = mirada("predict", model, tmp_path / "lies" / "bar.png").stdout
    assert said.split("\t")[0] == "lies"
    (tmp_path / "stands" / "torn.png").write_bytes(b"\x89PNG")
    result = mirada("predict", model, tmp_path)
    assert len(result.stdout.splitlines()) == 3
    assert "torn.png" in result.stderr
    told = json.loads(mirada("evaluate", model, "--input", tmp_path, "--json").stdout)
    assert (told["accuracy"], told["left_out"]) == (1.0, 1)


def test_info_and_card_tell_what_it_is(model: Path) -> None:
    lines = mirada("info", model).stdout
    assert "patches: 1 layers, width 16, feed-forward 32" in lines
    assert "2 labels" in lines
    told = json.loads(mirada("info", model, "--json").stdout)
    assert (told["task"], told["data"]["shape"]["height"]) == ("classify", 8)
    assert "A classifier of pictures" in (model / "card.md").read_text()
    assert (model / "curves.png").exists()


def test_a_table_of_pictures_is_no_table_of_texts(tmp_path: Path) -> None:
    rows = ["picture\tlabel"]
    for number, value in enumerate((0, 60, 120, 180, 240) * 6):
        Image.new("L", (8, 8), value + number % 7).save(tmp_path / f"{number}.png")
        rows.append(f"{number}.png\t{'dark' if value < 128 else 'light'}")
    (tmp_path / "t.tsv").write_text("\n".join(rows) + "\n")
    result = mirada(
        "train", "--task", "classify", tmp_path / "t.tsv", "-o", tmp_path / "model", "--steps", 2, *SMALL, "--json"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads((tmp_path / "model" / "config.json").read_text())["labels"] == ["dark", "light"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--preset", "gpt2"), "--preset gpt2 is not known; use tiny, small, base, vit-b16"),
        (("--set", "model.stack.heads=5"), "model.stack.heads = 5 does not divide model.width = 96"),
        (("--set", "data.size=3", "--set", "model.patch=2"), "model.patch = 2 does not divide pictures of 3 × 3"),
    ],
)
def test_wrong_words_are_told(arrays: Path, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = mirada("train", "--task", "classify", arrays, "--output", tmp_path / "model", *words)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "model").exists()


def test_where_it_looks(model: Path, arrays: Path, tmp_path: Path) -> None:
    page, drawn = tmp_path / "page.html", tmp_path / "look.svg"
    assert mirada("view", model, arrays, "--number", 2, "--output", page, "--quiet").exit_code == 0
    assert '"task":"classify"' in page.read_text(encoding="utf-8")
    assert mirada("view", model, arrays, "--look", "encoder", "--head", 1, "--output", drawn, "--quiet").exit_code == 0
    assert "data:image/png;base64," in drawn.read_text(encoding="utf-8")
    lines = mirada("view", model, arrays, "--number", 2).stdout.splitlines()
    assert lines[0] == "bars.npz:2 (lies)"
    assert lines[2:4] == ["rollout: class ↓ looks at read →", "<class>"]
    told = json.loads(mirada("view", model, arrays, "--number", 2, "--json").stdout)
    assert lines[1].startswith(told["said"][0]["token"])
    assert told["sequences"]["read"]["grid"] == [4, 4]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["absent.png"], "absent.png does not exist; name a picture"),
        (["bars.npz", "--number", 999], "has no picture 999; it holds 240"),
        (["bars.npz", "--language", "es"], "a language is what a captioner is told to write"),
        (["bars.npz", "--reference", "lies"], "a reference is what a translator or a captioner is made to say"),
    ],
)
def test_what_cannot_be_looked_at(model: Path, arrays: Path, words: list[object], told: str) -> None:
    result = mirada("view", model, arrays.parent / str(words[0]), *words[1:])
    assert (result.exit_code, result.stdout) == (1, "")
    assert told in result.stderr
