"""Curves: loss and scores over the steps of a run, as a picture."""

from __future__ import annotations

from pathlib import Path

from mirada.training import metrics
from mirada.training.preparing import Say

NAME = "curves.png"
NAMES = {"chrf": "chrF", "bleu": "BLEU", "accuracy": "accuracy", "macro_f1": "macro F1"}


def tell(folder: Path, say: Say) -> None:
    """Draw the curves of a finished run, and say where they are."""
    picture = draw(folder)
    if picture is not None:
        say(f"The curves of the run are in {picture}.")


def draw(folder: Path) -> Path | None:
    """`curves.png` of a run's metrics; None where there is nothing to draw yet."""
    from matplotlib.figure import Figure  # heavy, and needed once in a run

    lines = list(metrics.read(folder))
    trained = [(line["step"], line["loss"]) for line in lines if line.get("kind") == "training"]
    checked = [line for line in lines if line.get("kind") == "validation"]
    if not trained or not checked:
        return None
    measured = [name for name in NAMES if all(isinstance(line.get(name), int | float) for line in checked)]
    figure = Figure(figsize=(9, 4), layout="constrained")
    losses, *others = figure.subplots(1, 1 + bool(measured), squeeze=False)[0]
    losses.plot(*zip(*trained, strict=True), color="tab:gray", linewidth=0.8, label="training, as it is minimised")
    steps = [line["step"] for line in checked]
    losses.plot(steps, [line["loss"] for line in checked], marker="o", markersize=3, label="development")
    losses.set(xlabel="step", ylabel="loss of a token", title="Loss")
    losses.legend()
    for scores in others:
        for name in measured:
            scores.plot(steps, [line[name] for line in checked], marker="o", markersize=3, label=NAMES[name])
        scores.set(xlabel="step", title="Score on the development set (greedy)")
        scores.legend()
    path = folder / NAME
    figure.savefig(path, dpi=110)
    return path
