"""`mirada align`, as a user meets it; the model looks straight across, so that the right answer is known."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mirada.cli.app import app
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.folder import save, tensors_of
from mirada.translator import Translator
from tests.aligners import diagonal
from tests.translators import TEXTS, config, random_folder, subwords

STRAIGHT = [" ".join(f"{word}-{word}" for word in range(len(text.split()))) for text in TEXTS]


@dataclass(frozen=True)
class Files:
    folder: Path
    source: Path
    reference: Path

    def run(self, *words: str | Path | int, model: Path | None = None) -> Result:
        given = [model or self.folder, "--input", self.source, "--reference", self.reference, *words]
        return CliRunner().invoke(app, ["align", *map(str, given)], catch_exceptions=False)

    def write(self, name: str, lines: list[str]) -> Path:
        return write(self.folder / name, lines)


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path, write(tmp_path / "a.en", TEXTS), write(tmp_path / "a.es", TEXTS))


@pytest.fixture
def known(files: Files, monkeypatch: pytest.MonkeyPatch) -> Files:
    """The files, and a model whose looks are known."""
    monkeypatch.setattr(Translator, "load", lambda folder, engine: Translator.of(diagonal()))
    return files


def test_a_line_of_links_for_every_pair(known: Files) -> None:
    result = known.run()
    assert result.exit_code == 0
    assert result.stdout.splitlines() == STRAIGHT
    assert "5 pairs aligned" in result.stderr
    assert "layer 1, mean of the heads, when written" in result.stderr
    assert known.run("--quiet").stderr == ""


def test_links_in_a_file(known: Files) -> None:
    out = known.folder / "links"
    result = known.run("--output", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert out.read_text(encoding="utf-8").splitlines() == STRAIGHT


def test_scores_against_gold(known: Files) -> None:
    gold = known.write("gold", [STRAIGHT[0].replace("0-0", "0p0").replace("1-1", "1-2"), *STRAIGHT[1:]])
    result = known.run("--gold", gold, "--head", 2)
    count = sum(len(line.split()) for line in STRAIGHT)
    assert result.exit_code == 0
    found = json.loads(known.run("--gold", gold, "--json").stdout)
    assert (found["pairs"], found["layer"], found["head"], found["when"]) == (5, 1, None, "written")
    assert (found["links"], found["sure"]) == (count, count - 1)
    assert found["precision"] == pytest.approx((count - 1) / count, abs=1e-6)
    assert found["recall"] == pytest.approx((count - 2) / (count - 1), abs=1e-6)
    assert found["alignments"] == STRAIGHT
    header, row, _ = result.stdout.splitlines()
    assert header.split() == ["AER", "precision", "recall"]
    assert row.split()[-3] == f"{found['aer']:.1%}"
    assert row.startswith("layer 1, head 2, when written")


def test_a_shuffled_gold_is_clearly_worse(known: Files) -> None:
    turned = [
        " ".join(f"{word}-{count - 1 - word}" for word in range(count)) for count in map(len, map(str.split, TEXTS))
    ]
    gold, shuffled = known.write("gold", STRAIGHT), known.write("shuffled", turned)
    right, wrong = (json.loads(known.run("--gold", path, "--json").stdout)["aer"] for path in (gold, shuffled))
    assert right == 0
    assert wrong > 0.6


def test_every_reading_is_scored_and_the_chosen_one_stands_first(known: Files) -> None:
    gold = known.write("gold", STRAIGHT)
    found = json.loads(known.run("--gold", gold, "--every", "--json", "--head", 1).stdout)
    rows = found["every"]
    assert len(rows) == 3 * 2
    assert rows[0]["head"] == 1
    assert found["aer"] == rows[0]["aer"] > 0.5
    errors = [row["aer"] for row in rows[1:]]
    assert errors == sorted(errors)
    assert errors[0] == 0
    assert len(known.run("--gold", gold, "--every").stdout.splitlines()) == 1 + len(rows) + 1


def test_the_best_is_found_without_gold(known: Files) -> None:
    result = known.run("--best")
    assert "found best by layer 1, mean of the heads, when written" in result.stderr
    assert result.stdout.splitlines() == STRAIGHT


def test_gold_that_counts_from_one_or_stands_in_a_table(known: Files) -> None:
    counted = [" ".join(f"{word + 1}-{word + 1}" for word in range(len(text.split()))) for text in TEXTS]
    assert (
        known.run("--gold", known.write("one", counted), "--gold-first", 1).stdout.splitlines()[1].split()[-3] == "0.0%"
    )
    table = [f"{text}\t{text}\t{line}" for text, line in zip(TEXTS, STRAIGHT, strict=True)]
    assert known.run("--gold", known.write("gold.tsv", table)).stdout.splitlines()[1].split()[-3] == "0.0%"


def test_a_model_from_a_folder(files: Files) -> None:
    result = files.run(model=random_folder(files.folder / "model"))
    assert result.exit_code == 0
    for line, text in zip(result.stdout.splitlines(), TEXTS, strict=True):
        links = [tuple(map(int, link.split("-"))) for link in line.split()]
        assert [target for _, target in links] == list(range(len(text.split())))
        assert all(0 <= source < len(text.split()) for source, _ in links)


def test_a_pair_that_is_too_long_leaves_its_line_empty(known: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.tasks.alignment.LONGEST_LIMIT", 3)
    result = known.run()
    assert result.stdout == "\n" * len(TEXTS)
    assert "line 1 has " in result.stderr
    assert "at most 3 are aligned; its line of links is empty" in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--best", "--head", 1), "--best chooses the layer and the head"),
        (("--every",), "--every needs links by people"),
        (("--layer", 2), "--layer 2, but the decoder looks at the source in the layers 1 to 1"),
        (("--head", 3), "--head 3, but the heads of layer 1 are 1 to 2"),
        (("--output", "absent/links"), "--output absent/links cannot be written"),
    ],
)
def test_wrong_use(known: Files, words: tuple[str | int, ...], told: str) -> None:
    result = known.run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"mirada: {told}")


def test_the_gold_is_not_overwritten(known: Files) -> None:
    gold = known.write("gold", STRAIGHT)
    result = known.run("--gold", gold, "--output", gold)
    assert result.exit_code == 2
    assert "is one of the files to read" in result.stderr


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (STRAIGHT[:-1], "gold has 4 lines and {reference} has 5; they must have the same number, line for line"),
        ([*STRAIGHT[:4], "0-0 6-7"], "gold:5: the link 6-7 names a word that is not there: the source has 7 words"),
        ([*STRAIGHT[:4], "0-0 a-b"], "gold:5: 'a-b' is no link"),
    ],
)
def test_gold_that_does_not_fit(known: Files, lines: list[str], told: str) -> None:
    result = known.run("--gold", known.write("gold", lines))
    assert (result.exit_code, result.stdout) == (1, "")
    assert told.format(reference=known.reference) in result.stderr


def test_gold_that_may_count_otherwise_is_said_to(known: Files) -> None:
    one = known.write("gold", [*STRAIGHT[:4], "7-7"])
    assert "counted from 0; if it counts from 1, use --gold-first 1" in known.run("--gold", one).stderr
    zero = known.write("gold", STRAIGHT)
    assert (
        "counted from 1; if it counts from 0, use --gold-first 0" in known.run("--gold", zero, "--gold-first", 1).stderr
    )


def test_a_model_without_attention(files: Files) -> None:
    made = config().model_copy(
        update={"model": RecurrentConfig.model_validate({"width": 8, "attention": {"score": "none"}})}
    )
    folder = files.folder / "none"
    save(folder, made, tensors_of(build(made.model, made.vocabulary, seed=1)), subwords(), "A card.\n")
    result = files.run(model=folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "this model has no attention, so there is no alignment" in result.stderr
