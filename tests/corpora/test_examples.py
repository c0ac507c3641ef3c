"""Examples: every form that a labelled file may have, and what is wrong with others."""

from pathlib import Path

import pytest

from mirada.corpora.examples import Entered, Example, Names, open_examples
from mirada.corpora.pair import CorpusError, Fault


def read(path: Path, names: Names | None = None, *, labelled: bool = True) -> list[tuple[str | None, Entered]]:
    file = open_examples(path, names or Names(), labelled=labelled)
    return [(one.label, one.entered) for one in file.read() if isinstance(one, Example)]


def faults(path: Path, names: Names | None = None) -> list[str]:
    file = open_examples(path, names or Names(), labelled=True)
    return [one.reason for one in file.read() if isinstance(one, Fault)]


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


WANTED = [("0", "a dull film"), ("1", "a fine one")]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("sst", "0 a dull film\n1 a fine one\n", Names()),
        ("fasttext.txt", "__label__0 a dull film\n__label__1\ta fine one\n", Names()),
        ("x.tsv", "id\tlabel\ttext\n7\t0\ta dull film\n8\t1\ta fine one\n", Names()),
        ("x.csv", 'sentence,Class\n"a dull film",0\na fine one,1\n', Names()),
        ("x.csv", "a dull film,0\na fine one,1\n", Names(("text", "label"))),
        ("x.tsv", "q\tverdict\na dull film\t0\na fine one\t1\n", Names((), "q", "verdict")),
        ("x.jsonl", '{"text": "a dull film", "label": 0}\n{"label": "1", "text": "a fine one"}\n', Names()),
    ],
)
def test_all_forms_hold_the_same(tmp_path: Path, name: str, text: str, names: Names) -> None:
    assert read(write(tmp_path / name, text), names) == WANTED


def test_texts_and_labels_in_files_of_their_own(tmp_path: Path) -> None:
    texts = write(tmp_path / "train_text.txt", "a dull film\na fine one\n")
    labels = write(tmp_path / "train_labels.txt", "0\n1")
    assert read(texts) == WANTED
    labels.write_text("0\n1\n1\n")
    with pytest.raises(CorpusError, match=r"has 2 lines and .*train_labels\.txt has 3"):
        read(texts)


def test_rows_of_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "iris.csv", "width,species,height\n1.5,a,-2\n3,b,4e1\n")
    with pytest.raises(CorpusError, match=r"none of which is known to hold labels; name it with --set data\.label"):
        read(path)
    assert read(path, Names((), None, "species")) == [("a", (1.5, -2.0)), ("b", (3.0, 40.0))]
    path = write(tmp_path / "plain.csv", "1.5,-2,a\n3,4e1,b\n")
    assert read(path, Names(("x", "y", "label"))) == [("a", (1.5, -2.0)), ("b", (3.0, 40.0))]
    with pytest.raises(CorpusError, match="has 3 columns, but --columns names 2"):
        read(path, Names(("x", "label")))


def test_a_column_that_is_no_number_is_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "city,size,label\nRome,3,a\n")
    with pytest.raises(CorpusError, match="'city' holds 'Rome', which is no number: name the column of texts"):
        read(path)


def test_what_a_model_was_trained_on_is_found_by_name(tmp_path: Path) -> None:
    file = open_examples(write(tmp_path / "x.csv", "z,y,x\n9,2,1\n"), Names(), labelled=False, features=("x", "y"))
    assert [one.entered for one in file.read() if isinstance(one, Example)] == [(1.0, 2.0)]
    with pytest.raises(CorpusError, match="has no column 'w', which the model was trained on"):
        open_examples(write(tmp_path / "y.csv", "x,y,label\n9,2,1\n"), Names(), labelled=False, features=("x", "w"))


def test_wrong_rows_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "label\ttext\n1\tgood\n1\n1\tone\ttwo\n\tno label\n0\t \n")
    assert faults(path) == [
        "1 columns, where 2 are expected",
        "3 columns, where 2 are expected",
        "there is no label",
        "the text is empty",
    ]
    path = write(tmp_path / "n.csv", "x,label\n1,a\nnan,b\ntwo,b\n")
    assert faults(path) == [f"column 'x' holds {cell!r}, which is no number" for cell in ("nan", "two")]
    path = write(tmp_path / "x.jsonl", '{"text": "a", "label": 1}\n[1]\n{"text": "b"}\n')
    assert faults(path) == ["this is no JSON object", "there is no 'label'"]
    (tmp_path / "latin.txt").write_bytes("1 bien\n1 ma\xf1ana\n".encode("latin-1"))
    assert "is not UTF-8" in faults(tmp_path / "latin.txt")[0]


def test_plain_lines_are_texts_where_no_labels_are_asked_for(tmp_path: Path) -> None:
    assert read(write(tmp_path / "x.txt", "a dull film\n"), labelled=False) == [(None, "a dull film")]
