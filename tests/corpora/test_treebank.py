"""Trees: heads, relations, and where spaces are written."""

from pathlib import Path

import pytest

from mirada.corpora.pair import Fault
from mirada.corpora.treebank import read_trees


def row(number: str, form: str, head: str = "_", relation: str = "_", misc: str = "_") -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t{misc}"


def written(folder: Path, *rows: str) -> Path:
    path = folder / "bank.conllu"
    path.write_text("# text\n" + "\n".join(rows) + "\n\n", encoding="utf-8")
    return path


def test_a_tree(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        row("1", "We", "4", "nsubj"),
        row("2-3", "don't"),
        row("2", "do", "4", "aux"),
        row("3", "n't", "4", "advmod"),
        row("4", "sleep", "0", "root", "SpaceAfter=No"),
        row("4.1", "empty"),
        row("5", ".", "4", "punct"),
    )
    (tree,) = read_trees(path)
    assert tree.words.text == "We don't sleep."
    assert tree.heads == (3, 3, 3, -1, 3)
    assert tree.relations == ("nsubj", "aux", "advmod", "root", "punct")


def test_words_that_do_not_spell_what_is_written_stand_apart(tmp_path: Path) -> None:
    rows = [row("1-2", "del", misc="SpaceAfter=No"), row("1", "de", "0"), row("2", "el", "1"), row("3", ",", "1")]
    (tree,) = read_trees(written(tmp_path, *rows))
    assert tree.words.text == "de el,"


@pytest.mark.parametrize("head", ["2", "1", "x", "-1", "_"])
def test_a_head_that_is_no_other_word(tmp_path: Path, head: str) -> None:
    (fault,) = read_trees(written(tmp_path, row("1", "Go", head, "dep")))
    assert isinstance(fault, Fault)
    assert fault.reason.startswith(f"word 1 has the head {head!r}")
