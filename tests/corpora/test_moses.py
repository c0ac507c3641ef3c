"""Two plain files, line for line."""

from pathlib import Path

import pytest

from mirada.corpora.moses import read_moses
from mirada.corpora.pair import CorpusError, Fault, Pair, Place


def files(folder: Path, one: bytes, other: bytes) -> tuple[Path, Path]:
    (folder / "x.en").write_bytes(one)
    (folder / "x.de").write_bytes(other)
    return folder / "x.en", folder / "x.de"


def test_lines_are_paired(tmp_path: Path) -> None:
    source, target = files(tmp_path, b"a cat\n\nlast", "eine Katze\nleer\u2028\nEnde\n".encode())
    assert list(read_moses(source, target)) == [
        Pair("a cat", "eine Katze", Place(str(source), 1)),
        Pair("", "leer\u2028", Place(str(source), 2)),
        Pair("last", "Ende", Place(str(source), 3)),
    ]


@pytest.mark.parametrize(("left", "right"), [(3, 7), (7, 3), (0, 2), (1, 0)])
def test_different_counts_are_told(left: int, right: int, tmp_path: Path) -> None:
    source, target = files(tmp_path, b"x\n" * left, b"y\n" * right)
    units = read_moses(source, target)
    for _ in range(min(left, right)):
        assert isinstance(next(units), Pair)
    with pytest.raises(CorpusError, match=rf"x\.en has {left} lines and .*x\.de has {right};"):
        next(units)


def test_a_fault_of_either_side_is_the_fault_of_the_pair(tmp_path: Path) -> None:
    source, target = files(tmp_path, b"one\n\xff\nthree\n", b"eins\nzwei\ndr\0i\n")
    first, second, third = read_moses(source, target)
    assert isinstance(first, Pair)
    assert isinstance(second, Fault)
    assert second.place == Place(str(source), 2)
    assert isinstance(third, Fault)
    assert third.place == Place(str(target), 3)
