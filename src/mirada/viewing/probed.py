"""What heads know of syntax, as a picture: how often the best head of a relation is right, beside a fixed offset."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from mirada.evaluation.probing import Finding

COLOURS = ("#3457c9", "#c2571a", "#9aa5b4")
TALLEST = 40  # relations; more would not be read


def draw_findings(path: Path, findings: Sequence[Finding], untrained: Mapping[str, float] | None = None) -> bytes:
    """The picture in the format that its name asks for, the relations with the greatest gain first."""
    import matplotlib as mpl
    from matplotlib.figure import Figure  # heavy, and needed once

    shown = findings[:TALLEST]
    figure = Figure(figsize=(8, 1.4 + 0.34 * len(shown)), layout="constrained")
    axes = figure.subplots()
    bars = {"best head": [one.accuracy for one in shown], "best fixed offset": [one.baseline for one in shown]}
    if untrained is not None:
        bars["untrained"] = [untrained.get(one.relation, 0.0) for one in shown]
    thick = 0.8 / len(bars)
    for number, (label, values) in enumerate(bars.items()):
        places = [row + (number - (len(bars) - 1) / 2) * thick for row in range(len(shown))]
        axes.barh(places, [100 * value for value in values], height=thick, label=label, color=COLOURS[number])
    names = [f"{one.relation}  ({one.layer}-{one.head}, {one.cases:,})" for one in shown]
    axes.set_yticks(range(len(shown)), names)
    axes.set(xlabel="right, of 100 (layer-head, cases)", xlim=(0, 100))
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.grid(axis="x", linewidth=0.4)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    # The same findings give the same bytes: no date, and ids from the content alone. Letters stay letters.
    with mpl.rc_context({"svg.hashsalt": "mirada", "svg.fonttype": "none"}):
        picture = io.BytesIO()
        kind = path.suffix.lower()
        figure.savefig(picture, format=kind[1:], dpi=110, metadata={"Date": None} if kind == ".svg" else None)
    return picture.getvalue()
