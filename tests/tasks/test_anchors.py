"""Anchors: tokens that stand once on both sides, by hand."""

import numpy as np
import torch

from mirada.data.batch import Batch, pair_up
from mirada.tasks.anchors import anchors, count_hits
from mirada.text.subwords import END


def batch() -> Batch:
    source = np.array([[7, 8, 9, 8, END], [5, 6, END, 0, 0]])
    said = np.array([[9, 8, 7, END], [6, 6, 5, END]])  # 8 stands twice in its source, 6 in its target
    return pair_up(source, np.array([5, 3]), said, np.array([4, 4]))


def test_tokens_that_stand_once_on_both_sides() -> None:
    found = list(zip(*(one.tolist() for one in anchors(batch())), strict=True))
    assert found == [(0, 0, 2), (0, 2, 0), (1, 2, 0)]


def test_hits_are_counted_at_anchors_only() -> None:
    right = torch.tensor([[2, 9, 0, 9], [9, 9, 0, 9]])
    half = torch.tensor([[2, 1, 1, 4], [1, 1, 1, 2]])
    assert count_hits([right, half, torch.full_like(half, 3)], anchors(batch())) == [3, 1, 0]
