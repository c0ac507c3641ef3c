"""What the laws stand on: pieces so small that short sequences are cut into many."""

from collections.abc import Iterator

import pytest

from tests.pieces import small_pieces


@pytest.fixture(scope="module", autouse=True)
def _small_pieces() -> Iterator[None]:
    with small_pieces():
        yield
