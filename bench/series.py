"""Forecasters on a real series: errors over seeds, beside the last season and a line through the past.

    python bench/series.py ETTh1.csv --horizons 24 96 --seeds 3 --set data.split=ett

Every run is `mirada train --task forecast` with its defaults and what --set changes. Errors are means over all windows
of the test part in units of each channel's deviation in training, as the literature reports them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import mean, pstdev

from mirada.evaluation.forecasting import ForecastScores
from mirada.tasks.task import Score
from mirada.training.preparing import Files
from mirada.training.report import Tick
from mirada.training.result import ForecastResult
from mirada.training.run import Request, train
from mirada.training.settings import Tree, merge, nested, read_sets
from mirada.training.stopping import Stop

KINDS = ("forecaster", "forecast_transformer")


class Silent:
    """Says nothing."""

    def say(self, text: str) -> None:
        """Nothing."""

    def warn(self, text: str) -> None:
        """A warning is worth a line."""
        print(text, flush=True)

    def step(self, tick: Tick) -> None:
        """Nothing."""

    def validated(self, score: Score, best: bool, select: str) -> None:
        """Nothing."""


def run(series: Path, settings: Tree, folder: Path) -> tuple[ForecastScores, float]:
    """The scores of one run, and the seconds of processor time that it took."""
    begun = time.process_time()
    outcome = train(Request(Files((series,)), folder, None, settings, task="forecast"), Silent(), Stop())
    if not isinstance(outcome.result, ForecastResult):
        raise SystemExit(f"the run in {folder} did not finish")
    return outcome.result.test, time.process_time() - begun


def spread(values: list[float]) -> str:
    """A mean and how far the seeds are from it."""
    return f"{mean(values):.4f} ± {pstdev(values):.4f}"


def row(name: str, errors: list[tuple[float, float]], rest: str = "") -> None:
    squared, absolute = (spread(list(values)) for values in zip(*errors, strict=True))
    print(f"  {name:<22}{squared:>18}{absolute:>18}{rest}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("series", type=Path)
    parser.add_argument("--horizons", type=int, nargs="+", default=[24, 96])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["forecaster"])
    parser.add_argument("--set", dest="sets", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    for horizon in asked.horizons:
        print(f"horizon {horizon}{'':<14}{'MSE':>16}{'MAE':>18}", flush=True)
        beside: dict[str, list[tuple[float, float]]] = {"seasonal naive": [], "linear": []}
        for kind in asked.kinds:
            found: list[ForecastScores] = []
            seconds = []
            for seed in range(1, asked.seeds + 1):
                own = merge(nested("data.horizon", horizon), nested("training.seed", seed))
                settings = merge(merge(own, nested("model.kind", kind)), read_sets(asked.sets))
                with tempfile.TemporaryDirectory() as folder:
                    scores, spent = run(asked.series, settings, Path(folder) / "model")
                found.append(scores)
                seconds.append(spent)
            for name in beside:
                beside[name] = [(found[0].named[name].mse, found[0].named[name].mae)]
            band = mean(one.model.band[1] if one.model.band else float("nan") for one in found)
            errors = [(one.model.mse, one.model.mae) for one in found]
            row(kind, errors, f"   {band:.1%} within the band, {mean(seconds):.0f} s")
        for name, errors in beside.items():
            row(name, errors)


if __name__ == "__main__":
    main()
