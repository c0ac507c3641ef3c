"""Score by length: a curve for each model over the number of words of the source, BLEU beside chrF, as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mirada.evaluation.translation import Bucket, Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".png", ".svg")
MARKERS = "osD^vPX*"  # told apart without colours, too


def draw_by_length(path: Path, curves: Mapping[str, Sequence[Bucket]]) -> bytes:
    """The picture in the format that its name asks for; every model has the same buckets, those of the sources."""
    import matplotlib as mpl
    from matplotlib.figure import Figure  # heavy, and needed once

    kind = path.suffix.lower()
    if kind not in PICTURES:
        raise ValueError(f"{path} cannot be drawn; use a name that ends in {' or '.join(PICTURES)}")
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    panels = figure.subplots(1, 2)
    _panel(panels[0], "BLEU", {label: [one.scores.bleu for one in buckets] for label, buckets in curves.items()})
    _panel(panels[1], "chrF", {label: [one.scores.chrf for one in buckets] for label, buckets in curves.items()})
    buckets = next(iter(curves.values()))
    for axes in panels:
        axes.set_xticks(range(len(buckets)), [f"{one}\n({one.sentences:,})" for one in buckets])
    legend = figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)  # a folder may be called $x
    # The same scores give the same bytes: no date, and ids from the content alone. Letters stay letters.
    with mpl.rc_context({"svg.hashsalt": "mirada", "svg.fonttype": "none"}):
        picture = io.BytesIO()
        figure.savefig(picture, format=kind[1:], dpi=110, metadata={"Date": None} if kind == ".svg" else None)
    return picture.getvalue()


def _panel(axes: Axes, title: str, curves: Mapping[str, Sequence[Metric]]) -> None:
    for number, (label, metrics) in enumerate(curves.items()):
        shown = f" {label}" if label.startswith("_") else label  # a label that begins with _ would be left out
        marker = MARKERS[number % len(MARKERS)]
        axes.plot(range(len(metrics)), [one.score for one in metrics], marker=marker, markersize=5, label=shown)
    axes.set(title=title, xlabel="words of the source (sentences)", ylim=(0, None))
    axes.grid(axis="y", linewidth=0.4)
