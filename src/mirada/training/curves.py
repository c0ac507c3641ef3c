"""Curves: loss and scores over the steps of a run, as a picture."""

from __future__ import annotations

from pathlib import Path

from mirada.training import metrics

NAME = "curves.png"


def draw(folder: Path) -> Path | None:
    """`curves.png` of a run's metrics; None where there is nothing to draw yet."""
    from matplotlib.figure import Figure  # heavy, and needed once in a run

    lines = list(metrics.read(folder))
    trained = [(line["step"], line["loss"]) for line in lines if line.get("kind") == "training"]
    checked = [line for line in lines if line.get("kind") == "validation"]
    if not trained or not checked:
        return None
    figure = Figure(figsize=(9, 4), layout="constrained")
    losses, scores = figure.subplots(1, 2)
    losses.plot(*zip(*trained, strict=True), color="tab:gray", linewidth=0.8, label="training (smoothed labels)")
    steps = [line["step"] for line in checked]
    losses.plot(steps, [line["loss"] for line in checked], marker="o", markersize=3, label="development")
    losses.set(xlabel="step", ylabel="loss of a token", title="Loss")
    losses.legend()
    for name in ("chrf", "bleu"):
        values = [line.get(name) for line in checked]
        if all(isinstance(value, int | float) for value in values):
            scores.plot(steps, values, marker="o", markersize=3, label={"chrf": "chrF", "bleu": "BLEU"}[name])
    scores.set(xlabel="step", title="Score on the development set (greedy)")
    scores.legend()
    path = folder / NAME
    figure.savefig(path, dpi=110)
    return path
