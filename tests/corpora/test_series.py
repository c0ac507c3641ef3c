"""Reading series: columns, times, gaps, and every file that is none."""

from pathlib import Path

import numpy as np
import pytest

from mirada.corpora import series as reading
from mirada.corpora.pair import CorpusError
from mirada.corpora.series import Series, read_series


def read(folder: Path, text: str, wanted: tuple[str, ...] | None = None, name: str = "series.csv") -> Series:
    path = folder / name
    path.write_text(text)
    return read_series(path, wanted)


def test_a_table_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, "place,date,a,b\nx,2020-01-01,1,2\ny,2020-01-02,3,-4e1\nz,2020-01-03,5,6.5\n")
    assert (found.names, found.time, found.clock.step) == (("a", "b"), "date", "day")
    assert found.values.tolist() == [[1, 2], [3, -40], [5, 6.5]]
    assert found.remarks == ("Column place is left out: 100% of it are no numbers.",)


def test_gaps_are_told_and_repeat_what_was_before(tmp_path: Path) -> None:
    found = read(tmp_path, "t,a,b\n2020-01-01,,2\n2020-01-02,3,\n2020-01-03,NaN,7\n2020-01-05,5,inf\n2020-01-06,6,1\n")
    assert found.values.tolist() == [[3, 2], [3, 2], [3, 7], [3, 7], [5, 7], [6, 1]]
    assert found.remarks[0] == "1 of 6 steps have no row; each repeats the step before it."
    assert found.remarks[1].startswith("6 of 12 numbers are missing")


def test_a_spreadsheet_of_half_the_world(tmp_path: Path) -> None:
    found = read(tmp_path, "Datum;a\n01.02.2020;3,5\n02.02.2020;4,25\n")
    assert found.values.tolist() == [[3.5], [4.25]]
    assert found.clock.shown(2) == "2020-02-03 00:00:00"


def test_rows_without_a_time_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, "1\t5\n2\t6\n4\t7\n", name="series.tsv")
    assert (found.names, found.time, found.clock.season) == (("column 1", "column 2"), None, 1)
    assert "No column tells the time" in found.remarks[0]


def test_columns_can_be_chosen_in_an_order(tmp_path: Path) -> None:
    text = "date,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n"
    assert read(tmp_path, text, ("b", "a")).values.tolist() == [[2, 1], [4, 3]]
    with pytest.raises(CorpusError, match="has no column c; this model needs a, c, and the file has date, a, b"):
        read(tmp_path, text, ("a", "c"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no series"),
        ("date,a\n", "holds no series"),
        ("date,a\n2020-01-01,1\n2020-01-02\n", "line 3: 1 columns, where the header has 2"),
        ("date,a\n2020-01-01,1\nsoon,2\n", "line 3: 'soon' in column date is no time"),
        ("date,a\n2020-01-01,1\n2020-01-02,x\n2020-01-03,3\n", "line 3: 'x' in column a is no number"),
        ("date,a\n2020-01-02,1\n2020-01-01,2\n", "do not go forward"),
        (
            "date,a\n2020-01-01,1\n2020-01-02,2\n2020-01-02,3\n2020-01-03,3\n",
            "line 4: 2020-01-02 00:00:00 is not later",
        ),
        ("date,a\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n2020-01-04 05:00,3\n", "line 5: .* is no step"),
        ("date,a\n2020-01-01,1\n2020-01-02,2\n2030-01-03,3\n", "so most are missing"),
        ("date,a,a\n2020-01-01,1,2\n2020-01-02,2,2\n", "two columns named a"),
        ("date,a\n2020-01-01,x\n2020-01-02,y\n", "no column of numbers"),
    ],
)
def test_what_is_no_series_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(CorpusError, match=told):
        read(tmp_path, text)


def test_a_file_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_VALUES", 5)
    with pytest.raises(CorpusError, match="more than 5 cells"):
        read(tmp_path, "a,b\n1,2\n3,4\n5,6\n")


def test_a_digest_tells_series_apart(tmp_path: Path) -> None:
    text = "date,a\n2020-01-01,1\n2020-01-02,3\n"
    one, same = read(tmp_path, text), read(tmp_path, text, name="copy.csv")
    assert one.digest == same.digest
    assert (
        len({one.digest, *(read(tmp_path, text.replace(*change)).digest for change in (("3", "4"), ("a", "b")))}) == 3
    )
    assert np.isfinite(one.values).all()
