"""Anchors: tokens that stand once on both sides, by hand."""

import numpy as np

from mirada.data.batch import Batch, pair_up
from mirada.tasks.anchors import anchors
from mirada.text.subwords import END


def batch() -> Batch:
    source = np.array([[7, 8, 9, 8, END], [5, 6, END, 0, 0]])
    said = np.array([[9, 8, 7, END], [6, 6, 5, END]])  # 8 stands twice in its source, 6 in its target
    return pair_up(source, np.array([5, 3]), said, np.array([4, 4]))


def test_what_stands_before_a_text_holds_no_anchors_and_hides_none() -> None:
    source = np.array([[4, 7, END, 5, 7, 8, END], [4, END, 5, 4, END, 0, 0]])
    said = np.array([[7, 4, END], [5, 4, END]])
    made = pair_up(source, np.array([7, 5]), said, np.array([3, 3]))
    assert list(zip(*(one.tolist() for one in anchors(made)), strict=True)) == [(0, 0, 4), (1, 0, 2), (1, 1, 3)]


def test_tokens_that_stand_once_on_both_sides() -> None:
    found = list(zip(*(one.tolist() for one in anchors(batch())), strict=True))
    assert found == [(0, 0, 2), (0, 2, 0), (1, 2, 0)]
