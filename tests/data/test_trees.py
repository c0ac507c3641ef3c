"""Trees as edges: by hand, for words of several places, and for sentences that are read in parts."""

import numpy as np
import pytest

from mirada.attention import Edges
from mirada.data.trees import heads_in_rows, tree_edges


def dense(edges: Edges, rows: int) -> np.ndarray:
    return edges.mask(rows)[:, 0].numpy()


def test_words_look_at_their_heads_and_at_those_that_depend_on_them() -> None:
    # "She reads books" (reads is the root), and "Rain falls".
    edges = tree_edges(np.array([3, 2]), np.array([1, -1, 1, 1, -1]), np.ones(5, dtype=np.int64), 4)
    wanted = np.zeros((2, 4, 4), dtype=bool)
    wanted[0, :3, :3] = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    wanted[1, :2, :2] = 1
    np.testing.assert_array_equal(dense(edges, 2), wanted)


def test_all_places_of_a_word_look_at_all_places_of_its_neighbours() -> None:
    edges = tree_edges(np.array([3]), np.array([1, -1, -1]), np.array([2, 1, 2]), 5)
    wanted = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1]], dtype=bool)
    np.testing.assert_array_equal(dense(edges, 1)[0], wanted)


def test_a_head_in_another_part_of_a_long_sentence_is_none() -> None:
    heads = heads_in_rows([5, 2], [[1, -1, 3, 4, 1], [-1, 0]], np.array([3, 2, 2]))
    assert heads.tolist() == [1, -1, -1, 1, -1, -1, 0]
    with pytest.raises(ValueError, match="1 heads for 2 words"):
        heads_in_rows([2], [[0]], np.array([2]))
