"""Words and subwords: which pieces make up each word of a text."""

from __future__ import annotations

from collections.abc import Sequence

from mirada.text.scripts import main_script
from mirada.text.subwords import SPACE

# Written without spaces between words: there a piece is the nearest thing to a word.
UNSPACED = frozenset({"Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})


def words_of_pieces(pieces: Sequence[str]) -> list[int]:
    """The number of the word, counted from 0 at spaces, that each piece belongs to."""
    numbers: list[int] = []
    for piece in pieces:
        before = numbers[-1] if numbers else -1
        begins = not numbers or piece.startswith(SPACE) or main_script(piece) in UNSPACED
        numbers.append(before + 1 if begins else before)
    return numbers


def word_links(
    links: Sequence[tuple[int, int]], source_pieces: Sequence[str], target_pieces: Sequence[str]
) -> list[tuple[int, int]]:
    """Links between pieces as links between words, each once, in the order of the target."""
    source, target = words_of_pieces(source_pieces), words_of_pieces(target_pieces)
    return sorted({(source[one], target[other]) for one, other in links}, key=lambda link: (link[1], link[0]))
