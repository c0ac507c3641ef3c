"""How well labels fit: accuracy, precision, recall and F1 of each label, their means, and the confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mirada.text.labels import UNKNOWN


@dataclass(frozen=True, slots=True)
class LabelScore:
    """The scores of one label; 0 where nothing was said or nothing was to be found."""

    label: str
    precision: float
    recall: float
    f1: float
    count: int  # that were to be found

    def as_json(self) -> dict[str, object]:
        """The scores for programs."""
        found = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {"label": self.label, **found, "count": self.count}


@dataclass(frozen=True, eq=False)
class LabelScores:
    """What was said against what is right.

    A label that the model has never met is wrong whatever is said: it counts against accuracy, and is told apart.
    Macro F1 is the mean over the labels that are to be found, weighted F1 the same by how often they are.
    """

    labels: tuple[str, ...]
    confusion: NDArray[np.int64]  # [right, said]
    unmet: int = 0  # whose right label the model does not know
    parts: tuple[tuple[str, int, int], ...] = ()  # such as known and unknown words: name, right ones, all

    @property
    def count(self) -> int:
        """How many were labelled."""
        return int(self.confusion.sum()) + self.unmet

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return int(np.trace(self.confusion)) / max(1, self.count)

    @property
    def by_label(self) -> list[LabelScore]:
        """The scores of each label."""
        right = np.diag(self.confusion).astype(np.float64)
        said, wanted = self.confusion.sum(0), self.confusion.sum(1)
        precision, recall = right / np.maximum(said, 1), right / np.maximum(wanted, 1)
        f1 = 2 * right / np.maximum(said + wanted, 1)
        figures = zip(precision.tolist(), recall.tolist(), f1.tolist(), wanted.tolist(), strict=True)
        return [LabelScore(label, *found) for label, found in zip(self.labels, figures, strict=True)]

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels that are to be found."""
        found = [one.f1 for one in self.by_label if one.count]
        return float(np.mean(found)) if found else 0.0

    @property
    def weighted_f1(self) -> float:
        """The mean F1 of the labels, each by how often it is to be found."""
        total = max(1, int(self.confusion.sum()))
        return sum(one.f1 * one.count for one in self.by_label) / total

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"count:{self.count}|labels:{len(self.labels)}|unmet:{self.unmet}"

    def as_json(self) -> dict[str, object]:
        """The scores for programs."""
        return {
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "weighted_f1": self.weighted_f1,
            "count": self.count,
            "unmet": self.unmet,
            "parts": {name: {"accuracy": right / max(1, total), "count": total} for name, right, total in self.parts},
            "by_label": [one.as_json() for one in self.by_label],
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "signature": self.signature,
        }

    def lines(self, widest: int = 30) -> Iterator[str]:
        """The scores for people; the matrix where it is small enough to be read."""
        for name, value in (
            ("accuracy", self.accuracy),
            ("macro F1", self.macro_f1),
            ("weighted F1", self.weighted_f1),
        ):
            yield f"{name:<14}{value:8.2%}"
        for name, right, total in self.parts:
            yield f"{name:<14}{right / max(1, total):8.2%}  of {total:,}"
        yield f"{self.count:,} labelled" + (
            f", {self.unmet:,} with a label never met in training" if self.unmet else ""
        )
        wide = max(5, *(len(label) for label in self.labels))
        yield from ("", f"{'label':<{wide}}{'precision':>11}{'recall':>9}{'F1':>9}{'count':>9}")
        for one in self.by_label:
            yield f"{one.label:<{wide}}{one.precision:>11.2%}{one.recall:>9.2%}{one.f1:>9.2%}{one.count:>9,}"
        if len(self.labels) <= widest:
            yield from ("", "confusion: right labels down, what was said across", *self._matrix(wide))

    def _matrix(self, wide: int) -> Iterator[str]:
        cell = 2 + max(len(str(int(self.confusion.max(initial=0)))), *(min(8, len(label)) for label in self.labels))
        yield " " * wide + "".join(f"{label[:8]:>{cell}}" for label in self.labels)
        for label, row in zip(self.labels, self.confusion.tolist(), strict=True):
            yield f"{label:<{wide}}" + "".join(f"{count or '·':>{cell}}" for count in row)


def score_labels(
    right: NDArray[np.int64],
    said: NDArray[np.int64],
    labels: Sequence[str],
    parts: Sequence[tuple[str, NDArray[np.bool_]]] = (),
) -> LabelScores:
    """The scores of numbers of labels; −1 is right where the label is not known. `parts` are scored apart."""
    met = right != UNKNOWN
    flat = right[met] * len(labels) + said[met]
    confusion = np.bincount(flat, minlength=len(labels) ** 2).reshape(len(labels), len(labels)).astype(np.int64)
    hits = right == said
    apart = tuple((name, int(hits[where].sum()), int(where.sum())) for name, where in parts)
    return LabelScores(tuple(labels), confusion, int((~met).sum()), apart)
