"""A job of filling: a file, and how its translations are put in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mirada.corpora.filled import Filled
from mirada.corpora.pieces import Translate


@dataclass(frozen=True, slots=True)
class Job:
    """A file that is filled: its languages, who translates, what is translated, and what has become of it so far."""

    path: Path
    asked: tuple[str, str]  # the languages of source and target
    translate: Translate
    overwrite: bool  # whether what is translated already is translated again
    context: int  # how many texts before each are given with it
    filled: Filled = field(default_factory=Filled)
