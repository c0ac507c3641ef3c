"""Word vectors measured by hand: ranks, correlations, analogies."""

from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.pair import CorpusError
from mirada.evaluation.words import (
    Alike,
    Question,
    ranks,
    read_set,
    score_analogies,
    score_similarity,
    spearman,
)
from mirada.models.vectors import WordVectors
from mirada.text.word_list import Words

NAMES = ["man", "woman", "king", "queen", "bread"]
TABLE = np.array([[1, 0, 0.1], [1, 1, 0.1], [1, 0, 1], [1, 1, 1], [-1, 0, 0]], dtype=np.float32)
VECTORS = WordVectors(Words(NAMES, [1] * 5, "letters", True), TABLE)


def test_equal_values_share_their_ranks() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 0.0])).tolist() == [2.5, 1, 2.5, 0]


def test_spearman_by_hand() -> None:
    up = np.array([1.0, 2.0, 3.0])
    assert spearman(up, up**3) == pytest.approx(1)
    assert spearman(up, -up) == pytest.approx(-1)
    assert spearman(up, np.array([1.0, 3.0, 2.0])) == pytest.approx(0.5)  # 1 − 6 · 2 / (3 · 8)
    assert spearman(up, np.ones(3)) == 0


def test_pairs_are_ranked_and_unknown_ones_left_out() -> None:
    pairs = [
        Alike("Man", "king", 9.0),
        Alike("man", "woman", 8.0),
        Alike("man", "bread", 1.0),
        Alike("man", "zebra", 5.0),
    ]
    score = score_similarity(VECTORS, pairs)
    assert (score.pairs, score.unknown) == (3, 1)
    assert score.spearman == pytest.approx(1)


def test_analogies_are_completed() -> None:
    assert VECTORS.analogy("man", "woman", "king", 1)[0].word == "queen"
    questions = [
        Question("royal", ("man", "woman", "king", "queen")),
        Question("royal", ("man", "king", "woman", "bread")),
        Question("none", ("man", "king", "woman", "zebra")),
    ]
    score = score_analogies(VECTORS, questions)
    assert (score.sections, score.unknown, score.accuracy) == ({"royal": (1, 2)}, 1, 0.5)


def test_sets_are_read(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("# a remark\nold\tnew\t1.58\nsmart\tclever\t9\n")
    (tmp_path / "questions").write_text(": capitals\nAthens Greece Oslo Norway\n")
    assert read_set(tmp_path / "pairs") == [Alike("old", "new", 1.58), Alike("smart", "clever", 9.0)]
    assert read_set(tmp_path / "questions") == [Question("capitals", ("Athens", "Greece", "Oslo", "Norway"))]


@pytest.mark.parametrize("text", ["", "one two\n", "a\tb\t1\nA B C D\n", "a\tb\tnan\n"])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "set").write_text(text)
    with pytest.raises(CorpusError, match="word TAB word TAB number"):
        read_set(tmp_path / "set")
