"""Asking: a text to be translated, with what its translation must begin with and the phrases that it must contain.

What is asked for goes the way of every text: symbols into the slots that they have in the source, then subwords.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mirada.text.coding import encode_beside
from mirada.text.context import Before, Context
from mirada.text.joints import contains
from mirada.text.normalise import normalise
from mirada.text.sentences import Part
from mirada.text.subwords import Subwords

MOST_PHRASES = 24  # of one text: a search is as much slower as there are phrases
MOST_CHARACTERS = 2_000  # of a prefix or a phrase; more is no sentence
OPENING = "("  # a sign that no letter is joined to

Forms = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A text, and what is asked of its translation. White space at the ends of a prefix or a phrase means nothing.

    `context` are sentences that stand before the text, the oldest first. They are not translated; a model reads as
    many of the last ones as it was trained with.
    """

    text: str
    prefix: str = ""
    must: tuple[str, ...] = ()
    context: Context = ()

    def __post_init__(self) -> None:
        if self.must == () == self.context and not self.prefix:  # as nearly all are, and many
            return
        if isinstance(self.must, str):
            raise ValueError(f"must = {self.must!r} is a single text; give a tuple of phrases, such as (phrase,)")
        if not isinstance(self.context, tuple):
            given = "a single text" if isinstance(self.context, str) else "no tuple"
            raise ValueError(f"context = {self.context!r} is {given}; give a tuple of sentences, such as (text,)")
        if len(self.must) > MOST_PHRASES:
            raise ValueError(f"{len(self.must)} phrases are asked of one translation; use at most {MOST_PHRASES}")
        if not all(map(normalise, self.must)):
            raise ValueError("an empty phrase is asked of a translation; leave it out")
        longest = max(map(len, (self.prefix, *self.must)))
        if longest > MOST_CHARACTERS:
            raise ValueError(f"a prefix or phrase has {longest:,} characters; use at most {MOST_CHARACTERS:,}")

    @property
    def is_plain(self) -> bool:
        """Whether nothing is asked of the translation."""
        return not self.must and not self.prefix.strip()

    def reading(self, count: int) -> Asked:
        """The same with the last `count` sentences of its context."""
        read = self.context[-count:] if count else ()
        return self if read == self.context else replace(self, context=read)

    def lacks(self, translation: str) -> bool:
        """Whether a translation is without something that was asked for."""
        if self.is_plain:
            return False
        begins = normalise(translation).startswith(normalise(self.prefix))
        return not begins or not all(contains(translation, phrase) for phrase in self.must)


def in_documents(texts: Iterable[str | Asked], count: int) -> Iterator[Asked]:
    """The sentences of documents, each with up to `count` before it; one without words ends a document.

    What is asked with a context of its own keeps it.
    """
    before = Before(count)
    for one in texts:
        asked = Asked(one) if isinstance(one, str) else one
        stood = before.pass_by(asked.text)
        yield replace(asked, context=asked.context or stood)


def shared_out(asked: Asked, parts: Sequence[Part], context: int = 0) -> list[Asked]:
    """What is asked of the translation of each part of a text: the prefix of the first that is not empty.

    Before a part stand up to `context` others, and before those what stands before the text.

    Which of several parts a phrase belongs to nobody knows: none is made to say it, and its absence is flagged.
    """
    if len(parts) == 1 and parts[0].text == asked.text and not asked.context:
        return [asked]
    before = Before(context)
    for text in asked.context:
        before.pass_by(text)
    shared = [Asked(part.text, context=before.pass_by(part.text) if part.text else ()) for part in parts]
    filled = [number for number, part in enumerate(parts) if part.text]
    if filled:
        must = asked.must if len(filled) == 1 else ()
        shared[filled[0]] = replace(shared[filled[0]], prefix=asked.prefix, must=must)
    return shared


def forms_of(subwords: Subwords, phrase: str, source: str) -> Forms:
    """The ids of a phrase in a translation of a source, by where it stands.

    The first form stands behind a space or at the beginning, so it can stand anywhere. The second stands directly
    behind another sign, as in brackets, or, in scripts that set no spaces, inside a sentence.
    """
    spaced = tuple(encode_beside(subwords, phrase, source))
    opening = subwords.encode(OPENING)
    opened = encode_beside(subwords, OPENING + normalise(phrase), source)
    if opened[: len(opening)] != opening:  # the sign and the phrase share a piece
        return (spaced,)
    return tuple(dict.fromkeys([spaced, tuple(opened[len(opening) :])]))
