"""Drawings of a pattern: queries i down, keys j across, one cell for each pair.

Legend: Q queries, K keys. Both drawings are read off `allows`, as every kernel is.
"""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import escape

import torch
from jaxtyping import Bool
from torch import Tensor

from mirada.attention.pattern import Pattern

LONGEST = 512  # places; beyond it a cell is narrower than a pixel of a screen


@dataclass(frozen=True)
class Glyphs:
    """The signs of a text drawing, two characters wide, so that a cell looks square."""

    allowed: str
    hidden: str


BLOCKS = Glyphs("██", "· ")
ASCII = Glyphs("##", ". ")


def glyphs_for(encoding: str | None) -> Glyphs:
    """The best glyphs that an encoding can print."""
    try:
        (BLOCKS.allowed + BLOCKS.hidden).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def allowed_pairs(pattern: Pattern, length: int) -> Bool[Tensor, "Q K"]:
    """The pairs (i, j) of `length` places that a pattern allows."""
    _check_length(pattern, length)
    places = torch.arange(length)
    return pattern.allows(places[:, None], places[None, :]).expand(length, length)


def as_text(pattern: Pattern, length: int, glyphs: Glyphs = BLOCKS) -> str:
    """A pattern drawn for the terminal, as lines of text."""
    corner = r"i\j "
    step = _label_step(length)
    lines = [corner + _key_labels(length, step)]
    for i, row in enumerate(allowed_pairs(pattern, length).tolist()):
        label = str(i) if i % step == 0 else ""
        cells = "".join(glyphs.allowed if allowed else glyphs.hidden for allowed in row)
        lines.append(f"{label:>{len(corner) - 1}} {cells}")
    return "\n".join(line.rstrip() for line in lines)


def as_svg(pattern: Pattern, length: int) -> str:
    """A pattern drawn as a self-contained SVG picture, in light or dark as the reader's screen is."""
    return _Picture(str(pattern), allowed_pairs(pattern, length)).svg()


def _check_length(pattern: Pattern, length: int) -> None:
    if not 1 <= length <= LONGEST:
        raise ValueError(f"length = {length} cannot be drawn; use 1 to {LONGEST}")
    if pattern.places is not None and length > pattern.places:
        places = pattern.places
        raise ValueError(f"length = {length}, but {pattern} knows {places} places; use {places} or less")


def _label_step(length: int) -> int:
    """Every how many places a label stands: a power of two, about eight labels in all."""
    return 1 << max(0, (length - 1).bit_length() - 3)


def _key_labels(length: int, step: int) -> str:
    # A label may be wider than its cell, never wider than the step to the next: 8 places need no more than
    # one digit, and from there a step grows faster than the digits do.
    return "".join(f"{j:<{2 * step}}" for j in range(0, length, step))


def _runs(row: list[bool]) -> Iterator[tuple[int, int]]:
    """The first place and the length of each stretch of allowed cells in a row."""
    start = 0
    for allowed, cells in groupby(row):
        size = len(list(cells))
        if allowed:
            yield start, size
        start += size


# The pictures may stand together in one page, where styles and ids are common to all: hence the long class
# name, and no ids. A screen reader takes the first <title> and <desc> without them.
_STYLE = """
.mirada-pattern { --paper: #ffffff; --hidden: #edf0f4; --allowed: #3457c9; --ink: #1f2733; --faint: #5c6675; }
@media (prefers-color-scheme: dark) {
.mirada-pattern { --paper: #14171c; --hidden: #242932; --allowed: #8fb0ff; --ink: #e8ecf2; --faint: #9aa5b4; }
}
.mirada-pattern .paper { fill: var(--paper); }
.mirada-pattern .hidden { fill: var(--hidden); }
.mirada-pattern .allowed { fill: none; stroke: var(--allowed); stroke-width: 1; }
.mirada-pattern .lines { fill: none; stroke: var(--paper); pointer-events: none; }
.mirada-pattern text { fill: var(--faint); font: 12px ui-sans-serif, system-ui, sans-serif; }
.mirada-pattern .caption { fill: var(--ink); font: 600 14px ui-monospace, Menlo, Consolas, monospace; }
""".strip()


@dataclass(frozen=True)
class _Picture:
    """The SVG of one pattern: caption, axes and cells, laid out in pixels."""

    pattern: str
    allowed: Bool[Tensor, "Q K"]

    SIDE = 512  # pixels that the cells fill, about: a cell is a whole number of pixels, for sharp edges
    WIDEST_CELL = 24
    LEFT, RIGHT, BOTTOM = 64, 24, 40
    NARROWEST = 280  # room for the caption and the footer of a small picture
    LETTER = 8.6  # pixels of a caption's letter, rounded up over the usual monospaced fonts
    LINE = 20  # pixels from one line of the caption to the next

    @property
    def length(self) -> int:
        return self.allowed.shape[0]

    @property
    def cell(self) -> int:
        return max(1, min(self.WIDEST_CELL, self.SIDE // self.length))

    @property
    def side(self) -> int:
        return self.cell * self.length

    @property
    def width(self) -> int:
        return max(self.NARROWEST, self.LEFT + self.side + self.RIGHT)

    @property
    def height(self) -> int:
        return self.top + self.side + self.BOTTOM

    @property
    def caption(self) -> list[str]:
        room = int((self.width - 2 * self.RIGHT) / self.LETTER)
        return textwrap.wrap(self.pattern, room, break_on_hyphens=False)

    @property
    def top(self) -> int:
        return 28 + self.LINE * len(self.caption) + 44

    def svg(self) -> str:
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="mirada-pattern" role="img" {size}>',
            f"<title>Attention pattern {escape(self.pattern)}</title>",
            f"<desc>{escape(self.description())}</desc>",
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" width="{self.width}" height="{self.height}" rx="8"/>',
            *self.words(),
            *self.labels(),
            *self.cells(),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def description(self) -> str:
        return (
            f"A square of {self.length} by {self.length} cells, queries i down and keys j across. "
            f"A filled cell means that query i may look at key j. {self.count()}."
        )

    def count(self) -> str:
        pairs, total = int(self.allowed.sum()), self.allowed.numel()
        return f"{pairs:,} of {total:,} pairs allowed ({pairs / total:.0%})"

    def words(self) -> Iterator[str]:
        for line, text in enumerate(self.caption, start=1):
            yield f'<text class="caption" x="{self.RIGHT}" y="{20 + self.LINE * line}">{escape(text)}</text>'
        middle = self.side / 2
        keys = f'x="{self.LEFT + middle:g}" y="{self.top - 28}"'
        queries = f'transform="translate(24 {self.top + middle:g}) rotate(-90)"'
        yield f'<text {keys} text-anchor="middle">keys j</text>'
        yield f'<text {queries} text-anchor="middle">queries i</text>'
        yield f'<text x="{self.LEFT}" y="{self.top + self.side + 24}">{self.count()}</text>'

    def labels(self) -> Iterator[str]:
        for place in range(0, self.length, _label_step(self.length)):
            centre = self.cell * (place + 0.5)
            keys = f'x="{self.LEFT + centre:g}" y="{self.top - 8}" text-anchor="middle"'
            queries = f'x="{self.LEFT - 8}" y="{self.top + centre + 4:g}" text-anchor="end"'
            yield f"<text {keys}>{place}</text>"
            yield f"<text {queries}>{place}</text>"

    def cells(self) -> Iterator[str]:
        # One unit is one cell. A stroke of width 1 along the middle of a row fills its run of cells, in a
        # fifth of the characters that a <rect> takes.
        rows = enumerate(self.allowed.tolist())
        runs = "".join(f"M{start} {i}h{size}" for i, row in rows for start, size in _runs(row))
        place = f'transform="translate({self.LEFT} {self.top}) scale({self.cell})"'
        yield f'<g {place} shape-rendering="crispEdges">'
        yield f'<rect class="hidden" width="{self.length}" height="{self.length}"/>'
        yield f'<path class="allowed" transform="translate(0 0.5)" d="{runs}"/>'
        if self.cell >= 4:  # in smaller cells the lines would be most of the picture
            yield f'<path class="lines" stroke-width="{1 / self.cell:.4f}" d="{self.lines()}"/>'
        yield "</g>"

    def lines(self) -> str:
        between = range(1, self.length)
        across = "".join(f"M0 {i}h{self.length}" for i in between)
        down = "".join(f"M{j} 0v{self.length}" for j in between)
        return across + down
