"""Sentences: a text too long for the model, cut into parts that it can read, and joined again as it stood.

A line that the model can read stays whole: many training pairs hold several sentences, and what stands together helps
to translate each. Only a line with more tokens than any the model was trained on is cut: first into its sentences, and
a sentence that is still too long near its middle, again and again, at punctuation if there is some, else at a space,
else between two characters. White space between parts is not translated, it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import sentencex  # type: ignore[import-untyped]

from mirada.text.placeholders import find

WIDE_SPACE = re.compile(r"[^\S\n]")
SURROGATE = re.compile("[\ud800-\udfff]")
PUNCTUATION = re.compile(r"[,;:.!?…)\]»”—–](?=\s)\s*|[、，；：。！？）」』]")
SPACE = re.compile(r"\s+")
LINE_BREAKS = re.compile(r"[\n\r\v\f\x85\u2028\u2029]\s*")
# Scripts that set no spaces between words set none between sentences either.
WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo", "dz", "yue", "wuu", "cmn", "lzh"})

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text and the white space behind it; `cut` if the sentence goes on in the next part."""

    text: str
    after: str = ""
    cut: bool = False


def divide(text: str, language: str, longest: int, count: Count) -> list[Part]:
    """The parts of a text, each of at most `longest` tokens as `count` counts them; one for each line that is short.

    Only the first part may have no text: where the text begins with white space.
    """
    parts: list[Part] = []
    for line in _parts(text, [found.end() for found in LINE_BREAKS.finditer(text)]):
        if count(line.text) <= longest:
            parts.append(line)
        else:
            sentences = split(join([line]), language)
            parts += [part for sentence in sentences for part in _cut(sentence, longest, count)]
    return parts


def split(text: str, language: str) -> list[Part]:
    """The sentences of a text; a language that is not known is split as its signs suggest."""
    return _parts(text, _boundaries(text, language))


def join(parts: Iterable[Part]) -> str:
    """The text that was split."""
    return "".join(part.text + part.after for part in parts)


def join_translated(parts: Sequence[Part], texts: Sequence[str], target: str) -> str:
    """The translations of parts, one for each, with the white space that stood between the parts.

    Between two sentences of a language that needs a space there stands one, even if the source needed none; and none
    if the target needs none.
    """
    if len(parts) == 1:
        return texts[0] + parts[0].after
    spaced = _language(target) not in WITHOUT_SPACES
    joined = []
    for place, (part, text) in enumerate(zip(parts, texts, strict=True)):
        after = part.after
        if place < len(parts) - 1 and text and after in ("", " "):
            after = " " if spaced else ""
        joined.append(text + after)
    return "".join(joined)


def _parts(text: str, ends: Sequence[int]) -> list[Part]:
    """The parts between these places, white space always behind; at least one part."""
    if not ends and not text[:1].isspace():
        return [_part(text)]
    parts: list[Part] = []
    cuts = [0, *(end for end in ends if 0 < end < len(text)), len(text)]
    for start, end in pairwise(cuts):
        piece = text[start:end]
        body = piece.lstrip()
        before = piece[: len(piece) - len(body)]
        if before and parts:
            parts[-1] = Part(parts[-1].text, parts[-1].after + before)
        elif before:
            parts.append(Part("", before))
        if body:
            parts.append(_part(body))
    return parts or [Part("")]


def _part(text: str, cut: bool = False) -> Part:
    body = text.rstrip()
    return Part(body, text[len(body) :], cut)


def _language(tag: str) -> str:
    return tag.partition("-")[0].lower()


def _boundaries(text: str, language: str) -> list[int]:
    """Where sentences end, but for places within a protected symbol."""
    return _outside_symbols(text, list(accumulate(map(len, _segments(text, language)))))


def _segments(text: str, language: str) -> list[str]:
    """The sentences as sentencex finds them; only their lengths are those of the text."""
    # Halves of surrogate pairs are no text outside Python, and a wide space lets sentencex 1.0.32 panic.
    plain = WIDE_SPACE.sub(" ", SURROGATE.sub("\ufffd", text))
    try:
        found: list[str] = sentencex.segment(_language(language), plain)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Rust's, which is no Exception and can be imported from nowhere
            raise
        return [plain]  # it is cut near its middle then
    return found if sum(map(len, found)) == len(text) else [plain]


def _outside_symbols(text: str, places: Sequence[int]) -> list[int]:
    inside = {place for span in find(text, links=True) for place in range(span.start + 1, span.end)}
    return [place for place in places if place not in inside]


def _cut(part: Part, longest: int, count: Count) -> list[Part]:
    """The part, or if it is too long its halves, as often as needed; the last keeps the white space behind."""
    if len(part.text) < 2 or count(part.text) <= longest:
        return [part]
    place = _middle(part.text)
    while part.text[place].isspace():  # the last character is none
        place += 1
    first = _part(part.text[:place], cut=True)
    second = Part(part.text[place:], part.after, part.cut)
    return _cut(first, longest, count) + _cut(second, longest, count)


def _middle(text: str) -> int:
    """The best place to cut a text: nearest to the middle, by the best sign there is, never within a symbol.

    A sign in the middle half goes before one outside of it, so that no part becomes small for the sake of a comma.
    """
    quarter = len(text) // 4
    for low, high in ((quarter, len(text) - quarter), (0, len(text))):
        for sign in (PUNCTUATION, SPACE):
            ends = [found.end() for found in sign.finditer(text, low, high) if found.end() < len(text)]
            if places := _outside_symbols(text, ends):
                return _nearest(places, text)
    places = _outside_symbols(text, range(1, len(text)))
    return _nearest(places, text) if places else len(text) // 2


def _nearest(places: Sequence[int], text: str) -> int:
    return min(places, key=lambda place: abs(2 * place - len(text)))
