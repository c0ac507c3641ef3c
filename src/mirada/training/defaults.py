"""Defaults that follow from the model's width, the budget and the data; each can be set instead."""

from __future__ import annotations

from mirada.training.config import LearningConfig

RATE_AT_256 = 2e-3  # the highest rate of a model of width 256; it falls as the width grows
WARMUP_SHARE, LONGEST_WARMUP = 0.08, 4_000
NOAM_WARMUP_SHARE = 0.3  # its peak falls as the warm-up grows
SAMPLED_AFTER = 12.0  # passes over the data, above which its variants are shown unasked: before, they only cost time
# How often the data is passed over, and the dropout that suits: what is seen often is soon known by heart.
DROPOUT = ((6.0, 0.0), (15.0, 0.1), (30.0, 0.2), (float("inf"), 0.3))


def default_rate(width: int) -> float:
    """The highest learning rate of a model of this width."""
    return RATE_AT_256 * 256 / width


def default_warmup(training: LearningConfig, steps: int) -> int:
    """How many steps the rate rises."""
    share = NOAM_WARMUP_SHARE if training.schedule == "noam" else WARMUP_SHARE
    return max(1, min(LONGEST_WARMUP, round(share * steps)))


def default_dropout(epochs: float) -> float:
    """The dropout that suits so many passes over the data."""
    return next(rate for most, rate in DROPOUT if epochs <= most)
