"""TMX 1.4: translation memories, streamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from mirada.corpora.inline import Numbering, Role, UnknownEntityError, Vocabulary, local_name, parts
from mirada.corpora.languages import best, wrong_languages
from mirada.corpora.lines import faultless, shown
from mirada.corpora.opening import Meter
from mirada.corpora.pair import Fault, Pair, Passed, Place, Said, Unit
from mirada.corpora.pieces import aligned, lines_of
from mirada.corpora.xml_stream import LANGUAGE, Element, stream, text_of, without_layout

LANGUAGES = 200  # how many different ones are remembered for the error that lists them

Variants = list[tuple[str, Element]]


def _identity(element: Element, role: Role) -> str:
    """What says that two codes are the same: `i` ties bpt to ept, `x` a source's code to the target's."""
    if role not in (Role.OPEN, Role.CLOSE):
        # What <hi> holds is translated, so it cannot tell; what the others hold is code.
        told = element.get("type", "") if role is Role.AROUND else text_of(element)
        alike = f"{local_name(element)} {told}"
        return f"x {element.get('x')}" if element.get("x") else alike
    tie = element.get("i", "")
    across = element.get("x") if role is Role.OPEN else _across(element, tie)
    return f"x {across}" if across else f"i {tie}"


def _across(end: Element, tie: str) -> str | None:
    """The `x` of the bpt that an ept ends; the ept itself has none."""
    earlier = end.itersiblings("{*}bpt", preceding=True)
    return next((one.get("x") for one in earlier if one.get("i", "") == tie), None)


VOCABULARY = Vocabulary(
    {
        "bpt": Role.OPEN,
        "ept": Role.CLOSE,
        "hi": Role.AROUND,
        "ph": Role.ALONE,
        "it": Role.ALONE,
        "ut": Role.ALONE,
        "sub": Role.AROUND,
    },
    _identity,
)


def read_tmx(path: Path, source: str, target: str, meter: Meter | None = None) -> Iterator[Unit]:
    """The pairs of a translation memory; a unit without one of the languages is a Fault."""
    found: Counter[str] = Counter()
    paired = False
    for number, unit in enumerate(stream(path, "tmx", ("tu",), meter), start=1):
        given = variants(unit)
        if len(found) < LANGUAGES:
            found.update(tag for tag, _ in given)
        sides = chosen(given, source), chosen(given, target)
        paired = paired or all(sides)
        yield from _units(sides[0], sides[1], (source, target), Place(str(path), number))
    if found and not paired:
        raise wrong_languages(path, found, source, target)


def variants(unit: Element) -> Variants:
    """The languages of a unit with their segments."""
    listed = []
    for variant in unit.iterchildren("{*}tuv"):
        segment = variant.find("{*}seg")
        if segment is not None:
            listed.append((variant.get(LANGUAGE) or variant.get("lang") or "", segment))
    return listed


def chosen(given: Variants, asked: str) -> list[Element]:
    """The segments in the tag that serves best; several, when a unit has several translations."""
    wanted = set(best(asked, [tag for tag, _ in given]))
    return [segment for tag, segment in given if tag in wanted]


def _units(left: list[Element], right: list[Element], asked: tuple[str, str], place: Place) -> Iterator[Unit]:
    if not left:
        text = text_of(right[0]) if right else ""
        yield Fault(place, f"no source: the unit has no {asked[0]}", shown(text))
        return
    if not right:
        fault = Fault(place, f"no target: the unit has no {asked[1]}", shown(text_of(left[0])))
        yield passing_on(fault, left[:1], VOCABULARY)
        return
    yield from pair_segments(left[0], right, VOCABULARY, place)


def passing_on(fault: Fault, sources: Sequence[Element], vocabulary: Vocabulary) -> Fault:
    """What is said of a unit without a target, with its sources, if those can be read."""
    try:
        texts = [source_text(source, vocabulary) for source in sources]
    except UnknownEntityError:
        return fault
    return Passed(fault.place, fault.reason, fault.text, Said(lines_of("\n".join(texts))))


def source_text(source: Element, vocabulary: Vocabulary) -> str:
    """The text of a segment by itself; one with an unknown entity raises."""
    return _text(source, vocabulary, Numbering())


def pair_segments(left: Element, right: Sequence[Element], vocabulary: Vocabulary, place: Place) -> Iterator[Unit]:
    """The pairs of a segment and its translations, with the same numbers for the same codes."""
    said: Said | None = None
    for segment in right:
        numbering = Numbering() if len(left) or len(segment) else None  # most hold no codes, and need no numbers
        try:
            source = _text(left, vocabulary, numbering)
        except UnknownEntityError as problem:
            yield Fault(place, str(problem), shown(text_of(left)))
            return
        said = said or Said(lines_of(source))
        try:
            target = _text(segment, vocabulary, numbering, own=False)
        except UnknownEntityError as problem:
            yield Passed(place, str(problem), shown(text_of(left)), said)
            continue
        yield from pair_texts(source, target, place, said)


def _text(segment: Element, vocabulary: Vocabulary, numbering: Numbering | None, own: bool = True) -> str:
    text = (segment.text or "") if numbering is None else numbering.text(parts(segment, vocabulary), own)
    return without_layout(text, segment)


def pair_texts(source: str, target: str, place: Place, said: Said, first: int = 0) -> Iterator[Unit]:
    """The pairs of two texts, line by line where both have the same lines; without text, a Fault.

    `first` is the line that the source begins with in what is `said`. What cannot be used was said all the same.
    """
    for side in (faultless(source, place), faultless(target, place)):
        if isinstance(side, Fault):
            yield Passed(place, side.reason, side.text, said)
            return
    if not source.strip():
        yield Passed(place, "no source", shown(source or target), said)
        return
    if not target.strip():
        yield Passed(place, "no target", shown(source), said)
        return
    for number, (one, other) in enumerate(aligned(source, target), start=first):
        yield Pair(one, other, place, said=said, line=number)
