"""Schedules: the learning rate at each step, fitted to the number of steps of the run."""

from __future__ import annotations

import math
from typing import Literal

ScheduleKind = Literal["linear", "cosine", "inverse_sqrt", "noam"]


def rate_at(kind: ScheduleKind, step: int, *, peak: float, warmup: int, total: int, width: int) -> float:
    """The rate of step t = 1, 2, …; ω = warmup, T = total.

    linear: rises to the peak in ω steps, then falls in a line to nothing at T.
    cosine: the same, falling as half a cosine (Loshchilov and Hutter 2017).
    inverse_sqrt: peak · min(t/ω, √(ω/t)).
    noam: width^−½ · min(t^−½, t · ω^−3⁄2) (Vaswani et al. 2017, eq. 3); the peak follows from width and ω.
    """
    t, omega = float(step), float(max(1, warmup))
    match kind:
        case "noam":
            return width**-0.5 * min(t**-0.5, t * omega**-1.5)
        case "inverse_sqrt":
            return peak * min(t / omega, math.sqrt(omega / t))
    rise = min(1.0, t / omega)
    done = min(1.0, max(0.0, (t - omega) / max(1.0, total + 1 - omega)))
    fall = 1.0 - done if kind == "linear" else 0.5 * (1.0 + math.cos(math.pi * done))
    return peak * rise * fall
