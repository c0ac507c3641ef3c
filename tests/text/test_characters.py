"""Characters and lines of subwords: what is encoded comes back, and what is foreign is known as such."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

from mirada.text.characters import Characters
from mirada.text.subwords import UNKNOWN
from mirada.text.units import SubwordLines, Units, encode_text
from tests.translators import TEXTS, subwords

LINES = some.lists(some.text(some.characters(exclude_categories=["Cc", "Cs"]), max_size=20), max_size=5)


@given(LINES)
def test_a_text_comes_back(lines: list[str]) -> None:
    composed = [unicodedata.normalize("NFC", line) for line in lines]
    units = Characters({character for line in composed for character in line})
    ids = units.encode(lines)
    assert units.decode(ids.tolist()) == "".join(line + "\n" for line in composed)
    assert units.characters_in(lines) == len(ids)
    assert Characters.of_bytes(units.to_bytes()).characters == units.characters


def test_ids_stand_behind_the_four_special_ones() -> None:
    units = Characters("ba")
    assert units.size == 4 + 3
    assert units.encode(["ab"]).tolist() == [5, 6, 4]
    assert units.line_end == 4


def test_what_was_never_met_is_unknown() -> None:
    units = Characters("ab")
    assert units.encode(["azb"]).tolist()[1] == UNKNOWN
    assert units.decode(units.encode(["azb"]).tolist()) == "a\ufffdb\n"
    with pytest.raises(ValueError, match="id 7 is not in the vocabulary; its ids go from 0 to 6"):
        units.decode([7])


def test_controls_do_not_enter() -> None:
    units = Characters("ab\t")
    assert units.decode(units.encode(["a\x07\tb\r"]).tolist()) == "a\tb\n"


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"characters": 3}', b'{"characters": "ba\\n"}', b"\xff"])
def test_a_damaged_file_is_told(data: bytes) -> None:
    with pytest.raises(ValueError, match="copy the folder again"):
        Characters.of_bytes(data)


def test_lines_of_subwords_come_back() -> None:
    units = SubwordLines(subwords())
    lines = [TEXTS[0], "", TEXTS[1]]
    assert units.decode(units.encode(lines).tolist()) == f"{TEXTS[0]}\n\n{TEXTS[1]}\n"
    assert units.characters_in(lines) == sum(len(line) + 1 for line in lines)


@pytest.mark.parametrize(
    "units", [Characters("Opensav thfil,.\n"), SubwordLines(subwords())], ids=["characters", "subwords"]
)
@pytest.mark.parametrize("text", ["", "Open", "Open\n", "Open the file\n\nsave"])
def test_a_text_may_end_within_a_line(units: Units, text: str) -> None:
    assert units.decode(encode_text(units, text)) == text
