"""The texts that are translated: usable, in the right language, each once."""

import gzip
from pathlib import Path

import pytest

from mirada.corpora.demo import generate
from mirada.corpora.pair import CorpusError
from mirada.synthesis.texts import distinct, lines_of, sources_of
from mirada.training.preparing import Files

LONG = [made.pair for made in generate(300, 5) if len(made.pair.target) > 60 and len(made.pair.source) > 60]


def test_lines_are_normalised_and_come_once(tmp_path: Path) -> None:
    one, other = tmp_path / "mono.es", tmp_path / "more.txt.gz"
    one.write_bytes("Buenos  días.\n\n\x00\nEl gato duerme.\n\xff\n".encode("latin-1"))
    other.write_bytes(gzip.compress(("El gato duerme.\n" + "largo " * 50 + "\nLa  casa es grande.\n").encode()))
    found = list(lines_of([one, other], "es", 100))
    assert found == ["El gato duerme.", "La casa es grande."]  # "Buenos días." is no UTF-8 there


@pytest.mark.parametrize("language", ["es", "ru"])
def test_text_in_another_language_is_refused(tmp_path: Path, language: str) -> None:
    path = tmp_path / "mono.txt"
    path.write_text("".join(f"{pair.source}\n" for pair in LONG))
    with pytest.raises(CorpusError, match=rf"are not in {language}; give text in the language of --to"):
        list(lines_of([path], language, 2_000))


def test_a_few_foreign_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "mono.txt"
    path.write_text("".join(f"{pair.target}\n" for pair in LONG) + "Это предложение написано по-русски.\n")
    assert list(lines_of([path], "es", 2_000)) == [pair.target for pair in LONG]


def test_a_table_is_no_monolingual_text(tmp_path: Path) -> None:
    path = tmp_path / "en-es.tsv"
    path.write_text("A cat.\tUn gato.\n")
    with pytest.raises(CorpusError, match="is no plain text but table; use a file"):
        lines_of([path], "es", 100)


def test_the_sources_are_those_of_pairs_that_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "en-es.tsv"
    path.write_text("A cat.\tUn gato.\nA dog.\t\nA cat.\tUna gata.\nThe  house.\tLa casa.\n")
    files = Files((path,), source="en", target="es")
    assert list(sources_of(files, 2_000, print)) == ["A cat.", "The house."]


def test_distinct_keeps_the_first_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.synthesis.texts.CHUNK", 3)
    assert "".join(distinct("abcabdaebcfd")) == "abcdef"
