"""Filling TMX: a variant in the target's language for every unit."""

from __future__ import annotations

from functools import partial

from lxml import etree

from mirada.corpora.filling_job import Job
from mirada.corpora.filling_xml import Slot, fill_slots, insert_after, pass_by, slot, write_tree
from mirada.corpora.languages import wrong_languages
from mirada.corpora.pair import Place
from mirada.corpora.tmx import VOCABULARY, chosen, variants
from mirada.corpora.writing import Sink
from mirada.corpora.xml_stream import LANGUAGE, Element, text_of, whole
from mirada.text.context import Before

REVIEW = "x-needs-review"  # TMX has no states; a prop of one's own is how it lets tools say more


def fill_tmx(job: Job, out: Sink) -> None:
    """Give each unit that has the source a target, if it has none with text."""
    path, asked, filled = job.path, job.asked, job.filled
    tree = whole(path, "tmx")
    before = Before(job.context)
    slots: list[Slot] = []
    found: set[str] = set()
    served = False
    for number, unit in enumerate(tree.iter("{*}tu"), start=1):
        given = variants(unit)
        found.update(tag for tag, _ in given)
        source = next(iter(chosen(given, asked[0])), None)
        served = served or source is not None
        if source is None:
            filled.kept += 1
            before.end()
        elif not text_of(source).strip():
            filled.kept += 1
            pass_by(source, VOCABULARY, before)
        else:
            made = _slot(job, unit, source, Place(str(path), number), before)
            slots.extend([made] if made else [])
    if found and not served:
        raise wrong_languages(path, found, *asked)
    fill_slots(job, slots)
    write_tree(tree, out)


def _slot(job: Job, unit: Element, source: Element, place: Place, before: Before) -> Slot | None:
    language = job.asked[1]
    existing = next(iter(chosen(variants(unit), language)), None)
    if existing is not None and text_of(existing).strip() and not job.overwrite:
        job.filled.kept += 1
        pass_by(source, VOCABULARY, before)
        return None
    target = _new_segment(source, language) if existing is None else existing
    return slot(source, target, VOCABULARY, place, job.filled, partial(_finish, target), before)


def _new_segment(source: Element, language: str) -> Element:
    beside = source.getparent()
    if beside is None:
        raise ValueError("a segment stands in a variant")
    variant = etree.Element(beside.tag)
    variant.set("lang" if beside.get(LANGUAGE) is None and beside.get("lang") else LANGUAGE, language)
    insert_after(beside, variant)
    return etree.SubElement(variant, source.tag)


def _finish(segment: Element, faithful: bool) -> None:
    variant = segment.getparent()
    if variant is None:
        return
    for prop in variant.findall("{*}prop"):
        if prop.get("type") == REVIEW:
            variant.remove(prop)
    if not faithful:
        prop = etree.Element(etree.QName(etree.QName(segment).namespace, "prop"), {"type": REVIEW})
        prop.text = "yes"
        variant.insert(variant.index(segment), prop)
