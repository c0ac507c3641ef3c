"""What the options of `mirada translate` ask of every translation, and what JSON lines ask of each."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mirada.corpora.pair import Fault
    from mirada.text.asking import Asked

KEYS = ("text", "prefix", "must")


@dataclass(frozen=True)
class Asking:
    """A prefix and phrases for all lines; with `json_lines` each line is an object that may have its own."""

    prefix: str = ""
    must: tuple[str, ...] = ()
    json_lines: bool = False

    def read(self, lines: Iterable[str], origin: str, faults: "list[Fault]") -> "Iterator[Asked]":
        """The texts of lines; one that cannot be read is told, and becomes an empty one, so that lines still match."""
        from mirada.corpora.lines import shown
        from mirada.corpora.pair import Fault, Place
        from mirada.text.asking import Asked

        for number, line in enumerate(lines, start=1):
            try:
                yield self._asked(line)
            except ValueError as error:
                faults.append(Fault(Place(origin, number), str(error), shown(line)))
                yield Asked("")

    def _asked(self, line: str) -> "Asked":
        from mirada.text.asking import Asked

        if not self.json_lines:
            return Asked(line, self.prefix, self.must)
        if not line.strip():
            return Asked("")
        text, prefix, must = _fields(line)
        return Asked(text, prefix or self.prefix, (*self.must, *must))


def _fields(line: str) -> tuple[str, str, tuple[str, ...]]:
    """The text, the prefix and the phrases of a JSON object."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError('this is no JSON; write {"text": "…", "prefix": "…", "must": ["…"]}') from None
    if not isinstance(found, dict) or "text" not in found:
        raise ValueError('this is no object with a text; write {"text": "…"}')
    if unknown := sorted(set(found) - set(KEYS)):
        raise ValueError(f"{unknown[0][:80]!r} is not known; use {', '.join(KEYS)}")
    text, prefix, must = found["text"], found.get("prefix", ""), found.get("must", [])
    if not isinstance(text, str) or not isinstance(prefix, str):
        raise ValueError("text and prefix are to be texts")
    if not isinstance(must, list) or not all(isinstance(one, str) for one in must):
        raise ValueError("must is to be a list of texts")
    return text, prefix, tuple(must)
