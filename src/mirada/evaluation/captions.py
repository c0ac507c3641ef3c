"""Scores of captions, for each language, beside those of the nearest training picture.

Whoever has seen the training pictures can always say what was said of the most similar one. A captioner that is not
better than that has learnt nothing of what pictures show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from mirada.evaluation.translation import Scores, score, tokenizer_for

AT_ONCE = 512  # training pictures that are compared at once


class LanguageScore(BaseModel):
    """chrF and BLEU of the captions of one language, and those of the nearest training pictures' captions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str
    captions: int
    chrf: float
    bleu: float
    nearest_chrf: float | None = None  # None where the training pictures are not at hand
    nearest_bleu: float | None = None
    chrf_signature: str
    bleu_signature: str


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in a language of a picture, what should have been, and what the nearest one would have had."""

    language: str
    hypothesis: str
    reference: str
    nearest: str | None = None


def score_captions(said: Sequence[Said]) -> tuple[LanguageScore, ...]:
    """The scores of each language."""
    found = []
    for language in sorted({one.language for one in said}):
        some = [one for one in said if one.language == language]
        references, tokenizer = [one.reference for one in some], tokenizer_for(language or "en")
        scores = score([one.hypothesis for one in some], references, tokenizer)
        nearest: Scores | None = None
        if all(one.nearest is not None for one in some):
            nearest = score([one.nearest or "" for one in some], references, tokenizer)
        found.append(
            LanguageScore(
                language=language,
                captions=len(some),
                chrf=scores.chrf.score,
                bleu=scores.bleu.score,
                nearest_chrf=None if nearest is None else nearest.chrf.score,
                nearest_bleu=None if nearest is None else nearest.bleu.score,
                chrf_signature=scores.chrf.signature,
                bleu_signature=scores.bleu.signature,
            )
        )
    return tuple(found)


def mean_scores(scores: Sequence[LanguageScore]) -> dict[str, float]:
    """The mean of all languages."""
    if not scores:
        return {"chrf": 0.0, "bleu": 0.0}
    return {
        "chrf": sum(one.chrf for one in scores) / len(scores),
        "bleu": sum(one.bleu for one in scores) / len(scores),
    }


def nearest_rows(pictures: NDArray[np.uint8], known: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of the known picture whose pixels are nearest to those of each picture: argmin ‖x − y‖².

    ‖y‖² − 2 ⟨x, y⟩ is what differs between the known ones; some are compared at once, so that few are in memory.
    """
    wanted = pictures.reshape(len(pictures), -1).astype(np.float32) - 127.5  # so that sums stay small
    best, rows = np.full(len(pictures), np.inf), np.zeros(len(pictures), dtype=np.int64)
    for start in range(0, len(known), AT_ONCE):
        some = known[start : start + AT_ONCE].reshape(-1, wanted.shape[1]).astype(np.float32) - 127.5
        distances = np.square(some).sum(1) - 2 * wanted @ some.T
        place = distances.argmin(1)
        least = distances[np.arange(len(wanted)), place]
        nearer = least < best
        best[nearer], rows[nearer] = least[nearer], start + place[nearer]
    return rows
