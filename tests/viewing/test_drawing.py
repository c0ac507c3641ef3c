"""The drawings say, cell by cell, what `allows` says."""

import re
from xml.etree import ElementTree

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from mirada.attention.pattern import Pattern, parse
from mirada.viewing.drawing import ASCII, BLOCKS, LONGEST, Glyphs, allowed_pairs, as_svg, as_text, glyphs_for

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = [
    "full",
    "causal",
    "window(3, 0)",
    "window(2, 5)",
    "strided(3)",
    "fixed(5, 2)",
    "grid(23, 23, 1)",
    "window(8, 0) & strided(4)",
    "causal & (window(2, 0) | strided(7))",
]
patterns = some.sampled_from(TEXTS).map(parse)
lengths = some.integers(1, 67)


def cells_of_text(text: str, glyphs: Glyphs) -> list[list[bool]]:
    rows = [line[4:].ljust(2) for line in text.splitlines()[1:]]
    width = max(map(len, rows))
    padded = [row.ljust(width + width % 2) for row in rows]  # trailing spaces are not printed
    return [[row[j : j + 2] == glyphs.allowed for j in range(0, len(row), 2)] for row in padded]


def cells_of_svg(svg: str, length: int) -> list[list[bool]]:
    runs = ElementTree.fromstring(svg).find(f".//{SVG}path[@class='allowed']").attrib["d"]  # type: ignore[union-attr]
    assert re.fullmatch(r"(M\d+ \d+h\d+)*", runs)
    cells = torch.zeros(length, length, dtype=torch.int64)
    for start, row, size in re.findall(r"M(\d+) (\d+)h(\d+)", runs):
        cells[int(row), int(start) : int(start) + int(size)] += 1
    assert cells.max() <= 1, "a cell is drawn twice"
    return cells.bool().tolist()


def words_of(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(patterns, lengths, some.sampled_from([BLOCKS, ASCII]))
def test_text_shows_what_is_allowed(pattern: Pattern, length: int, glyphs: Glyphs) -> None:
    places = torch.arange(length)
    allowed = pattern.allows(places[:, None], places[None, :])
    assert cells_of_text(as_text(pattern, length, glyphs), glyphs) == allowed.tolist()


@given(patterns, lengths)
def test_svg_shows_what_is_allowed(pattern: Pattern, length: int) -> None:
    places = torch.arange(length)
    allowed = pattern.allows(places[:, None], places[None, :])
    assert cells_of_svg(as_svg(pattern, length), length) == allowed.tolist()


def test_text_by_hand() -> None:
    assert as_text(parse("window(1, 0)"), 3).splitlines() == [
        r"i\j 0 1 2",
        "  0 ██· ·",
        "  1 ████·",
        "  2 · ████",
    ]


@pytest.mark.parametrize("length", [1, 8, 9, 100, 101, LONGEST])
def test_labels_stand_over_their_cells(length: int) -> None:
    head, *rows = as_text(parse("full"), length).splitlines()
    labels = {match.group(): match.start() for match in re.finditer(r"\d+", head)}
    assert len(labels) <= 8
    assert all(column == 4 + 2 * int(label) for label, column in labels.items())
    assert {row[:3].strip() for row in rows} - {""} == set(labels)


def test_svg_names_the_pattern_and_the_axes() -> None:
    svg = as_svg(parse("window(8,0)&strided(4)"), 32)
    assert {"window(8, 0) & strided(4)", "keys j", "queries i", "84 of 1,024 pairs allowed (8%)"} <= {*words_of(svg)}
    root = ElementTree.fromstring(svg)
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == "Attention pattern window(8, 0) & strided(4)"
    assert "32 by 32 cells" in (root.findtext(f"{SVG}desc") or "")


def test_a_long_name_is_written_in_full() -> None:
    pattern = parse(" | ".join(f"window({n}, 0) & strided({n + 1})" for n in range(9)))
    words = words_of(as_svg(pattern, 3))
    assert " ".join(words).startswith(str(pattern))


def test_the_longest_picture_stays_small() -> None:
    checkered = as_svg(parse("strided(2)"), LONGEST)  # every run is one cell: the worst there is
    assert len(checkered) < 2_000_000


@pytest.mark.parametrize("length", [-1, 0, LONGEST + 1])
@pytest.mark.parametrize("drawing", [as_text, as_svg, allowed_pairs])
def test_a_length_out_of_range_is_refused(drawing: object, length: int) -> None:
    with pytest.raises(ValueError, match=f"length = {length} cannot be drawn; use 1 to 512"):
        drawing(parse("full"), length)  # type: ignore[operator]


def test_a_pattern_is_not_drawn_beyond_its_places() -> None:
    with pytest.raises(ValueError, match=r"length = 16, but grid\(3, 5, 1\) knows 15 places; use 15 or less"):
        as_text(parse("grid(3, 5, 1)"), 16)


@pytest.mark.parametrize(
    ("encoding", "glyphs"),
    [
        ("utf-8", BLOCKS),
        ("cp1252", ASCII),
        ("ascii", ASCII),
        ("latin-1", ASCII),
        (None, ASCII),
        ("unheard-of", ASCII),
    ],
)
def test_glyphs_are_those_the_terminal_can_print(encoding: str | None, glyphs: Glyphs) -> None:
    assert glyphs_for(encoding) == glyphs
