"""CoNLL-U: words, ranges and empty nodes told apart, everything else kept byte for byte, wrong lines told."""

from pathlib import Path

import pytest

from mirada.corpora.conllu import Sentence, column_of, read_blocks, read_conllu
from mirada.corpora.pair import CorpusError, Fault

TEXT = (
    "# newdoc\n# text = vámonos al mar\n"
    "1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_\n"
    "2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_\r\n"
    "2.1\tfoo\tfoo\tNOUN\t_\t_\t_\t_\t_\t_\n"
    "3\t20 000\t_\tNUM\t_\t_\t1\tobl\t_\tSpaceAfter=No"
)


def read(tmp_path: Path, data: bytes) -> list[Sentence | Fault]:
    path = tmp_path / "x.conllu"
    path.write_bytes(data)
    return list(read_conllu(path))


def test_only_words_have_labels(tmp_path: Path) -> None:
    (found,) = read(tmp_path, TEXT.encode())
    assert isinstance(found, Sentence)
    assert found.forms == ["vamos", "nos", "20 000"]
    assert found.column(column_of("upos")) == ["VERB", "PRON", "NUM"]


def test_a_column_is_filled_and_nothing_else_changes(tmp_path: Path) -> None:
    (found,) = read(tmp_path, TEXT.encode())
    assert isinstance(found, Sentence)
    filled = b"".join(found.filled(3, ["A", "Ö", "C"]).lines).decode()
    assert filled == TEXT.replace("VERB", "A").replace("PRON", "Ö").replace("NUM", "C")
    assert b"".join(found.filled(3, ["VERB", "PRON", "NUM"]).lines) == TEXT.encode()


def test_all_blocks_together_are_the_file(tmp_path: Path) -> None:
    data = b"\n" + TEXT.encode() + b"\n\n\n# alone\n\n1\tx\tno\n\n" + TEXT.encode() + b"\n"
    path = tmp_path / "x.conllu"
    path.write_bytes(data)
    assert b"".join(b"".join(lines) for lines, _ in read_blocks(path)) == data


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"1\tx\ty", "3 columns, where CoNLL-U has 10"),
        (b"one" + b"\t_" * 9, "the id 'one' is no number"),
        (b"1\t\xff" + b"\t_" * 8, "is not UTF-8"),
    ],
)
def test_a_wrong_sentence_is_told_and_the_next_is_read(tmp_path: Path, line: bytes, told: str) -> None:
    wrong, right = read(tmp_path, line + b"\n\n" + TEXT.encode() + b"\n")
    assert isinstance(wrong, Fault)
    assert told in wrong.reason
    assert wrong.place.number == 1
    assert isinstance(right, Sentence)
    assert right.place.number == 3


def test_columns_have_names_and_numbers() -> None:
    assert [column_of(name) for name in ("upos", "XPOS", "4", "misc", "10")] == [3, 4, 3, 9, 9]
    for wrong in ("form", "2", "11", "", "part"):
        with pytest.raises(ValueError, match="no column that can be learnt"):
            column_of(wrong)


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="more than 65,536 bytes"):
        read(tmp_path, b"1\t" + b"x" * 100_000)
