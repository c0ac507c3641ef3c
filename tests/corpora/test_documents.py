"""Documents: contiguous parts of files, stored as one stream."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from mirada.corpora.documents import Survey, build_stream, characters_of, readable, survey
from mirada.corpora.store import Store
from mirada.text.characters import Characters


def write(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@given(
    some.lists(some.integers(1, 50), max_size=60),
    some.sampled_from([(0.9, 0.05, 0.05), (0.8, 0.2, 0.0), (0.7, 0.0, 0.3), (1.0, 0.0, 0.0), (1.0,)]),
)
def test_parts_follow_each_other_and_leave_nothing_out(lengths: list[int], shares: tuple[float, ...]) -> None:
    found = Survey(Path("x"), np.array(lengths, dtype=np.int32), 0, None)
    parts = found.divided(shares)
    assert [part.first for part in parts] == [0, *np.cumsum([part.count for part in parts])[:-1].tolist()]
    assert sum(part.count for part in parts) == len(lengths)
    for part, share in zip(parts, shares, strict=True):
        assert sum(lengths[part.first : part.first + part.count]) <= share * sum(lengths) + 50
        assert share > 0 or part.count == 0


@pytest.mark.parametrize("name", ["text.txt", "text.txt.gz"])
def test_a_stream_is_the_text(tmp_path: Path, name: str) -> None:
    lines = [f"line {number} of some" for number in range(2_500)]
    path = write(tmp_path / name, "".join(line + "\r\n" for line in lines))
    train, dev = survey(path).divided((0.75, 0.25))
    units = Characters(characters_of([train]))
    for part, folder in ((train, "train"), (dev, "dev")):
        store, characters = build_stream([part], units, tmp_path / folder, "made")
        text = units.decode(Store.open(tmp_path / folder).stream("source").tolist())
        assert text == "".join(line + "\n" for line in lines[part.first : part.first + part.count])
        assert characters == len(text) == len(store.stream("source"))
    assert dev.count == pytest.approx(625, abs=20)


def test_lines_that_are_no_text_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"good\nb\xffad\n\nn\x00ul\nlast")
    found = survey(path)
    assert (found.faults, found.characters) == (2, len("good\n\nlast\n"))
    assert found.first_fault is not None
    assert "not UTF-8" in found.first_fault.reason
    assert list(readable(path)) == ["good", "", "last"]
