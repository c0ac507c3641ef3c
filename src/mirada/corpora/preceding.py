"""What precedes: the pairs of documents, each with the sources that stand before it.

It is made before anything is checked or split: what is dropped as a pair was said all the same, and is context. A
document ends with its file, with a line that is empty on both sides, where the file itself says so, and where
something could not be read, since nobody knows what stood there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mirada.corpora.pair import Blank, Fault, Pair, Unit
from mirada.text.context import Before


@dataclass(slots=True)
class Documents:
    """How many documents were read."""

    count: int = 0


def preceded(units: Iterable[Unit], count: int, found: Documents) -> Iterator[Unit]:
    """The units, each pair with up to `count` sources before it; empty lines end documents, and are no units."""
    before = Before(count)
    last: Pair | None = None  # in the same document
    for unit in units:
        if isinstance(unit, Fault):
            before.end()
            if isinstance(unit, Blank):
                last = None
            else:
                yield unit
        elif _is_empty(unit):
            before.end()
            last = None
        else:
            if last is None or (last.place.file, last.document) != (unit.place.file, unit.document):
                before.end()
                found.count += 1
            again = last is not None and (last.place, last.source) == (unit.place, unit.source)
            # A second translation of a source stands where the first does.
            context = last.context if again and last is not None else before.pass_by(unit.source)
            last = replace(unit, context=context)
            yield last


def _is_empty(pair: Pair) -> bool:
    return not pair.source.strip() and not pair.target.strip()
