"""`card.md` of a forecaster: what it was made from, how good it is, and how good simpler ways are."""

from __future__ import annotations

from mirada import __version__
from mirada.models.forecasting_folder import ForecastFolderConfig
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.forecasting_preparing import SeriesFacts
from mirada.training.record import RunRecord
from mirada.training.result import ForecastResult

MOST_NAMES = 20  # of channels


def write_card(
    config: ForecastFolderConfig,
    facts: SeriesFacts,
    record: RunRecord,
    progress: Progress,
    result: ForecastResult,
    name: str,
) -> str:
    """The card as Markdown."""
    more = len(facts.channels) - MOST_NAMES
    names = ", ".join(facts.channels[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
    lines = [
        "# A forecaster",
        "",
        f"Made by mirada {__version__}. Use it: `mirada predict {name} --input series.csv --output forecast.csv`",
        "",
        f"It foretells {config.horizon:,} steps from the {config.model.context:,} before them.",
        "",
        "## Data",
        f"{len(facts.channels):,} channels in steps of one {facts.step}: {names}.",
        f"{facts.train:,} steps trained on, the next {facts.dev:,} looked at, the next {facts.test:,} to test with.",
        *(f"- {remark}" for remark in facts.remarks),
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps, "patches"),
        "## Scores",
        *score_lines(result),
    ]
    return "\n".join(lines) + "\n"


def score_lines(result: ForecastResult) -> list[str]:
    """The scores of the test part as a table, and how honest the quantiles are."""
    test = result.test
    lines = [
        f"Development part: loss {result.development.loss:.4f}. Test part, in units of each channel's deviation:",
        "",
        f"`{test.signature}`",
        "",
        "| | MSE | MAE |",
        "|---|---|---|",
        *(f"| {name} | {score.mse:.4f} | {score.mae:.4f} |" for name, score in test.named.items()),
    ]
    if test.model.pinball is not None:
        lines += ["", f"Pinball loss {test.model.pinball:.4f}."]
    if test.model.band is not None:
        wanted, found = test.model.band
        lines.append(f"Between the outer quantiles lie {found:.1%} of what came; {wanted:.0%} should.")
    return lines
