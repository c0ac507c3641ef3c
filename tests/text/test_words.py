"""Words from pieces, as spaces divide them."""

import pytest

from mirada.text.words import spaced_words


@pytest.mark.parametrize(
    ("pieces", "groups", "words"),
    [
        ([], [], []),
        (["▁The", "▁an", "imal", "▁sleeps", "."], [0, 1, 1, 2, 2], [1, 1, 1]),
        (["▁", "{name}", "▁opens"], [0, 0, 1], [1, 1]),
        (["{name}", "▁opens"], [0, 1], [1, 1]),
        (["▁我", "喜欢", "▁茶"], [0, 0, 1], [1, 1]),
        (["▁Go", "▁", "<a▁href=x▁id=y>", "here", "</a>", "▁now"], [0, 1, 1, 1, 1, 2], [1, 3, 1]),
    ],
)
def test_groups_and_their_words(pieces: list[str], groups: list[int], words: list[int]) -> None:
    found, ranges = spaced_words(pieces)
    assert found == groups
    assert [len(one) for one in ranges] == words
    assert [word for one in ranges for word in one] == list(range(sum(words)))
