"""The map of words: its axes, and the same picture for the same words."""

from pathlib import Path

import numpy as np
import pytest

from mirada.models.vectors import WordVectors
from mirada.text.word_list import Words
from mirada.viewing.word_map import draw_map, project

WORDS = ["a", "b$1$", "c<d"]
VECTORS = WordVectors(Words(WORDS, [1, 1, 1]), np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32))


def test_the_first_axis_is_the_longest() -> None:
    rows = np.array([[0, 0, 5], [0, 1, 5], [9, 0, 5], [9, 1, 5]], dtype=np.float32)
    np.testing.assert_allclose(project(rows), [[-4.5, -0.5], [-4.5, 0.5], [4.5, -0.5], [4.5, 0.5]], atol=1e-12)
    assert project(np.ones((3, 1), dtype=np.float32)).tolist() == [[0, 0]] * 3


def test_a_map_is_drawn_the_same_again(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg", "map.png"):
        draw_map(VECTORS, {"a": ["b$1$", "c<d"]}, tmp_path / name)
    picture = (tmp_path / "one.svg").read_text()
    assert picture == (tmp_path / "two.svg").read_text()
    assert "b$1$" in picture
    assert "c&lt;d" in picture
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_too_few_words_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a map of 1 words cannot be drawn"):
        draw_map(VECTORS, {"a": []}, tmp_path / "map.svg")
