"""The budget: from steps, epochs or minutes to a number of steps and of looks at the development set."""

from __future__ import annotations

from math import ceil

from mirada.corpora.verdict import choose_epochs
from mirada.models.config import Strict
from mirada.training.config import BudgetConfig

MEASURE_SHARE = 0.02  # of the minutes, spent on measuring a step
MEASURE_SECONDS = (2.0, 15.0)  # least and most of it
MEASURE_STEPS = 5
VALIDATION_SHARE = 0.08  # of the minutes, for validations
LAST_VALIDATIONS = 2  # at the end: of the best weights, and of the mean of the best
FEWEST_VALIDATIONS = 3
STEPS_BETWEEN = 25  # two validations, at least


class Budget(Strict):
    """What was decided about the length of a run; recorded, and kept when it goes on."""

    steps: int
    validations: int
    epochs: float  # that the steps amount to
    why: str
    spent: float = 0.0  # seconds of a budget of minutes that went by before the first step
    settled: bool = True  # one of minutes is so from the first validation on; see `mirada.training.pace`


def asked(config: BudgetConfig) -> str | None:
    """The one thing that was asked for; None where nothing was."""
    given = [name for name in ("steps", "epochs", "minutes") if getattr(config, name) is not None]
    if len(given) > 1:
        raise ValueError(f"the budget is given as {' and '.join(given)}; use one of them")
    return given[0] if given else None


def by_count(config: BudgetConfig, steps_in_epoch: float, tokens_in_epoch: int, validations: int) -> Budget:
    """A budget of steps or epochs; of as many epochs as suit the data where nothing was asked for."""
    if config.steps is not None:
        steps, why = config.steps, "as asked"
    elif config.epochs is not None:
        steps, why = max(1, round(config.epochs * steps_in_epoch)), f"{config.epochs:g} epochs"
    else:
        epochs = choose_epochs(float(tokens_in_epoch))
        steps, why = max(1, round(epochs * steps_in_epoch)), f"{epochs} epochs suit {tokens_in_epoch:,} tokens"
    return _budget(steps, validations, steps_in_epoch, why)


def by_time(
    minutes: float,
    spent: float,
    step: tuple[float, float],
    steps_in_epoch: float,
    validations: int,
    held_out: tuple[float, float],
) -> Budget:
    """A budget of minutes, `spent` seconds of which are gone.

    `step` is the seconds and tokens of a step, `held_out` how many tokens could be trained on in the
    time of a look at the development sample and in that of the test at the end.
    """
    seconds, tokens = step
    second_of_token = seconds / max(1.0, tokens)
    look = held_out[0] * second_of_token
    beside = spent + held_out[1] * second_of_token + LAST_VALIDATIONS * look
    affordable = int(VALIDATION_SHARE * 60 * minutes / max(1e-6, look))
    looks = min(validations, max(FEWEST_VALIDATIONS, affordable))
    steps = int((60 * minutes - beside - looks * look) / seconds)
    if steps < 1:
        # Looks take their share of the time, or as long as the fewest of them; and a minute for more than one step.
        least = max(beside + FEWEST_VALIDATIONS * look + seconds, (beside + seconds) / (1 - VALIDATION_SHARE))
        enough = ceil(least / 60) + 1
        raise ValueError(
            f"--minutes {minutes:g} is too short: {spent:.0f} s went by before the first step, a step takes "
            f"{seconds:.2f} s, and looking at held-out text {look:.0f} s each time; use --minutes {enough} or more, or "
            "--preset tiny"
        )
    why = f"{minutes:g} minutes at {seconds * 1000:.0f} ms a step"
    return _budget(steps, looks, steps_in_epoch, why).model_copy(update={"spent": spent, "settled": False})


def _budget(steps: int, validations: int, steps_in_epoch: float, why: str) -> Budget:
    looks = max(1, min(validations, steps // STEPS_BETWEEN))
    return Budget(steps=steps, validations=looks, epochs=round(steps / steps_in_epoch, 3), why=why)
