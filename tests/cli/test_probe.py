"""`mirada probe`, as a user meets it."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from tests.corpora.test_treebank import row

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"
SENTENCE = [("The", "2", "det"), ("cat", "3", "nsubj"), ("sleeps", "0", "root"), (".", "3", "punct")]


def probe(*words: object) -> Result:
    return CliRunner().invoke(app, ["probe", *(str(word) for word in words)], catch_exceptions=False)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "small.conllu"
    block = "\n".join(row(str(number), *one) for number, one in enumerate(SENTENCE, start=1))
    path.write_text(f"{block}\n\n" * 6, encoding="utf-8")
    return path


def test_a_table(bank: Path, tmp_path: Path) -> None:
    result = probe(MODEL, bank, "--fewest", 3, "--untrained", "--output", tmp_path / "table.tsv")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split()[-1] == "untrained"
    assert {line.split()[0] for line in lines[1:]} == {"det", "nsubj", "punct"}
    assert "one half of the sentences" in result.stderr
    table = [line.split("\t") for line in (tmp_path / "table.tsv").read_text(encoding="utf-8").splitlines()]
    assert [len(cells) for cells in table] == [9] * 4
    det = next(cells for cells in table if cells[0] == "det")
    assert (det[1], det[6], det[7]) == ("3", "+1", "100.0%")


def test_json_and_a_picture(bank: Path, tmp_path: Path) -> None:
    result = probe(MODEL, bank, "--fewest", 3, "--json", "--quiet", "--output", tmp_path / "picture.svg")
    told = json.loads(result.stdout)
    assert (told["sentences"], told["refused"], told["left_context_only"]) == (3, 0, False)
    assert {one["relation"] for one in told["relations"]} == {"det", "nsubj", "punct"}
    assert all(0 <= one["accuracy"] <= 1 for one in told["relations"])
    assert "best fixed offset" in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_pronouns(tmp_path: Path) -> None:
    head = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    line = "1\tThe cat saw the dog because it was tired.\tit\t28\tcat\t4\tTRUE\tdog\t16\tFALSE\t-\n"
    path = tmp_path / "gap.tsv"
    path.write_text(head + line * 8, encoding="utf-8")
    told = json.loads(probe(MODEL, path, "--json", "--untrained").stdout)
    assert set(told) == {"trained", "untrained"}
    assert (told["trained"]["cases"], told["trained"]["rule"], told["trained"]["baseline"]) == (
        4,
        "the first name",
        1.0,
    )
    assert probe(MODEL, path).stdout.startswith("trained: layer 1, head ")


def test_wrong_use(bank: Path, tmp_path: Path) -> None:
    assert "no relation has 50 cases on each half" in probe(MODEL, bank).stderr
    assert "use a name that ends in .tsv, .svg, .png" in probe(MODEL, bank, "--output", tmp_path / "a.pdf").stderr
    other = tmp_path / "other.tsv"
    other.write_text("a\tb\n", encoding="utf-8")
    assert "holds no treebank" in probe(MODEL, other).stderr
    assert "leave it out" in probe(MODEL, other, "--output", tmp_path / "a.svg").stderr
