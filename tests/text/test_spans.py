"""Which word a piece belongs to."""

import pytest

from mirada.text.spans import NOBODY, piece_sizes, size_of, words_at
from tests.translators import subwords


@pytest.mark.parametrize(
    ("pieces", "words", "found"),
    [
        ([3, 2, 1], [5, 1], [0, 0, 1]),
        ([6, 1], [3, 2, 1, 1], [0, 3]),  # a piece over three words is the first one's
        ([0, 3, 0], [3], [0, 0, NOBODY]),  # a lone space before a word, and one behind all
        ([2], [3], None),
    ],
)
def test_words_at(pieces: list[int], words: list[int], found: list[int] | None) -> None:
    assert words_at(pieces, words) == found


@pytest.mark.parametrize("words", [["The", "quick", "fox"], ["Zoë", "日本", "🦊x"], ["a b", "c"]])
def test_pieces_spell_the_words(words: list[str]) -> None:
    known = subwords()
    ids = known.encode(" ".join(words))
    found = words_at(piece_sizes(known)[ids].tolist(), [size_of(word) for word in words])
    assert found is not None
    assert sorted(set(found)) == list(range(len(words)))
