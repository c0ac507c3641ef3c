"""Limits: how much a client may ask for. All hold unless a command says otherwise; none can be turned off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace

from mirada.serving.problem import Problem

LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The most of everything, for one request where nothing else is said."""

    bytes: int = 1_000_000  # of a body
    characters: int = 20_000  # of all texts together: some ten pages
    tokens: int = 10_000  # of all texts together; characters that no subword covers have up to four
    texts: int = 128
    beam: int = 10
    alternatives: int = 9  # beside the best translation; with it, as many as the widest beam
    samples: int = 16  # texts that a language model writes after one beginning
    written: int = 2_000  # tokens of all of them together
    candidates: int = 100  # for each gap that a masked model fills
    filling: int = 10_000  # candidates for all gaps together: a megabyte of an answer
    batch: int = 64  # texts that a model is given at once, of whichever clients
    queue: int = 256  # requests that wait, of all clients
    connections: int = 1_024  # that are open, of all clients
    seconds: int = 60  # from the last byte of a request to its answer
    patience: int = 10  # seconds that a client may take to send a request, or to read an answer

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 1 <= value <= LARGEST:
                raise ValueError(f"the limit {field.name} = {value:,}; use 1 to {LARGEST:,}")

    def check_texts(self, texts: Sequence[str]) -> None:
        """Refuse texts that are too many or too long."""
        _most("texts", len(texts), self.texts)
        _most("characters", sum(map(len, texts)), self.characters)

    def check_tokens(self, texts: Sequence[str], count: Callable[[Sequence[str]], int]) -> None:
        """Refuse texts of too many tokens, which the model counts."""
        # A token is at least one byte of the normalised text, which has up to three times those of the text (NFC
        # makes 12 of the 4 of U+1D160), or the space before it: so that few texts need be counted.
        if sum(3 * len(text.encode()) + 2 for text in texts) > self.tokens:
            _most("tokens", count(texts), self.tokens)

    def check_search(self, beam: int, alternatives: int) -> None:
        """Refuse a search that is too wide."""
        _most("beam", beam, self.beam)
        _most("alternatives", alternatives, self.alternatives)

    def check_writing(self, samples: int, tokens: int) -> None:
        """Refuse to write too many texts, or too much of them."""
        _most("samples", samples, self.samples)
        _most("tokens to write", samples * tokens, self.written)

    def check_candidates(self, count: int, gaps: int) -> None:
        """Refuse to name too many for each gap, or for all of them."""
        _most("candidates", count, self.candidates)
        _most("candidates for all gaps", count * gaps, self.filling)


def _most(what: str, found: int, most: int) -> None:
    if found > most:
        raise Problem.too_large(what, found, most)


def limits_from(words: Iterable[str]) -> Limits:
    """The limits, some of them set by words such as `characters=50000`."""
    names = [field.name for field in fields(Limits)]
    changed = {}
    for word in words:
        name, _, number = word.partition("=")
        if name not in names:
            raise ValueError(f"there is no limit {name!r}; use one of {', '.join(names)}, such as characters=50000")
        if not number.isdecimal():
            raise ValueError(f"the limit {word!r} has no number; write it as {name}=1000")
        changed[name] = int(number[:20])
    return replace(Limits(), **changed)
