"""A demand: what a translation must begin with, and what it must contain, as ids."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.decoding.limits import cap
from mirada.decoding.options import WIDEST
from mirada.text.asking import Asked, Forms, forms_of
from mirada.text.coding import encode_beside
from mirada.text.subwords import Subwords


@dataclass(frozen=True, slots=True)
class Demand:
    """The first tokens of a translation, and the phrases that it contains, each in one of its forms.

    The first form of a phrase can be said after any token.
    """

    prefix: tuple[int, ...] = ()
    phrases: tuple[Forms, ...] = ()

    @classmethod
    def of(cls, subwords: Subwords, asked: Asked) -> Demand:
        """What is asked of a translation, in these subwords."""
        phrases = dict.fromkeys(forms_of(subwords, phrase, asked.text) for phrase in asked.must)
        return cls(tuple(encode_beside(subwords, asked.prefix, asked.text)), tuple(phrases))

    @property
    def tokens(self) -> int:
        """How many tokens it takes to say all that is demanded, one after another."""
        return len(self.prefix) + sum(len(forms[0]) for forms in self.phrases)


NOTHING_DEMANDED = Demand()


def width_for(demand: Demand, beam: int) -> int:
    """The width of the search for a translation: with phrases, a place for each number of their tokens that is said.

    With fewer places a candidate that has said nothing of a phrase yet would soon lose its own, and phrases would be
    said too early.
    """
    phrased = sum(len(forms[0]) for forms in demand.phrases)
    return max(beam, min(WIDEST, phrased + 1)) if phrased else beam


def limit_of(length: int, demand: Demand, longest: int | None) -> int:
    """The most tokens of the translation of a source with `length` tokens: what is demanded comes on top of the rest.

    What cannot be fulfilled within the longest that may be said is an error, so that no search begins in vain.
    """
    limit = cap(length) + demand.tokens
    limit = limit if longest is None else min(limit, longest)
    if demand.tokens and demand.tokens >= limit:
        raise ValueError(
            f"the prefix and the phrases asked for take {demand.tokens:,} tokens, and this translation may have "
            f"{limit:,} with its end mark; ask for fewer or shorter ones"
        )
    return limit
