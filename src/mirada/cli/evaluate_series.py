"""`mirada evaluate` of a forecaster: its errors beside those of simpler ways, and how honest its quantiles are."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.evaluation.forecasting import ForecastScores


def evaluate_series(model: Path, path: Path, as_json: bool) -> None:
    """Print the errors over all windows of a series that the model has not learnt from."""
    from mirada.forecaster import Forecaster

    forecaster = Forecaster.load(model)
    series = forecaster.read(path)
    for remark in series.remarks:
        say(remark)
    scores, which = forecaster.score(series)
    if as_json:
        print_json({"model": str(model), **scores.as_json(), "scored": which})
        return
    typer.echo("\n".join(_lines(scores, which)))


def _lines(scores: "ForecastScores", which: str) -> Iterator[str]:
    yield f"{'':<16}{'MSE':>9}{'MAE':>9}{'pinball':>9}"
    for name, score in scores.named.items():
        pinball = "" if score.pinball is None else f"{score.pinball:9.4f}"
        yield f"{name:<16}{score.mse:9.4f}{score.mae:9.4f}{pinball}"
    below = scores.model.below
    if below:
        yield from ("", f"{'quantile':<16}" + "".join(f"{quantile:>8g}" for quantile, _ in below))
        yield f"{'truths below':<16}" + "".join(f"{share:>8.3f}" for _, share in below)
    if scores.model.band is not None:
        wanted, found = scores.model.band
        yield f"Between the outer two lie {found:.1%} of what came; {wanted:.0%} should."
    yield from ("", f"{scores.model.windows:,} windows of {which}, in units of each channel's deviation in training")
    yield scores.signature
