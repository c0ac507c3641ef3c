"""XML from outside: streamed element by element, without entities, DTDs or network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree

from mirada.corpora.opening import Meter, opened
from mirada.corpora.pair import CorpusError

CHUNK = 1 << 16
UNIT_BYTES = 1 << 24  # of one unit, or before the first: as a tree some 200 MB at worst
WHOLE_BYTES = 1 << 27  # of a file that must be held as a tree to be written again
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
Element: TypeAlias = etree._Element  # noqa: SLF001  lxml gives its type no public name
Entity = etree._Entity  # noqa: SLF001
Tree: TypeAlias = etree._ElementTree  # noqa: SLF001

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def stream(path: Path, root: str, units: tuple[str, ...], meter: Meter | None = None) -> Iterator[Element]:
    """Each element of the given local names, complete, with its ancestors; gone when the next one is asked for."""
    names = [f"{{*}}{name}" for name in units]
    parser = etree.XMLPullParser(
        events=("start", "end"),
        tag=[*names, f"{{*}}{root}"],
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,  # libxml2's own limits: a depth of 256, a text of 10 MB
    )
    since_unit = 0
    with opened(path, meter) as source:
        while chunk := source.read(CHUNK):
            since_unit += len(chunk)
            try:
                parser.feed(chunk)
            except etree.XMLSyntaxError as problem:
                yield from _complete(path, parser, units)
                raise _syntax(path, problem) from problem
            for unit in _complete(path, parser, units):
                since_unit = 0
                yield unit
            if since_unit > UNIT_BYTES:
                raise CorpusError(f"{path} holds a unit or a header of more than {UNIT_BYTES:,} bytes; split it")
    _close(path, root, parser)


def _complete(path: Path, parser: etree.XMLPullParser, units: tuple[str, ...]) -> Iterator[Element]:
    for event, element in parser.read_events():
        if not isinstance(element, Element):
            continue
        if etree.QName(element).localname not in units:
            if event == "start":
                _refuse_entities(path, element)
        elif event == "end":
            yield element
            _forget(element)


def _forget(element: Element) -> None:
    """Free a unit that was used, and all that ended before it, at every level above it."""
    element.text = None
    element.attrib.clear()
    del element[:]
    for level in (element, *element.iterancestors()):
        parent = level.getparent()
        while parent is not None and (earlier := level.getprevious()) is not None:
            parent.remove(earlier)


def _refuse_entities(path: Path, root: Element) -> None:
    subset: Any = root.getroottree().docinfo.internalDTD
    if subset is not None and next(iter(subset.iterentities()), None) is not None:
        raise CorpusError(
            f"{path} defines entities of its own in its DOCTYPE; these are refused, because they can read other "
            "files or grow without end; remove the definitions and write the characters themselves"
        )


def _close(path: Path, root: str, parser: etree.XMLPullParser) -> None:
    try:
        top = parser.close()
    except etree.XMLSyntaxError as problem:
        raise _syntax(path, problem) from problem
    _require_root(path, top, root)


def _require_root(path: Path, top: Element, root: str) -> None:
    if etree.QName(top).localname != root:
        raise CorpusError(f"{path} begins with <{etree.QName(top).localname}>, where <{root}> is expected")


def _syntax(path: Path, problem: etree.XMLSyntaxError) -> CorpusError:
    line = problem.lineno or 1
    told = re.sub(r"\s*,?\s*line \d+, column \d+.*", "", problem.msg or "it cannot be parsed")
    return CorpusError(f"{path}, line {line}: the XML is broken or cut off there ({told}); export the file again")


def whole(path: Path, root: str) -> Tree:
    """A file as a tree that can be changed and written again."""
    with opened(path) as source:
        data = source.read(WHOLE_BYTES + 1)
    if len(data) > WHOLE_BYTES:
        raise CorpusError(f"{path} has more than {WHOLE_BYTES:,} bytes, the most that can be filled; split it")
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, strip_cdata=False
    )
    try:
        top = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as problem:
        raise _syntax(path, problem) from problem
    _require_root(path, top, root)
    _refuse_entities(path, top)
    return top.getroottree()


def text_of(element: Element) -> str:
    """All text within an element, whatever elements it stands in."""
    return "".join(str(text) for text in element.itertext())


def keeps_space(element: Element) -> bool:
    """Whether white space within an element is text: xml:space="preserve" on it or nearest above it."""
    for level in (element, *element.iterancestors()):
        value = level.get(SPACE)
        if value is not None:
            return value == "preserve"
    return False


LAYOUT = re.compile(r"[ \t]*\r?\n[ \t]+")


def without_layout(text: str, element: Element) -> str:
    """A text without the line breaks that only indent the XML: those with space behind them, or at its ends."""
    if "\n" not in text or keeps_space(element):
        return text
    return LAYOUT.sub(" ", re.sub(r"^\s*\n\s*|\s*\n\s*$", "", text))
