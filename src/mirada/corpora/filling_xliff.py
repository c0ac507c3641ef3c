"""Filling XLIFF 1.2 and 2.0: a target with a state for every segment."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path

from lxml import etree

from mirada.corpora.filled import Filled
from mirada.corpora.filling_job import Job
from mirada.corpora.filling_xml import Slot, fill_slots, insert_after, pass_by, slot, write_tree
from mirada.corpora.inline import local_name
from mirada.corpora.languages import matches, wrong_languages
from mirada.corpora.pair import Place
from mirada.corpora.writing import Sink
from mirada.corpora.xliff import (
    UNITS,
    VOCABULARY,
    Segment,
    document_of,
    framed,
    languages,
    require_version,
    segments,
    spoken,
)
from mirada.corpora.xml_stream import SPACE, Element, text_of, whole
from mirada.text.context import Before


def fill_xliff(job: Job, out: Sink) -> None:
    """Give each segment that may be translated a target, if it has none."""
    path, asked, filled = job.path, job.asked, job.filled
    tree = whole(path, "xliff")
    require_version(path, tree.getroot())
    slots: list[Slot] = []
    before, document = Before(job.context), ""
    for number, unit in enumerate(tree.iter(*[f"{{*}}{name}" for name in UNITS]), start=1):
        _require_languages(path, unit, asked)
        place = Place(str(path), number)
        may_be_translated = _may_be_translated(unit)
        filled.kept += not may_be_translated
        if document_of(unit) != document:
            before.end()
        document = document_of(unit)
        for segment in list(segments(unit)):
            kept = segment.translated and not job.overwrite
            filled.kept += may_be_translated and kept
            if may_be_translated and not kept and text_of(segment.source).strip():
                slots.extend(_slots(unit, segment, place, filled, before))
            else:
                for source in spoken(unit, segment):
                    pass_by(source, VOCABULARY, before)
    fill_slots(job, slots)
    write_tree(tree, out)


def _require_languages(path: Path, unit: Element, asked: tuple[str, str]) -> None:
    """The document is in the asked languages; one that names no target gets it."""
    source, target = languages(path, unit)
    if (source and not matches(asked[0], source)) or (target and not matches(asked[1], target)):
        raise wrong_languages(path, [tag for tag in (source, target) if tag], *asked)
    for level in unit.iterancestors():
        name = local_name(level)
        if name == "xliff" and level.get("version", "").startswith("2.") and not level.get("trgLang"):
            level.set("trgLang", asked[1])
        if name == "file" and level.get("source-language") and not level.get("target-language"):
            level.set("target-language", asked[1])


def _may_be_translated(unit: Element) -> bool:
    for level in (unit, *unit.iterancestors()):
        value = level.get("translate")
        if value is not None:
            return value != "no"
    return True


def _slots(unit: Element, segment: Segment, place: Place, filled: Filled, before: Before) -> Iterator[Slot]:
    target = _target(unit, segment) if segment.target is None else segment.target
    holder = _holder(target)
    for name in ("state", "state-qualifier", "subState"):
        holder.attrib.pop(name, "")
    for source, text in _texts(unit, segment, target):
        made = slot(source, text, VOCABULARY, place, filled, partial(_finish, holder), before)
        if made is not None:
            yield made


def _holder(target: Element) -> Element:
    """The element that carries the state: in 1.2 the target, in 2.0 the segment."""
    if local_name(target) == "mrk":
        return next(target.iterancestors("{*}target"))
    segment = next(target.iterancestors("{*}segment"), None)
    return target if segment is None else segment


def _cut(unit: Element) -> Element | None:
    """The source of a unit of 1.2 with its segments marked."""
    return unit.find("{*}seg-source") if local_name(unit) == "trans-unit" else None


def _target(unit: Element, segment: Segment) -> Element:
    """A new target behind the source."""
    cut = _cut(unit)
    target = etree.Element(etree.QName(etree.QName(segment.source).namespace, "target"))
    if segment.source.get(SPACE):
        target.set(SPACE, segment.source.get(SPACE, ""))
    insert_after(segment.source if cut is None else cut, target)
    return target


def _texts(unit: Element, segment: Segment, target: Element) -> list[tuple[Element, Element]]:
    """What is translated into what: the source into the target, or one marked segment into its copy."""
    cut = _cut(unit)
    if cut is None or not framed(cut) or local_name(target) == "mrk":
        return [(segment.source, target)]
    del target[:]
    target.text = cut.text
    target.extend(deepcopy(child) for child in cut)
    sources = framed(cut)
    return [(sources[name], frame) for name, frame in framed(target).items()]


def _finish(holder: Element, faithful: bool) -> None:
    """Set the state, unless a segment before has set it for review."""
    if local_name(holder) == "target":
        if holder.get("state") != "needs-review-translation":
            holder.set("state", "translated" if faithful else "needs-review-translation")
        return
    holder.set("state", "translated")
    if not faithful:  # 2.0 has no such state, but states of one's own below its states
        holder.set("subState", "mirada:needs-review")
