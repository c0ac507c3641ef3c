"""Joints: where one word ends and another begins, between subwords and within texts.

Two characters belong to one word where both are letters, marks on letters or digits, and neither is of a script that
sets no spaces between words: there every place may be a joint.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mirada.text.normalise import normalise
from mirada.text.scripts import main_script
from mirada.text.subwords import END, SPECIAL, Subwords

WITHOUT_SPACES = frozenset({"Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})


@dataclass(frozen=True, eq=False)
class Joints:
    """For each piece of a vocabulary, whether it begins with a character of a word, and whether it ends with one.

    A piece that begins so goes on with the word of a piece before it that ends so. What is spelt in bytes is taken for
    a part of a word, since it is one more often than not, and so are the marks that say nothing, but for the end.
    """

    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]


@lru_cache(maxsize=8)  # vocabularies; one takes 20 ms
def joints_of(subwords: Subwords) -> Joints:
    """The joints of a vocabulary."""
    begins = np.array([_is_of_word(piece[:1]) for piece in subwords.pieces], dtype=np.bool_)
    ends = np.array([_is_of_word(piece[-1:]) for piece in subwords.pieces], dtype=np.bool_)
    for table in (begins, ends):
        table[subwords.is_byte] = True
        table[list(SPECIAL)] = True
        table[END] = False
    return Joints(begins, ends)


def contains(text: str, phrase: str) -> bool:
    """Whether a text has a phrase in it, letter by letter and as whole words."""
    text, phrase = normalise(text), normalise(phrase)
    place = text.find(phrase)
    while place >= 0:
        end = place + len(phrase)
        before, after = text[max(0, place - 1) : place], text[end : end + 1]
        if not (_is_one_word(before, phrase[:1]) or _is_one_word(phrase[-1:], after)):
            return True
        place = text.find(phrase, place + 1)
    return False


def _is_one_word(left: str, right: str) -> bool:
    return _is_of_word(left) and _is_of_word(right)


@lru_cache(maxsize=4_096)
def _is_of_word(character: str) -> bool:
    """Whether a character makes one word with others of its kind; nothing does not."""
    if not character or unicodedata.category(character)[0] not in "LMN":
        return False
    return main_script(character) not in WITHOUT_SPACES
