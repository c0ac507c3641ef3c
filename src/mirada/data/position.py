"""Where a run stands in its data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run stands in its data: the epoch, and the next batch of it."""

    epoch: int = 0
    batch: int = 0
