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


def spaced_words(pieces: Sequence[str]) -> tuple[list[int], list[range]]:
    """The group of each piece, and the words of each group, as spaces divide the text that the pieces make up.

    A group is a word, but for a symbol with spaces in it, such as a tag with attributes: all its words are one group.
    """
    groups: list[int] = []
    words: list[range] = []
    for piece in pieces:
        if piece.startswith(SPACE) or not words:
            after = words[-1].stop if words else 0
            words.append(range(after, after + 1))
        more = piece.removeprefix(SPACE).count(SPACE)
        words[-1] = range(words[-1].start, words[-1].stop + more)
        groups.append(len(words) - 1)
    return groups, words
