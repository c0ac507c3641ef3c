"""`mirada check`, as a user meets it."""

import json
import random
from itertools import product
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from mirada.cli.check import check

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(check)

NOUNS = {"cat": "gato", "dog": "perro", "book": "libro", "bird": "pájaro", "road": "camino", "horse": "caballo"}
VERBS = {"sees": "ve", "finds": "encuentra", "loses": "pierde", "draws": "dibuja"}


WHEN = {"today": "hoy", "now": "ahora", "always": "siempre", "there": "allí", "again": "de nuevo"}


def pairs(count: int) -> list[tuple[str, str]]:
    """Sentences of which no two are near-duplicates, in an order of their own."""
    made = [
        (f"The {one} {verb} the {other} {when}.", f"El {NOUNS[one]} {VERBS[verb]} el {NOUNS[other]} {WHEN[when]}.")
        for one, other, verb, when in product(NOUNS, NOUNS, VERBS, WHEN)
    ]
    random.Random(9).shuffle(made)
    return made[:count]


def table(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in rows), encoding="utf-8")
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words), "--from", "en", "--to", "es"], catch_exceptions=False)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return table(tmp_path / "corpus.tsv", pairs(300))


def test_the_whole_story(corpus: Path) -> None:
    result = run(corpus)
    assert result.exit_code == 0
    assert result.stderr == ""
    told = result.stdout
    parts = [
        f"train: {corpus}: columns 1 and 2",
        "300 units read",
        "Divided: ",
        "words  en",
        "6–10",
        "█ ",
        "can be used.",
    ]
    assert all(part in told for part in parts)
    assert [told.index(part) for part in parts] == sorted(told.index(part) for part in parts)


def test_json_is_one_object_and_adds_up(corpus: Path) -> None:
    result = run(corpus, "--json")
    found = json.loads(result.stdout)
    account, split = found["accounts"]["train"], found["split"]
    assert found["usable"] is True
    assert (found["from"], found["to"]) == ("en", "es")
    assert account["read"] == 300 == account["kept"] + sum(account["dropped"].values())
    assert split["train"] + split["dev"] + split["test"] == account["kept"]
    assert split["left_out"] == account["dropped"].get("source stands in dev or test", 0) + account["dropped"].get(
        "target stands in dev or test", 0
    )
    assert sum(row["source"] for row in found["lengths"]) == account["kept"]
    assert found["verdict"]["preset"] == "tiny"


def test_what_stands_before_a_pair_is_counted_where_it_would_be_read(tmp_path: Path) -> None:
    rows = [(f"{source} It sleeps.", f"{target} Duerme.") for source, target in pairs(60)]
    documents = [row for start in range(0, 60, 3) for row in (*rows[start : start + 3], ("", ""))]
    files = table(tmp_path / "corpus.tsv", documents), "--dev", table(tmp_path / "dev.tsv", pairs(5))
    told = run(*files, "--context", "2").stdout
    assert "20 train documents, which end with a file, an empty line" in told
    assert "each source is read with up to 2 before it: 40 of 60 pairs have one." in told
    assert "1 dev documents" in told
    found = json.loads(run(*files, "--context", "2", "--json").stdout)
    assert found["context"] == {
        "sentences": 2,
        "parts": {
            "train": {"documents": 20, "pairs": 60, "behind": 40},
            "dev": {"documents": 1, "pairs": 5, "behind": 4},
        },
    }
    alone = run(*files, "--json").stdout
    assert "context" not in json.loads(alone)
    assert "documents" not in run(*files).stdout
    refused = run(*files, "--context", "65")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--context 65 is too many sentences; use 0 to 64" in refused.stderr


def test_quiet_gives_results_only(corpus: Path) -> None:
    result = run(corpus, "-q")
    assert result.stderr == ""
    assert result.stdout.startswith("300 units read")
    assert "█" not in result.stdout


def test_the_report_lists_every_drop(tmp_path: Path) -> None:
    rows = [*pairs(50), ("Only this", ""), pairs(1)[0]]
    drops = tmp_path / "drops.tsv"
    result = run(table(tmp_path / "corpus.tsv", rows), "--report", drops, "-v")
    assert result.exit_code == 0
    found = [line.split("\t") for line in drops.read_text(encoding="utf-8").splitlines()]
    assert {("51", "an empty side"), ("52", "duplicate")} <= {(row[1], row[2]) for row in found}
    assert f"{drops} written: {len(found) - 1} dropped" in result.stderr
    assert "corpus.tsv:51: an empty side" in result.stderr


def test_the_report_may_not_overwrite_the_corpus(corpus: Path) -> None:
    before = corpus.read_bytes()
    result = run(corpus, "--report", corpus)
    assert result.exit_code == 2
    assert "would be overwritten" in result.stderr
    assert corpus.read_bytes() == before


def test_a_report_where_nothing_can_be_written(corpus: Path, tmp_path: Path) -> None:
    result = run(corpus, "--report", tmp_path / "absent" / "drops.tsv")
    assert result.exit_code == 1
    assert str(tmp_path / "absent" / "drops.tsv") in result.stderr


def test_leaks_between_the_users_own_files(tmp_path: Path) -> None:
    rows = pairs(100)
    train = table(tmp_path / "train.tsv", rows[:90])
    dev = table(tmp_path / "dev.tsv", [*rows[85:95], ("Something else is here.", "Aquí hay otra cosa.")])
    test = table(tmp_path / "test.tsv", rows[94:])
    words = (train, "--dev", dev, "--test", test)
    found = json.loads(run(*words, "--json").stdout)
    assert found["leaks"] == [
        {"part": "dev", "other": "train", "pairs": 5, "total": 11},
        {"part": "test", "other": "train", "pairs": 0, "total": 6},
        {"part": "dev", "other": "test", "pairs": 1, "total": 11},
    ]
    assert found["split"] == {"train": 85, "dev": 11, "test": 6, "left_out": 5}
    told = run(*words).stdout
    assert "5 of 11 pairs of dev stand, exactly or nearly, in train too" in told
    assert "take them out of dev" in told
    assert "pairs of test" not in told


def test_columns_by_name_or_number(tmp_path: Path) -> None:
    path = tmp_path / "wide.tsv"
    path.write_text("".join(f"{n}\t{t}\t{s}\n" for n, (s, t) in enumerate(pairs(40))), encoding="utf-8")
    result = run(path, "--columns", "3, 2", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["accounts"]["train"]["dropped"] == {}


@pytest.mark.parametrize("columns", ["en", "en,de,fr", "en,", ""])
def test_columns_that_are_not_two(corpus: Path, columns: str) -> None:
    result = run(corpus, "--columns", columns)
    assert result.exit_code == 2
    assert "does not name two columns" in result.stderr


def test_both_languages_must_be_said(corpus: Path) -> None:
    result = CliRunner().invoke(app, [str(corpus), "--from", "en"])
    assert result.exit_code == 2
    assert "--to" in result.stderr


def test_training_on_the_test_set_leaves_nothing(corpus: Path) -> None:
    result = run(corpus, "--test", corpus)
    assert result.exit_code == 1
    assert "none of 300 pairs can be used" in result.stderr
    assert "stands in dev or test" in result.stderr
