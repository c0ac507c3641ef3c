"""Markup: the texts of an HTML fragment, and the fragment again with their translations.

    <p>Open the <b>red</b> door.</p>   →   Open the <b>red</b> door.   →   <p>Abra la puerta <b>roja</b>.</p>

Tags that stand within a sentence go through the model, which keeps them as it keeps placeholders; all others, and what
is no language (scripts, code), stay where they are. Where a translation does not bring its tags back whole, the texts
between them are translated one by one. What a model says is escaped: only tags of the fragment itself are tags.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mirada.text.placeholders import find

INLINE = frozenset(
    re.findall(r"\w+", "a abbr b bdi bdo big cite dfn del em font i ins mark q s small span strong sub sup time tt u")
)
UNSPOKEN = frozenset(
    re.findall(r"\w+", "script style code pre kbd samp var textarea svg math template iframe noscript")
)
NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,60})")
STOP = re.compile("""[>"']""")


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag that stands within a sentence."""

    text: str
    name: str
    closes: bool


_Run = str | _Tag  # a text without entities, or a tag


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Texts and the tags between them, which are translated together."""

    runs: tuple[_Run, ...]

    @property
    def text(self) -> str:
        """What a model reads."""
        return "".join(run if isinstance(run, str) else run.text for run in self.runs)

    @property
    def tags(self) -> list[_Tag]:
        return [run for run in self.runs if isinstance(run, _Tag)]

    @property
    def texts(self) -> list[str]:
        """The texts alone."""
        return [run for run in self.runs if isinstance(run, str)]

    def written(self, said: str) -> str | None:
        """A translation as HTML; None where its tags are not those of the sentence, or not nested any more."""
        tags = {tag.text: tag for tag in self.tags}
        if not tags:
            return _escaped(said)
        known = re.compile("|".join(map(re.escape, sorted(tags, key=len, reverse=True))))
        found = known.findall(said)
        if sorted(found) != sorted(tag.text for tag in self.tags) or not _are_nested([tags[one] for one in found]):
            return None
        return "".join(_escaped(text) + tag for text, tag in zip(known.split(said), [*found, ""], strict=True))

    def written_in_parts(self, said: Sequence[str]) -> str:
        """The translations of the texts, one by one, with the tags between them."""
        texts = iter(said)
        return "".join(_escaped(next(texts)) if isinstance(run, str) else run.text for run in self.runs)


class Fragment:
    """A piece of HTML, cut into markup that stays and sentences that are translated."""

    def __init__(self, text: str) -> None:
        self._parts = list(_parts(text))
        self._sentences = [part for part in self._parts if isinstance(part, _Sentence)]

    @property
    def texts(self) -> list[str]:
        """What is to be translated."""
        return [sentence.text for sentence in self._sentences]

    def lost(self, said: Sequence[str]) -> list[str]:
        """What is to be translated once more, since these translations lost their tags."""
        pairs = zip(self._sentences, said, strict=True)
        return [text for sentence, one in pairs if sentence.written(one) is None for text in sentence.texts]

    def joined(self, said: Sequence[str], again: Sequence[str]) -> str:
        """The fragment with its translations; `again` are those of `lost`."""
        first, second = iter(said), iter(again)
        return "".join(
            part if isinstance(part, str) else self._written(part, next(first), second) for part in self._parts
        )

    def _written(self, sentence: _Sentence, said: str, again: Iterator[str]) -> str:
        whole = sentence.written(said)
        return sentence.written_in_parts([next(again) for _ in sentence.texts]) if whole is None else whole


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _are_nested(tags: Sequence[_Tag]) -> bool:
    """Whether each tag that closes closes the last that was opened."""
    opened: list[str] = []
    for tag in tags:
        if not tag.closes:
            opened.append(tag.name)
        elif not opened or opened.pop() != tag.name:
            return False
    return not opened


def _parts(text: str) -> Iterator[str | _Sentence]:
    """Markup as it stands, and sentences."""
    runs: list[_Run] = []
    for run in _runs(text):
        if isinstance(run, _Markup):
            yield from _sentence(runs)
            yield run.text
            runs = []
        else:
            runs.append(run)
    yield from _sentence(runs)


def _sentence(runs: list[_Run]) -> Iterator[str | _Sentence]:
    """The runs as a sentence; tags before the first text, behind the last or without a partner stay outside."""
    spoken = [place for place, run in enumerate(runs) if isinstance(run, str) and run.strip()]
    if not spoken:
        yield from (_escaped(run) if isinstance(run, str) else run.text for run in runs)
        return
    first, last = spoken[0], spoken[-1] + 1
    yield from (_escaped(run) if isinstance(run, str) else run.text for run in runs[:first])
    inner = _Sentence(tuple(runs[first:last]))
    if _are_nested(inner.tags):
        yield inner
    else:
        yield from (_Sentence((run,)) if isinstance(run, str) else run.text for run in inner.runs)
    yield from (_escaped(run) if isinstance(run, str) else run.text for run in runs[last:])


@dataclass(frozen=True, slots=True)
class _Markup:
    """What is not translated."""

    text: str


def _runs(text: str) -> Iterator[_Run | _Markup]:
    """Texts, tags within sentences, and markup, in order, by one pass over the text."""
    at = begun = 0
    while (start := text.find("<", at)) >= 0:
        name = NAME.match(text, start)
        end = _end(text, start, name)
        if end is None:  # a < that begins nothing
            at = start + 1
            continue
        if start > begun:
            yield html.unescape(text[begun:start])
        if name is not None and name[1].lower() in UNSPOKEN and text[start + 1] != "/":
            end = _end_of_element(text, end, name[1].lower())
        yield _tag_or_markup(text[start:end], name)
        at = begun = end
    if begun < len(text):
        yield html.unescape(text[begun:])


def _end(text: str, start: int, name: re.Match[str] | None) -> int | None:
    """Where a tag, a comment or a declaration ends; None for a < that is none of them."""
    if text.startswith("<!--", start):
        return _behind(text, "-->", start)
    if text[start + 1 : start + 2] in ("!", "?"):
        return _behind(text, ">", start)
    if name is None:
        return None
    at = name.end()
    while (stop := STOP.search(text, at)) is not None:
        if stop[0] == ">":
            return stop.end()
        at = _behind(text, stop[0], stop.end())
    return len(text)  # a tag without an end holds all that follows


def _behind(text: str, sign: str, start: int) -> int:
    found = text.find(sign, start)
    return len(text) if found < 0 else found + len(sign)


def _end_of_element(text: str, start: int, name: str) -> int:
    found = re.compile(f"</{name}[^>]{{0,100}}>", re.IGNORECASE).search(text, start)
    return len(text) if found is None else found.end()


def _tag_or_markup(text: str, name: re.Match[str] | None) -> _Tag | _Markup:
    spans = find(text)
    if name is None or name[1].lower() not in INLINE or len(spans) != 1 or text.endswith("/>"):
        return _Markup(text)
    if (spans[0].start, spans[0].end) != (0, len(text)):  # the model would not take it for one symbol
        return _Markup(text)
    return _Tag(text, name[1].lower(), text.startswith("</"))
