"""Marks of a row that is read: its beginning, the ends of its sentences, and words that are hidden.

Every vocabulary has ids for them. A row begins with the begin mark, which says what is to be said of the whole row
(BERT's [CLS]); a sentence ends with the end mark ([SEP]); and a hidden word is the unknown one ([MASK]), which no text
gives, since what has no piece is spelt in bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mirada.text.scripts import main_script
from mirada.text.subwords import BEGIN, END, SPACE, SPECIAL, UNKNOWN, Subwords
from mirada.text.words import UNSPACED

CLASS, SEPARATOR, MASK = BEGIN, END, UNKNOWN
FIRST_WORD = len(SPECIAL)  # the first id that text is made of


def word_beginnings(subwords: Subwords) -> NDArray[np.bool_]:
    """Which ids begin a word: those after a space, pieces of scripts that write none, and the marks."""
    begins = [piece.startswith(SPACE) or main_script(piece) in UNSPACED for piece in subwords.pieces]
    begins[:FIRST_WORD] = [True] * FIRST_WORD
    return np.array(begins, dtype=np.bool_)
