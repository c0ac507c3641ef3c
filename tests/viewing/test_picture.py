"""A look as an SVG picture: the weights are in its cells, and names in it are only names."""

import re
from xml.etree import ElementTree

import pytest

from mirada.viewing.heat import Chosen, title
from mirada.viewing.picture import as_picture
from tests.viewing.test_heat import known
from tests.viewing.views import synthetic

SVG = "{http://www.w3.org/2000/svg}"


def cells(picture: str) -> list[tuple[int, int, float]]:
    """Row, column and weight of every filled cell."""
    root = ElementTree.fromstring(picture)
    ground = next(one for one in root.iter(f"{SVG}rect") if one.get("class") == "cells")
    left, top = int(ground.attrib["x"]), int(ground.attrib["y"])
    group = next(one for one in root.iter(f"{SVG}g"))
    return [
        (
            (int(one.attrib["y"]) - top) // 26,
            (int(one.attrib["x"]) - left) // 26,
            float(one.attrib["fill-opacity"]),
        )
        for one in group
    ]


def test_cells_say_weights() -> None:
    assert cells(as_picture(known(), Chosen(2, 0), subwords=True)) == [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]
    spread = cells(as_picture(known(), Chosen(2, 1)))  # two subwords of one word are looked at together
    assert spread == [
        (row, column, pytest.approx(weight, abs=0.01))
        for row in range(3)
        for column, weight in enumerate((0.25, 0.5, 0.25))
    ]


def test_words_and_what_is_looked_at_most() -> None:
    picture = as_picture(known(), Chosen(2, 0), subwords=True)
    root = ElementTree.fromstring(picture)
    written = [one.text for one in root.iter(f"{SVG}text")]
    assert written == [title(known(), Chosen(2, 0)), "The", "cat", "s", "<end>", "El", "gato", "<end>"]
    assert root.find(f"{SVG}desc").text == "Each word looks most: El at The, gato at cat, <end> at s."
    assert not re.search(r"\b(?:id|href|onload)=", picture)


def test_names_are_escaped_and_cut() -> None:
    view = synthetic(["▁<script>alert(1)</script>&"], ["▁x"], layers=1, heads=1)
    picture = as_picture(view, Chosen(2, None))
    assert "<script" not in picture
    assert "&lt;script&gt;alert(1)&lt;/scrip…" in picture
    ElementTree.fromstring(picture)
