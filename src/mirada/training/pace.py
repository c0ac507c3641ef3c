"""The pace of a run of minutes: what a step takes is measured before the first one, and again at the first validation.

Other programs come and go, and a machine warms up: a run whose steps are counted after a few seconds may end in half
its minutes, or take twice as many. From the first validation on its length is settled, since a run that is stopped and
goes on is to end as if it had not been. What is found is written down with the checkpoint of the same step.
"""

from __future__ import annotations

from mirada.training.budget import LAST_VALIDATIONS, Budget
from mirada.training.checkpoint import Progress

TOLERANCE = 0.1  # of the minutes: a run that will end so near to them is left alone


class Pace:
    """What a run needs to know to end in its minutes.

    `held_out` is how many tokens could be trained on in the time of a validation, and in that of the test at the end.
    """

    def __init__(self, minutes: float, held_out: tuple[float, float], start: Progress) -> None:
        self._minutes, self._held_out, self._start = minutes, held_out, start

    def settle(self, budget: Budget, progress: Progress) -> Budget:
        """The budget that fits the minutes by the steps since the start."""
        start, settled = self._start, budget.model_copy(update={"settled": True})
        steps, seconds = progress.step - start.step, progress.seconds - start.seconds
        if steps < 1 or seconds <= 0:
            return settled
        step = seconds / steps  # with its share of a validation: they come as often in what is left
        second_of_token = seconds / max(1, progress.tokens - start.tokens)
        looks, test = self._held_out
        at_the_end = (LAST_VALIDATIONS * looks + test) * second_of_token
        left = 60 * self._minutes - budget.spent - progress.seconds - at_the_end
        if abs((budget.steps - progress.step) * step - left) <= TOLERANCE * 60 * self._minutes:
            return settled
        total = progress.step + max(1, round(left / step))
        why = f"{self._minutes:g} minutes at {step * 1000:.0f} ms a step, measured at step {progress.step:,}"
        return settled.model_copy(
            update={"steps": total, "epochs": round(budget.epochs * total / budget.steps, 3), "why": why}
        )
