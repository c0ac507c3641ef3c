"""Filling XML: the places of a tree that want a translation, and the tree written again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from mirada.corpora.filled import Filled
from mirada.corpora.filling_job import Job
from mirada.corpora.inline import Numbering, UnknownEntityError, Vocabulary, parts, write
from mirada.corpora.lines import LINE_BYTES, shown
from mirada.corpora.pair import Fault, Place
from mirada.corpora.pieces import has_words, translated
from mirada.corpora.tmx import source_text
from mirada.corpora.writing import Sink
from mirada.corpora.xml_stream import Element, Tree, without_layout
from mirada.text.asking import Asked
from mirada.text.context import Before, Context


@dataclass(frozen=True, slots=True)
class Slot:
    """A target that waits: the text to translate, the codes in it, and what to do when it is there."""

    text: str
    numbering: Numbering
    target: Element
    place: Place
    finish: Callable[[bool], None]
    context: Context  # what stands before it


def slot(
    source: Element,
    target: Element,
    vocabulary: Vocabulary,
    place: Place,
    filled: Filled,
    finish: Callable[[bool], None],
    before: Before,
) -> Slot | None:
    """The slot of a source and its target, or none when the source cannot be translated."""
    numbering = Numbering()
    try:
        text = without_layout(numbering.text(parts(source, vocabulary)), source)
    except UnknownEntityError as problem:
        filled.review.append(Fault(place, str(problem), ""))
        before.end()
        return None
    context = before.pass_lines(text)
    if len(text) > LINE_BYTES:
        reason = f"{len(text):,} characters long; at most {LINE_BYTES:,} are translated"
        filled.review.append(Fault(place, reason, shown(text)))
        return None
    return Slot(text, numbering, target, place, finish, context)


def pass_by(source: Element, vocabulary: Vocabulary, before: Before) -> None:
    """Let a source that is not translated stand before the next one."""
    if not before.wanted:
        return
    try:
        before.pass_lines(source_text(source, vocabulary))
    except UnknownEntityError:
        before.end()


def fill_slots(job: Job, slots: Sequence[Slot]) -> None:
    """Translate the texts of all slots, and write them with their codes."""
    answers = translated((Asked(one.text, context=one.context) for one in slots), job.translate, job.context)
    for one, (text, answer) in zip(slots, answers, strict=True):
        faithful = write(one.target, answer, one.numbering)
        one.finish(job.filled.judge(text, answer, one.place, faithful) or not has_words(text))


def write_tree(tree: Tree, out: Sink) -> None:
    """Write a tree as it was declared: its encoding, its DOCTYPE, what stands before and behind the root."""
    standalone: Any = tree.docinfo.standalone or None  # "no" is what saying nothing means
    encoding = tree.docinfo.encoding or "UTF-8"
    written: Any = etree.tostring(tree, encoding=encoding, xml_declaration=True, standalone=standalone)
    out.write(written + b"\n")


def insert_after(element: Element, new: Element) -> None:
    """Put a new element behind another, indented alike."""
    parent = element.getparent()
    if parent is None:
        raise ValueError("an element without a parent has no place behind it")
    previous = element.getprevious()
    indent = parent.text if previous is None else previous.tail
    new.tail = element.tail
    element.tail = indent
    parent.insert(parent.index(element) + 1, new)
