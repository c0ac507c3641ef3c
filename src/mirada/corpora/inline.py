"""Inline tags: the codes within a segment of TMX or XLIFF, as numbered signs in the text and back again.

A code that stands alone is `<1/>`, a pair of codes is `<1>` … `</1>`, numbered in the order of the source. The
target's codes take the numbers of the source's codes that they match, so that a model sees the same few signs in
every corpus, and a translation that holds them can be given the elements of the source again. A number that the
text itself holds in such a form is left out. What the codes contain (native code, and `sub` flows within it) is
kept in the elements and not shown to the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum

from mirada.corpora.xml_stream import Element, Entity

SIGN = re.compile(r"<\s?(/?)\s?(\d{1,4})\s?(/?)\s?>")  # a model may put a space within
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Key = tuple[str, str, int]


class Role(Enum):
    """What an inline element does with the text around or within it."""

    ALONE = "stands for itself"
    AROUND = "holds text"
    OPEN = "begins what a later element ends"
    CLOSE = "ends what an earlier element began"
    THROUGH = "is only a frame: its text counts, itself does not"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The inline elements of a format: their roles, and the name that makes two of them one and the same."""

    roles: Mapping[str, Role]
    identity: Callable[[Element, Role], str]
    role_of: Callable[[Element], Role | None] = lambda element: None

    def role(self, element: Element) -> Role:
        """The role of an element; a foreign element stands for itself, so that it is kept whole."""
        return self.role_of(element) or self.roles.get(local_name(element), Role.ALONE)


@dataclass(frozen=True, slots=True)
class Mark:
    """One end of an inline element within the text."""

    role: Role
    key: Key
    element: Element
    ends: bool = False


Part = str | Mark


class UnknownEntityError(ValueError):
    """A reference to an entity that the file does not define, or may not."""


def local_name(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]  # ten times as fast as QName, at every code of a corpus


def parts(element: Element, vocabulary: Vocabulary) -> list[Part]:
    """The text and the codes of a segment, in order."""
    found: list[Part] = []
    _collect(element, vocabulary, found, Counter())
    return found


def _collect(element: Element, vocabulary: Vocabulary, found: list[Part], seen: Counter[tuple[str, str, bool]]) -> None:
    if element.text:
        found.append(element.text)
    for child in element:
        if isinstance(child, Entity):
            raise UnknownEntityError(f"the entity {child.text} is not defined; write the character itself")
        if isinstance(child.tag, str):
            _collect_child(child, vocabulary, found, seen)
        if child.tail:
            found.append(child.tail)


def _collect_child(
    child: Element, vocabulary: Vocabulary, found: list[Part], seen: Counter[tuple[str, str, bool]]
) -> None:
    role = vocabulary.role(child)
    if role is Role.THROUGH:
        _collect(child, vocabulary, found, seen)
        return
    group = "alone" if role is Role.ALONE else "pair"
    name = vocabulary.identity(child, role)
    ends = role is Role.CLOSE
    key = (group, name, seen[group, name, ends])
    seen[group, name, ends] += 1  # the same name again is another code
    found.append(Mark(role, key, child, ends))
    if role is Role.AROUND:
        _collect(child, vocabulary, found, seen)
        found.append(Mark(role, key, child, ends=True))


@dataclass(slots=True)
class Numbering:
    """The numbers that codes have in a text, and the elements that they stand for."""

    numbers: dict[Key, int] = field(default_factory=dict)
    starts: dict[int, Mark] = field(default_factory=dict)
    stops: dict[int, Mark] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)

    def text(self, found: Iterable[Part], own: bool = True) -> str:
        """The text of a segment with its signs. `own`: the elements of this segment are the ones to give back."""
        listed = list(found)
        self._reserve(listed)
        halves = _halves(listed)
        return "".join(part if isinstance(part, str) else self._sign(part, halves, own) for part in listed)

    def _reserve(self, found: list[Part]) -> None:
        for part in found:
            if isinstance(part, str) and "<" in part:
                self.taken.update(int(sign[2]) for sign in SIGN.finditer(part))

    def _sign(self, mark: Mark, halves: set[Key], own: bool) -> str:
        number = self._number(mark.key)
        if own:
            (self.stops if mark.ends and mark.key not in halves else self.starts)[number] = mark
        if mark.role is Role.ALONE or mark.key in halves:
            return f"<{number}/>"
        return f"</{number}>" if mark.ends else f"<{number}>"

    def _number(self, key: Key) -> int:
        if key not in self.numbers:
            number = len(self.numbers) + 1
            while number in self.taken:
                number += 1
            self.taken.add(number)
            self.numbers[key] = number
        return self.numbers[key]


def _halves(found: list[Part]) -> set[Key]:
    """The codes of which this segment holds only the beginning or only the end, or the end first."""
    opened: set[Key] = set()
    closed: set[Key] = set()
    for part in found:
        if isinstance(part, Mark) and part.role is not Role.ALONE:
            if not part.ends:
                opened.add(part.key)
            elif part.key in opened:
                closed.add(part.key)
    everything = {part.key for part in found if isinstance(part, Mark) and part.role is not Role.ALONE}
    return everything - (opened & closed)


def write(element: Element, text: str, numbering: Numbering) -> bool:
    """Give an element a text with its codes; whether each code was there once, and in its place.

    A code that the text forgot is put at the end and a code too many is dropped: the result is always valid, and
    whoever asked learns that somebody should look at it.
    """
    return _Writer(element, numbering).write(NOT_XML.sub("", text))


class _Writer:
    """A segment in the making: the elements that are open, and the codes that are still to come."""

    def __init__(self, element: Element, numbering: Numbering) -> None:
        for child in list(element):
            element.remove(child)
        element.text = None
        self._numbering = numbering
        self._open: list[tuple[int, Element]] = [(0, element)]
        self._awaited_starts = dict(numbering.starts)
        self._awaited_stops = dict(numbering.stops)
        self._faithful = True

    def write(self, text: str) -> bool:
        place = 0
        for sign in SIGN.finditer(text):
            number = int(sign[2])
            if number in self._numbering.starts:
                self._add_text(text[place : sign.start()])
                place = sign.end()
                self._add_code(number, ends=bool(sign[1]), alone=bool(sign[3]))
        self._add_text(text[place:])
        self._faithful &= not self._awaited_starts and not self._awaited_stops
        for number in sorted(self._awaited_starts.keys() | self._awaited_stops.keys()):
            self._start(number)
            self._stop(number)
        return self._faithful

    def _add_code(self, number: int, ends: bool, alone: bool) -> None:
        awaited = self._awaited_stops if ends else self._awaited_starts
        paired = number in self._numbering.stops
        if number not in awaited or (ends and number in self._awaited_starts) or alone == paired:
            self._faithful = False  # twice, ended before it began, or in the form of the other kind
        elif ends:
            self._stop(number)
        else:
            self._start(number)

    def _start(self, number: int) -> None:
        mark = self._awaited_starts.pop(number, None)
        if mark is None:
            return
        if mark.role is not Role.AROUND:
            self._add_element(_copy(mark.element))
            return
        shell = _copy(mark.element)
        shell.text = None
        del shell[:]
        self._add_element(shell)
        self._open.append((number, shell))

    def _stop(self, number: int) -> None:
        mark = self._awaited_stops.get(number)
        if mark is None:
            return
        if mark.role is Role.AROUND:
            self._close(number)
        else:
            del self._awaited_stops[number]
            self._add_element(_copy(mark.element))

    def _close(self, number: int) -> None:
        """Close an element, and first those within it: XML cannot cross."""
        while True:
            innermost, _ = self._open.pop()
            self._awaited_stops.pop(innermost, None)
            if innermost == number:
                return
            self._faithful = False

    def _add_element(self, element: Element) -> None:
        self._open[-1][1].append(element)

    def _add_text(self, text: str) -> None:
        if not text:
            return
        parent = self._open[-1][1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text


def _copy(element: Element) -> Element:
    """A code with all that it holds, and without the text behind it."""
    copied = deepcopy(element)
    copied.tail = None
    return copied
