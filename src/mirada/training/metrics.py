"""`metrics.jsonl`: one JSON object a line, in the order of the steps, also after a resume."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from mirada.corpora.writing import replacing

NAME = "metrics.jsonl"
LONGEST_LINE = 10_000


def cut_after(folder: Path, step: int) -> None:
    """Forget what a run wrote after the step it goes on from: it will write it again."""
    kept = [line for line in read(folder) if line.get("step", 0) <= step]  # type: ignore[operator]
    with replacing(folder / NAME) as out:
        out.write("".join(json.dumps(line) + "\n" for line in kept).encode())


def append(folder: Path, values: Mapping[str, object]) -> None:
    """Add a line."""
    with (folder / NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(dict(values)) + "\n")


def read(folder: Path) -> Iterator[dict[str, object]]:
    """The lines; one that was torn by a sudden end is passed over."""
    path = folder / NAME
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                values = json.loads(line[:LONGEST_LINE])
            except ValueError:
                continue
            if isinstance(values, dict):
                yield values
