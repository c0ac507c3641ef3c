"""What a forecaster must beat: the last season once more, and a straight line through the past.

Legend: T steps of the series, B windows, N steps of the past, H steps that come, C channels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

RIDGE = 1e-2  # of the mean square of what enters; it decides where steps of the past say the same
MOST_ROWS = 200_000  # windows of single channels that a line is fitted to
AT_ONCE = 4_096  # of them


def seasonal_naive(
    values: Float[np.ndarray, "T C"], starts: Int[np.ndarray, "B"], horizon: int, season: int
) -> Float[np.ndarray, "B H C"]:
    """x̂(t + h) = x(t + h − k · season) with the smallest k that lies in the past."""
    ahead = np.arange(horizon)
    return values[starts[:, None] + ahead % season - season]


@dataclass(frozen=True, eq=False)
class Linear:
    """x̂ = x_N + W (x − x_N): a least-squares map of the past, less its last step, to what comes, for all channels.

    The NLinear of Zeng et al. (2023), with the weights of ridge regression in place of those of a descent.
    """

    weights: Float[np.ndarray, "N H"]

    def __call__(self, values: Float[np.ndarray, "T C"], starts: Int[np.ndarray, "B"]) -> Float[np.ndarray, "B H C"]:
        """What the line says of the steps from each start on."""
        past = _past(values, starts, len(self.weights))
        last = past[:, -1:]
        return np.einsum("bnc,nh->bhc", past - last, self.weights, optimize=True) + last


def fit_linear(values: Float[np.ndarray, "T C"], starts: Int[np.ndarray, "B"], context: int, horizon: int) -> Linear:
    """The line with the smallest squared error over windows of a series, taken evenly where they are very many."""
    most = max(1, MOST_ROWS // values.shape[1])
    if len(starts) > most:
        starts = starts[np.linspace(0, len(starts) - 1, most).astype(np.int64)]
    gram, product = np.zeros((context, context)), np.zeros((context, horizon))
    at_once = max(1, AT_ONCE // values.shape[1])
    for first in range(0, len(starts), at_once):
        some = starts[first : first + at_once]
        past = _past(values, some, context)
        last = past[:, -1:]
        entered = _rows(past - last)
        gram += entered.T @ entered
        product += entered.T @ _rows(values[some[:, None] + np.arange(horizon)] - last)
    # A series that stands still has no scale of its own; any ridge gives the line that says: it goes on so.
    ridge = RIDGE * float(np.trace(gram)) / context or 1.0
    return Linear(np.linalg.solve(gram + ridge * np.eye(context), product))


def _past(values: Float[np.ndarray, "T C"], starts: Int[np.ndarray, "B"], context: int) -> Float[np.ndarray, "B N C"]:
    return values[starts[:, None] + np.arange(-context, 0)]


def _rows(windows: Float[np.ndarray, "B N C"]) -> Float[np.ndarray, "R N"]:
    """The channels of all windows as rows of their own."""
    return windows.transpose(0, 2, 1).reshape(-1, windows.shape[1])
