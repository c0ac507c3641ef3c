"""What precedes: the pairs of documents, each with the sources that stand before it.

It is made before anything is checked or split: what is dropped as a pair was said all the same, and is context, and so
is what nobody has translated yet, or may translate. A document ends with its file, with a line that is empty on both
sides, where the file itself says so, and where something could not be read, since nobody knows what stood there. Files
are filled by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mirada.corpora.pair import Blank, Fault, Pair, Passed, Said, Unit
from mirada.text.context import Before, Context
from mirada.text.normalise import normalise


@dataclass(slots=True)
class Documents:
    """How many documents were read."""

    count: int = 0


def preceded(units: Iterable[Unit], count: int, found: Documents) -> Iterator[Unit]:
    """The units, each pair with up to `count` sources before it; empty lines end documents, and are no units."""
    before = Before(count)
    document: tuple[str, str] | None = None  # the one that is read: its file, and its name there
    said: Said | None = None  # what was said last
    stood: list[Context] = []  # before each line of it: a second translation stands where the first does
    for unit in units:
        if _is_empty(unit):
            before.end()
            document = None
        elif isinstance(unit, Pair | Passed):
            if document != (unit.place.file, unit.document):
                before.end()
                found.count += 1
            document = unit.place.file, unit.document
            if unit.said is not None and unit.said is not said:
                said, stood = unit.said, [before.pass_lines(line) for line in unit.said.lines]
            if isinstance(unit, Pair):
                context = before.pass_by(unit.source) if unit.said is None else stood[unit.line]
                yield replace(unit, context=context)
            else:
                yield unit
        else:
            before.end()
            yield unit


def _is_empty(unit: Unit) -> bool:
    """Whether it is an empty line, or the row of a table with nothing in it."""
    if isinstance(unit, Fault):
        return isinstance(unit, Blank)
    return unit.said is None and not normalise(unit.source) and not normalise(unit.target)
