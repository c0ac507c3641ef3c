"""What precedes: the pairs of documents, each with the sources that stand before it.

It is made before anything is checked or split: what is dropped as a pair was said all the same, and is context, and so
is what nobody has translated yet. A document ends with its file, with a line that is empty on both sides, where the
file itself says so, and where something could not be read, since nobody knows what stood there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mirada.corpora.pair import Blank, Fault, Pair, Passed, Place, Unit
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
    place: Place | None = None
    stood: dict[str, Context] = {}  # before the sources of this place: a second translation stands where the first does
    for unit in units:
        if _is_empty(unit):
            before.end()
            document = None
        elif isinstance(unit, Pair | Passed):
            if document != (unit.place.file, unit.document):
                before.end()
                found.count += 1
            document = unit.place.file, unit.document
            if unit.place != place:
                place, stood = unit.place, {}
            passing = before.pass_by if isinstance(unit, Pair) else before.pass_lines
            if unit.source not in stood:
                stood[unit.source] = passing(unit.source)
            yield replace(unit, context=stood[unit.source]) if isinstance(unit, Pair) else unit
        else:
            before.end()
            yield unit


def _is_empty(unit: Unit) -> bool:
    if isinstance(unit, Fault):
        return isinstance(unit, Blank)
    return not normalise(unit.source) and not normalise(unit.target)
