"""A look as a picture: an SVG file with the words that look down, those that are looked at across, darker for more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from mirada.viewing.contract import View
from mirada.viewing.heat import Axis, Chosen, between, title

LONGEST = 24  # letters of a label
FAINTEST = 0.005  # a weight below it is not seen

# Pictures may stand together in one page, where styles are common to all: hence the long class name, and no ids.
_STYLE = """
.mirada-look { --paper: #ffffff; --cell: #edf0f4; --weight: #3457c9; --ink: #1f2733; --faint: #5c6675; }
@media (prefers-color-scheme: dark) {
.mirada-look { --paper: #14171c; --cell: #242932; --weight: #8fb0ff; --ink: #e8ecf2; --faint: #9aa5b4; }
}
.mirada-look .paper { fill: var(--paper); }
.mirada-look .cells { fill: var(--cell); }
.mirada-look .weights rect { fill: var(--weight); }
.mirada-look text { fill: var(--ink); font: 13px ui-sans-serif, system-ui, sans-serif; }
.mirada-look .caption { fill: var(--faint); font-size: 12px; }
""".strip()


def as_picture(view: View, chosen: Chosen, *, subwords: bool = False) -> str:
    """The weights of a head between words or subwords, in light or dark as the reader's screen is."""
    found = view.maps[chosen.number]
    rows, columns = (Axis.of(view.sequences[name], subwords) for name in (found.queries, found.keys))
    return _Picture(
        title(view, chosen),
        [cut_label(label) for label in rows.labels],
        [cut_label(label) for label in columns.labels],
        between(view, chosen, rows, columns),
    ).svg()


def svg_head(name: str, style: str, size: tuple[int, int], caption: str, description: str) -> Iterator[str]:
    """How an SVG file begins: its size, what it is for those who cannot see it, its style and its paper."""
    width, height = size
    box = f'width="{width}" height="{height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" {box} viewBox="0 0 {width} {height}">'
    yield f"<title>{escape(caption)}</title>"
    yield f"<desc>{escape(description)}</desc>"
    yield f"<style>{style}</style>"
    yield f'<rect class="paper" {box} rx="8"/>'


def cut_label(label: str) -> str:
    """A label that is not too long for a picture."""
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


@dataclass(frozen=True, eq=False)
class _Picture:
    """The SVG of one look: a caption, the words of both axes, and the cells, laid out in pixels."""

    caption: str
    rows: list[str]
    columns: list[str]
    weights: NDArray[np.float32]

    CELL = 26
    LETTER = 7.6  # pixels of a label's letter, rounded up over the usual fonts
    EDGE = 16
    CAPTION = 28

    @property
    def left(self) -> int:
        return self.EDGE + 8 + round(self.LETTER * max(map(cell_len, self.rows)))

    @property
    def top(self) -> int:
        # Labels of columns rise at 60 degrees: 0.87 of their length.
        return self.CAPTION + self.EDGE + 8 + round(0.87 * self.LETTER * max(map(cell_len, self.columns)))

    @property
    def width(self) -> int:
        # The last column's label leans half its length beyond the cells.
        leaning = round(0.5 * self.LETTER * cell_len(self.columns[-1]))
        least = 2 * self.EDGE + round(0.9 * self.LETTER * cell_len(self.caption))
        return max(self.left + self.CELL * len(self.columns) + leaning + self.EDGE, least)

    @property
    def height(self) -> int:
        return self.top + self.CELL * len(self.rows) + self.EDGE

    def svg(self) -> str:
        return "\n".join(
            [
                *svg_head("mirada-look", _STYLE, (self.width, self.height), self.caption, self.description()),
                f'<text class="caption" x="{self.EDGE}" y="{self.CAPTION}">{escape(self.caption)}</text>',
                *self.labels(),
                *self.cells(),
                "</svg>\n",
            ]
        )

    def description(self) -> str:
        """For each word the one that it looks at most, for those who cannot see the cells."""
        most = self.weights.argmax(1).tolist()
        looks = [f"{row} at {self.columns[place]}" for row, place in zip(self.rows, most, strict=True)]
        return f"Each word looks most: {', '.join(looks)}."

    def labels(self) -> Iterator[str]:
        for place, word in enumerate(self.columns):
            x = self.left + self.CELL * (place + 0.6)
            turned = f'transform="translate({x:g} {self.top - 8}) rotate(-60)"'
            yield f"<text {turned}>{escape(word)}</text>"
        for place, word in enumerate(self.rows):
            y = self.top + self.CELL * (place + 0.5) + 5
            yield f'<text x="{self.left - 8}" y="{y:g}" text-anchor="end">{escape(word)}</text>'

    def cells(self) -> Iterator[str]:
        across, down = self.CELL * len(self.columns), self.CELL * len(self.rows)
        yield f'<rect class="cells" x="{self.left}" y="{self.top}" width="{across}" height="{down}"/>'
        yield '<g class="weights">'
        for i, row in enumerate(self.weights.tolist()):
            for j, weight in enumerate(row):
                if weight >= FAINTEST:
                    place = f'x="{self.left + self.CELL * j}" y="{self.top + self.CELL * i}"'
                    size = f'width="{self.CELL - 1}" height="{self.CELL - 1}"'
                    yield f'<rect {place} {size} fill-opacity="{min(1.0, weight):.2f}"/>'
        yield "</g>"
