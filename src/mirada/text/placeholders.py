"""Placeholders: the symbols within a text that a translation must carry over unchanged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Every repetition has a limit, so that no text takes more than linear time.
NAME = r"[A-Za-z_][\w.\-]{0,60}"
ATTRIBUTE = r"""\s{1,9}[\w:.\-]{1,60}\s?=\s?(?:"[^"<>]{0,500}"|'[^'<>]{0,500}'|[^\s"'<>=]{1,200})"""
FORMAT = (
    r"%(?:\d{1,2}\$)?[-+#0]{0,3}(?:\d{1,3}|\*)?(?:\.(?:\d{1,3}|\*))?"
    r"(?:hh|h|ll|l|z|j|t|L)?[diouxXeEfFgGcrspa@]"
)
KINDS = {
    # {{ type }}, {{name}}
    "double braces": r"\{\{[^{}\n]{1,60}\}\}",
    # {name}, {0}, {}, {0:.2f}, {name!r}, ${name}, #{name}, %{name}
    "braces": rf"[$#%]?\{{(?:{NAME}|\d{{1,3}})?(?:\[\w{{1,30}}\])?(?:![rsa])?(?::[^{{}}\s]{{0,20}})?\}}",
    # <b>, </b>, <br/>, <a href="…">, and the <1>, </1>, <1/> that stand for inline tags
    "tag": rf"</?(?:[A-Za-z][\w:.\-]{{0,60}}(?:{ATTRIBUTE}){{0,20}}|\d{{1,4}})\s?/?>",
    # &amp;, &#160;, &#xA0;
    "entity": r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    # %name%
    "percents": r"(?<![\w%])%[A-Za-z_]\w{1,60}%(?![\w%(])",
    # %(name)s
    "named format": r"%\([\w.\- ]{1,60}\)[-+#0]{0,3}\d{0,3}(?:\.\d{1,3})?[diouxXeEfFgGcrsa]",
    # %s, %1$s, %05.2f, %%. No space flag ("10 % of" is prose), and in "10%ige" %i is no format.
    "format": rf"(?<!\d){FORMAT}|{FORMAT}(?![A-Za-z])|%%",
    # %1, %L2
    "numbered": r"(?<![\d%])%L?\d{1,2}(?![\d$.%])",
    # $VAR, but neither $100 nor $Name
    "variable": r"(?<![\w$])\$[A-Z_][A-Z0-9_]{1,60}(?![a-z])",
}
LINKS = {
    "address": r"(?:https?|ftp)://[^\s<>\"'`]{1,1000}[^\s<>\"'`.,;:!?)\]}]",
    "mail": r"(?<![\w.+\-])[\w.+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63}){1,8}(?<!-)",
}
SYMBOLS = re.compile("|".join(KINDS.values()))  # an earlier kind goes before a later one
SIGNS = re.compile("[%{<&$]")  # no symbol is without one of these, so that most texts need no closer look
SYMBOLS_AND_LINKS = re.compile("|".join([LINKS["address"], SYMBOLS.pattern, LINKS["mail"]]))
POSITIONAL = re.compile(r"%(\d{1,2})\$(.+)")
PLAIN_FORMAT = re.compile(r"%(?![%(])[^$%{]*[A-Za-z@]")


class Span(NamedTuple):
    """Where a protected symbol stands: from its first character to behind its last."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The symbols that a translation lost, and those that it has too many, each as often as it is wrong."""

    missing: tuple[str, ...]
    extra: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra)

    def __str__(self) -> str:
        lost = f"lost {' '.join(self.missing)}" if self.missing else ""
        added = f"added {' '.join(self.extra)}" if self.extra else ""
        return " and ".join(word for word in (lost, added) if word) or "all symbols kept"


def find(text: str, links: bool = False) -> list[Span]:
    """The protected symbols of a text, in order and apart from each other; with `links`, addresses too."""
    if not links and SIGNS.search(text) is None:
        return []
    pattern = SYMBOLS_AND_LINKS if links else SYMBOLS
    return [Span(*found.span()) for found in pattern.finditer(text)]


def symbols(text: str, links: bool = False) -> list[str]:
    """The protected symbols themselves, in order."""
    return [text[span.start : span.end] for span in find(text, links)]


def compare(source: str, target: str, links: bool = False) -> Difference:
    """What a translation did to the symbols of its source; their order is free."""
    left, right = symbols(source, links), symbols(target, links)
    if left == right:
        return Difference((), ())
    if any(POSITIONAL.fullmatch(symbol) for symbol in left + right):
        left, right = _numbered(left), _numbered(right)  # "%s %s" may become "%2$s %1$s"
    before, after = Counter(left), Counter(right)
    return Difference(tuple((before - after).elements()), tuple((after - before).elements()))


def takes_turn(symbol: str) -> bool:
    """Whether this is a format that takes the next value, such as %s: which one it means depends on those before."""
    return PLAIN_FORMAT.fullmatch(symbol) is not None


def in_turn(found: Sequence[str]) -> list[str]:
    """The symbols of a text by what they mean: "%s of %s" has %1$s and %2$s, unless it numbers its formats itself."""
    return list(found) if any(map(POSITIONAL.fullmatch, found)) else _numbered(found)


def _numbered(found: Sequence[str]) -> list[str]:
    """The formats that take their values in turn, with the number of their turn."""
    listed = []
    turn = 0
    for symbol in found:
        if takes_turn(symbol):
            turn += 1
            listed.append(f"%{turn}${symbol[1:]}")
        else:
            listed.append(symbol)
    return listed
