"""Tables: which column is which language, and rows that do not fit."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mirada.corpora.pair import Blank, CorpusError, Fault, Pair
from mirada.corpora.tsv import read_tsv, table_layout


def pairs(
    folder: Path, name: str, text: str, asked: str = "en es", columns: Sequence[str] | None = None
) -> list[tuple[str, str]]:
    path = folder / name
    path.write_bytes(text.encode())
    source, target = asked.split()
    found = list(read_tsv(path, source, target, columns))
    assert all(isinstance(unit, Pair) for unit in found)
    return [(unit.source, unit.target) for unit in found if isinstance(unit, Pair)]


CAT = [("cat", "gato")]


@pytest.mark.parametrize(
    ("name", "text", "asked", "columns"),
    [
        ("x.tsv", "cat\tgato\n", "en es", None),
        ("en-es.tsv", "cat\tgato\n", "en es", None),
        ("es-en.tsv", "gato\tcat\n", "en es", None),
        ("en-es.tsv", "gato\tcat\n", "en es", ["es", "en"]),
        ("es-en.tsv", "gato\tcat\tCC-BY 2.0 #1\n", "en es", None),
        ("x.tsv", "es\tid\ten\ngato\t1\tcat\n", "en es", None),
        ("x.tsv", "en-US\tes_MX\ncat\tgato\n", "en es", None),
        ("x.tsv", "src\ttgt\ncat\tgato\n", "en es", None),
        ("x.tsv", "1\tcat\tgato\n", "en es", ["id", "en", "es"]),
        ("x.tsv", "id\ten\tes\n1\tcat\tgato\n", "en es", ["es", "en"]),
        ("x.tsv", "answer\tquestion\ngato\tcat\n", "en es", ["question", "answer"]),
        ("x.csv", 'es,en\n"gato",cat\n', "en es", None),
        ("x.csv", "cat;gato\n", "en es", None),
        ("x.tsv", "\ufeffen\tes\r\ncat\tgato\r\n", "en es", None),
        ("my-to.tsv", "cat\tgato\n", "en es", ["en", "es"]),
    ],
)
def test_columns_are_found(name: str, text: str, asked: str, columns: list[str] | None, tmp_path: Path) -> None:
    assert pairs(tmp_path, name, text, asked, columns) == CAT


def test_quotes_are_text_in_tsv_and_quotes_in_csv(tmp_path: Path) -> None:
    assert pairs(tmp_path, "x.tsv", '"a"\t"b\n') == [('"a"', '"b')]
    text = 'en,es\n"He said ""hi"", twice","Dijo ""hola""\ny se fue"\n'
    assert pairs(tmp_path, "x.csv", text) == [('He said "hi", twice', 'Dijo "hola"\ny se fue')]


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("x.tsv", "en\tfr\ncat\tchat\n", None),
        ("en-fr.tsv", "cat\tchat\n", None),
        ("x.tsv", "cat\tchat\n", ["en", "fr"]),
    ],
)
def test_other_languages_are_an_error_that_lists_them(
    name: str, text: str, columns: list[str] | None, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=r"holds the languages en, fr; en and es were asked for"):
        pairs(tmp_path, name, text, "en es", columns)


def test_rows_of_another_width_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_bytes(b"cat\tgato\nalone\na\tb\tc\n\xff\tx\n\ndog\tperro\n")
    found = list(read_tsv(path, "en", "es"))
    assert [type(unit) for unit in found] == [Pair, Fault, Fault, Fault, Blank, Pair]
    assert [unit.place.number for unit in found] == [1, 2, 3, 4, 5, 6]
    assert [unit.reason for unit in found if isinstance(unit, Fault)][:2] == [
        "1 columns, where 2 are expected",
        "3 columns, where 2 are expected",
    ]


def test_faulty_lines_of_csv_are_faults_and_keep_the_count(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"en,es\ncat,gato\n\xff,x\ndog,perro\nlast\xff\n")
    found = list(read_tsv(path, "en", "es"))
    assert [(type(unit), unit.place.number) for unit in found] == [(Pair, 2), (Fault, 3), (Pair, 4), (Fault, 5)]


def test_an_open_quotation_mark_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('en,es\n"cat,gato\n' + "dog,perro\n" * 20_000)
    with pytest.raises(CorpusError, match=r"line \d+: .*close the quotation mark"):
        list(read_tsv(path, "en", "es"))


def test_an_empty_table_has_no_units_and_no_layout(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_bytes(b"")
    assert list(read_tsv(path, "en", "es")) == []
    assert table_layout(path, "en", "es") is None
