"""Scores of labels, against numbers worked by hand."""

import numpy as np
import pytest

from mirada.evaluation.labels import score_labels

# right a a a b b c, said a a b b a a, and one whose label nobody knows
RIGHT, SAID = np.array([0, 0, 0, 1, 1, 2, -1]), np.array([0, 0, 1, 1, 0, 0, 1])


def test_by_hand() -> None:
    scores = score_labels(RIGHT, SAID, ("a", "b", "c"))
    assert scores.confusion.tolist() == [[2, 1, 0], [1, 1, 0], [1, 0, 0]]
    assert (scores.count, scores.unmet) == (7, 1)
    assert scores.accuracy == pytest.approx(3 / 7)
    a, b, c = scores.by_label
    assert (a.precision, a.recall, a.f1) == pytest.approx((2 / 4, 2 / 3, 4 / 7))
    assert (b.precision, b.recall, b.f1) == pytest.approx((1 / 2, 1 / 2, 1 / 2))
    assert (c.precision, c.recall, c.f1, c.count) == (0, 0, 0, 1)
    assert scores.macro_f1 == pytest.approx((4 / 7 + 1 / 2) / 3)
    assert scores.weighted_f1 == pytest.approx((3 * 4 / 7 + 2 / 2) / 6)


def test_a_label_that_is_not_to_be_found_counts_for_nothing() -> None:
    scores = score_labels(np.array([0, 1]), np.array([0, 1]), ("a", "b", "c"))
    assert (scores.accuracy, scores.macro_f1, scores.weighted_f1) == (1, 1, 1)


def test_parts_and_lines() -> None:
    first = np.arange(len(RIGHT)) < 3
    scores = score_labels(RIGHT, SAID, ("a", "b", "c"), [("first", first), ("rest", ~first)])
    assert scores.parts == (("first", 2, 3), ("rest", 1, 4))
    lines = "\n".join(scores.lines())
    assert "1 with a label never met in training" in lines
    assert "confusion" in lines
    assert scores.as_json()["parts"] == {
        "first": {"accuracy": 2 / 3, "count": 3},
        "rest": {"accuracy": 1 / 4, "count": 4},
    }
