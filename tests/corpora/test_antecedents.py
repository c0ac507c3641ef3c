"""Pronouns with two names: both kinds of tables."""

from pathlib import Path

from mirada.corpora.antecedents import GAP, Antecedents, read_antecedents
from mirada.corpora.pair import Fault

TEXT = "Ann Lee saw Bea, and she left."


def written(folder: Path, *rows: list[str]) -> Path:
    path = folder / "pronouns.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_gap(tmp_path: Path) -> None:
    good = ["1", TEXT, "she", "21", "Ann Lee", "0", "TRUE", "Bea", "12", "FALSE", "http://"]
    neither = ["2", *good[1:6], "FALSE", *good[7:]]
    found = list(read_antecedents(written(tmp_path, [*GAP, "URL"], good, neither, ["3", "too", "few"])))
    first, fault = found
    assert isinstance(first, Antecedents)
    assert (first.words.forms[first.pronoun], first.right) == ("she", 0)
    assert [first.words.forms[name.start : name.stop] for name in first.names] == [("Ann", "Lee"), ("Bea",)]
    assert first.words.text == TEXT
    assert isinstance(fault, Fault)


def test_xwino(tmp_path: Path) -> None:
    tokens = '["It", "does", "n\'t", "fit", "the", "box", "."]'
    names = '[["box", [5, 6], ["box"], false], ["fit", [3, 4], ["fit"], true]]'
    row = ["en", "original", "?", "It doesn't fit the box.", tokens, '["It", [0, 1], ["It"]]', names]
    (found,) = read_antecedents(written(tmp_path, row))
    assert isinstance(found, Antecedents)
    assert (found.pronoun, found.names, found.right) == (0, (range(5, 6), range(3, 4)), 1)
    assert found.words.text == "It doesn't fit the box."


def test_other_tables_hold_none(tmp_path: Path) -> None:
    found = list(read_antecedents(written(tmp_path, ["a", "b"], ["c", "d"])))
    assert [type(one) for one in found] == [Fault, Fault]
