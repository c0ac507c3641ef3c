"""XLIFF 1.2 and 2.0: units of a localised document, streamed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mirada.corpora.inline import Role, Vocabulary, local_name
from mirada.corpora.languages import in_name, matches, wrong_languages
from mirada.corpora.lines import shown
from mirada.corpora.opening import Meter, unpacked_name
from mirada.corpora.pair import CorpusError, Fault, Pair, Passed, Place, Unit
from mirada.corpora.tmx import pair_segments, passing_on
from mirada.corpora.xml_stream import Element, stream, text_of

UNITS = ("trans-unit", "unit")
UNTRANSLATED = ("new", "needs-translation", "initial")  # 1.2 and 2.0: what such a target holds is no translation


def _identity(element: Element, role: Role) -> str:
    """The id; what ends a pair names the id of its beginning, by rid (1.2) or startRef (2.0)."""
    if role is Role.CLOSE:
        return element.get("rid") or element.get("startRef") or element.get("id") or ""
    if role is Role.OPEN:
        return element.get("rid") or element.get("id") or ""
    return element.get("id") or element.get("mid") or local_name(element)


def _mark_role(element: Element) -> Role | None:
    """An annotation may frame a segment, or something that is not to be translated."""
    if local_name(element) != "mrk":
        return None
    if element.get("mtype") == "seg":
        return Role.THROUGH
    if element.get("mtype") == "protected" or element.get("translate") == "no":
        return Role.ALONE
    return Role.AROUND


VOCABULARY = Vocabulary(
    {
        "g": Role.AROUND,
        "x": Role.ALONE,
        "bx": Role.OPEN,
        "ex": Role.CLOSE,
        "bpt": Role.OPEN,
        "ept": Role.CLOSE,
        "it": Role.ALONE,
        "ph": Role.ALONE,
        "pc": Role.AROUND,
        "sc": Role.OPEN,
        "ec": Role.CLOSE,
        "sm": Role.OPEN,
        "em": Role.CLOSE,
        "cp": Role.ALONE,
    },
    _identity,
    _mark_role,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A source, its target if there is one, and the state of the target."""

    source: Element
    target: Element | None
    state: str

    @property
    def translated(self) -> bool:
        """Whether there is a target with text that is meant as a translation."""
        filled = self.target is not None and bool(text_of(self.target).strip())
        return filled and self.state not in UNTRANSLATED


def read_xliff(path: Path, source: str, target: str, meter: Meter | None = None) -> Iterator[Unit]:
    """The pairs of a document; a unit without a translation is a Fault. It may be read against its direction."""
    found: set[str] = set()
    served = False
    for number, unit in enumerate(stream(path, "xliff", UNITS, meter), start=1):
        place = Place(str(path), number)
        given = languages(path, unit)
        found.update(tag for tag in given if tag)
        direction = _direction(given, source, target)
        if direction is None:
            reason = f"the unit is in {given[0]} and {given[1]}, not in {source} and {target}"
            yield Fault(place, reason, shown(text_of(unit).strip()))
            continue
        served = True
        for segment in segments(unit):
            yield from _in_document(_pair(unit, segment, place, direction == "backward"), document_of(unit))
    if found and not served:
        raise wrong_languages(path, found, source, target)


def _in_document(units: Iterator[Unit], document: str) -> Iterator[Unit]:
    for unit in units:
        yield replace(unit, document=document) if isinstance(unit, Pair | Passed) else unit


def document_of(unit: Element) -> str:
    """What names the <file> that a unit stands in: its id (2.0) or what it was made from (1.2)."""
    file = next(unit.iterancestors("{*}file"), None)
    return "" if file is None else f"{file.get('original', '')} {file.get('id', '')}"


def languages(path: Path, unit: Element) -> tuple[str, str]:
    """The languages of the file that a unit stands in; the target's may be known from the name, or not at all."""
    source, target = "", ""
    for level in unit.iterancestors():
        source = source or level.get("source-language") or level.get("srcLang") or ""
        target = target or level.get("target-language") or level.get("trgLang") or ""
    named = in_name(unpacked_name(path).rpartition(".")[0])
    return source, target or (named[1] if named and not (source and matches(named[1], source)) else "")


def _direction(given: tuple[str, str], source: str, target: str) -> str | None:
    if _may_be(source, given[0]) and _may_be(target, given[1]):
        return "forward"
    return "backward" if matches(target, given[0]) and matches(source, given[1]) else None


def _may_be(asked: str, given: str) -> bool:
    """A language that the file does not name is taken to be the asked one."""
    return not given or matches(asked, given)


def segments(unit: Element) -> Iterator[Segment]:
    """The segments of a unit of either version, in order."""
    if local_name(unit) == "unit":
        for segment in unit.iterchildren("{*}segment"):
            source, target = segment.find("{*}source"), segment.find("{*}target")
            if source is not None:
                yield Segment(source, target, segment.get("state", ""))
        return
    source, target = unit.find("{*}source"), unit.find("{*}target")
    if source is None:
        return
    state = "" if target is None else target.get("state", "")
    yield from _cut(unit, target, state) or [Segment(source, target, state)]


def _cut(unit: Element, target: Element | None, state: str) -> list[Segment]:
    """The segments of a unit of 1.2 that marks them in both languages by <mrk mtype="seg">."""
    cut = unit.find("{*}seg-source")
    if cut is None or target is None:
        return []
    left, right = framed(cut), framed(target)
    if not left or left.keys() != right.keys():
        return []
    return [Segment(left[name], right[name], state) for name in left]


def framed(element: Element) -> dict[str, Element]:
    """The segments marked within a text, by their mid; none if the mids do not tell them apart."""
    frames = [mark for mark in element.iter("{*}mrk") if mark.get("mtype") == "seg"]
    named = {frame.get("mid", ""): frame for frame in frames}
    return named if len(named) == len(frames) else {}


def spoken(unit: Element, segment: Segment) -> list[Element]:
    """What a segment says: its source, or what 1.2 marks in it where it waits to be translated mark by mark."""
    cut = unit.find("{*}seg-source")
    if cut is None or segment.translated or local_name(segment.source) == "mrk":
        return [segment.source]
    return list(framed(cut).values()) or [segment.source]


def _pair(unit: Element, segment: Segment, place: Place, backward: bool) -> Iterator[Unit]:
    if not segment.translated or segment.target is None:
        reason = f"no target (state {segment.state})" if segment.state in UNTRANSLATED else "no target"
        fault = Fault(place, reason, shown(text_of(segment.source).strip()))
        yield fault if backward else passing_on(fault, spoken(unit, segment), VOCABULARY)
    elif backward:
        yield from pair_segments(segment.target, [segment.source], VOCABULARY, place)
    else:
        yield from pair_segments(segment.source, [segment.target], VOCABULARY, place)


def require_version(path: Path, root: Element) -> str:
    """The version of a document, 1.x or 2.x; others are refused."""
    version = root.get("version", "")
    if not version.startswith(("1.", "2.")):
        raise CorpusError(f"{path} is XLIFF {version or 'without a version'}; 1.2 and 2.0 can be filled")
    return version[0]
