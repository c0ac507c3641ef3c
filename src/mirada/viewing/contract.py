"""The contract of a view: all that was seen of a model at one sentence, as JSON that pages and programs read.

A view names *sequences* (what is looked from and at), *patterns* (who may look at whom) and *maps* (who looked at
whom, for every layer and head). Nothing of these is particular to translation: a model that reads has the one sequence
"read" and one group of maps, a picture's sequence has the kind "patches" and a grid, a graph's the kind "nodes" and its
edges as pattern. What the model said stands in *steps*, at the places where it said it, and in *said*, of the whole.
`mirada.viewing.packing` writes and reads the numbers. What later versions add has a default: older views can be read.

Legend: H heads, Q queries, K keys.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA: Final = 1

Task = Literal["translation", "lm", "mlm", "tag", "classify", "caption", "nodes"]
Mark = Literal["begin", "end", "line", "class", "mask"]  # of a place that is no part of the text, or ends a line of it


class Part(BaseModel):
    """A part of the contract: frozen, and a key that is not known is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Sequence(Part):
    """Places that are looked from or at: tokens of a text, patches of a picture, nodes of a graph."""

    kind: Literal["text", "patches", "nodes"] = "text"
    language: str = ""  # BCP-47
    direction: Literal["ltr", "rtl"] = "ltr"
    labels: tuple[str, ...]
    words: tuple[int, ...]  # the number of the word that each place belongs to
    marks: dict[int, Mark] = Field(default_factory=dict)  # places that have a name instead of a text
    grid: tuple[int, int] | None = None  # height and width, if the places are those of a picture; marks stand before
    picture: str | None = None  # itself, small: a PNG file in base64


class Pattern(Part):
    """N(i): who may look at whom, one bit for each pair, row by row, the first pair in the highest bit."""

    name: str
    queries: int
    keys: int
    allowed: str  # base64


class Map(Part):
    """α of every head of one layer, a byte for each allowed pair; pairs that are not allowed have the weight 0.

    weight = low + byte / 255 · (high − low), where `highs` and `lows` are float32 (little-endian), H · Q of each.
    `lows` is left out where all are 0. The error is at most (high − low) / 510.
    """

    group: str  # "encoder", "decoder", "cross": maps of one group differ in their layer
    kind: Literal["self", "cross"]
    layer: int  # from 0
    heads: int
    queries: str  # name of a sequence
    keys: str
    pattern: int  # number of a pattern
    score: str
    position: str
    kernel: str  # how the output beside was computed
    weights: str  # base64 of H · (allowed pairs) bytes
    highs: str
    lows: str | None = None


class Link(Part):
    """A token of the target and the token of the source that it was looked up at."""

    source: int
    target: int
    weight: float


class Alignment(Part):
    """The lines between source and target, and the layer whose mean over the heads they come from."""

    group: str = "cross"
    layer: int
    links: tuple[Link, ...]


class Candidate(Part):
    """A token that could have been the next, and its probability."""

    token: str
    probability: float


class Step(Part):
    """What the model says at one place: the likeliest candidates, and the token that was written, or stands there.

    A translator's step n writes place n of "written". A step of others says which `place` of "read" it is about; a
    place behind the last is what comes next, and nothing stands there yet.
    """

    token: str | None
    probability: float | None
    rank: int | None  # 1 for the likeliest
    candidates: tuple[Candidate, ...]
    place: int | None = None


class Lens(Part):
    """What the model would say if it stopped after a layer: its states there, taken for the last ones (logit lens).

    A table with a row for each layer, a column for each step, and in each cell the `best` likeliest tokens: their
    numbers in `tokens` (uint16, little-endian) and their probabilities (byte / 255).
    """

    layers: int
    best: int
    tokens: tuple[str, ...]
    numbers: str  # base64
    probabilities: str  # base64


class Tree(Part):
    """The beam's tree as columns, a number for each node; parents stand before their children.

    A parent of −1 is the root. `probabilities` are those of the token alone, after its parent; `totals` are the
    log-probabilities of all tokens up to here.
    """

    parents: tuple[int, ...]
    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]
    totals: tuple[float, ...]
    ended: tuple[bool, ...]
    best: tuple[int, ...]  # the nodes of what was chosen


class Positions(Part):
    """How order enters: a table with a row for each place (or each distance, for shaw) and a column for coordinates.

    Row r stands for place or distance `first` + r; value = low + byte / 255 · (high − low).
    """

    kind: Literal["sinusoidal", "learned", "rotary", "shaw"]
    name: str
    maps: tuple[int, ...]  # the maps inside which it works; none: it joins the input
    first: int
    rows: int
    columns: int
    low: float
    high: float
    values: str  # base64


class Start(Part):
    """What a page shows first; head None is the mean over the heads."""

    group: str
    layer: int
    head: int | None = None


class View(Part):
    """All that was seen at one sentence."""

    schema_number: Literal[1] = SCHEMA
    mirada: str  # the version that looked
    task: Task = "translation"
    model: str  # a name for people
    text: str
    translation: str = ""  # what the model itself says
    reference: str | None = None  # what it was made to say instead, if anything
    score: float | None = None  # log-probability / length of the translation, or of the text that a model read
    flags: tuple[str, ...] = ()
    sequences: dict[str, Sequence]
    patterns: tuple[Pattern, ...]
    maps: tuple[Map, ...]
    alignment: Alignment | None = None
    steps: tuple[Step, ...] = ()
    said: tuple[Candidate, ...] = ()  # of the whole: its classes, the likeliest first
    lens: Lens | None = None
    tree: Tree | None = None
    positions: tuple[Positions, ...] = ()
    start: Start
