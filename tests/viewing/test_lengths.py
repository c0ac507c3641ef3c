"""The picture of scores by length: in both formats, the same bytes each time, and safe with any name."""

import re
from pathlib import Path

import pytest

from mirada.evaluation.translation import Bucket, Metric, Scores
from mirada.viewing.lengths import draw_by_length


def buckets(*scores: float) -> list[Bucket]:
    return [
        Bucket(5 * place + 1, 5 * place + 5, 10 + place, Scores(Metric(float(score), "b"), Metric(score + 10.0, "c")))
        for place, score in enumerate(scores)
    ]


CURVES = {"none": buckets(30, 20, 5), "additive": buckets(31, 30, 29)}


def test_png_and_svg() -> None:
    assert draw_by_length(Path("a.png"), CURVES).startswith(b"\x89PNG")
    picture = draw_by_length(Path("a.SVG"), CURVES).decode()
    for word in ("BLEU", "chrF", "none", "additive", "1–5", "(12)"):
        assert f">{word}<" in picture
    assert draw_by_length(Path("a.svg"), CURVES).decode() == picture


def test_names_are_names_and_no_commands() -> None:
    picture = draw_by_length(Path("a.svg"), {"_x": buckets(1, 2), "$a_<b>$": buckets(2, 3)}).decode()
    assert "_x" in picture
    assert "$a_&lt;b&gt;$" in picture
    assert not re.findall("<b>|<script", picture)


def test_one_length_and_another_format() -> None:
    assert draw_by_length(Path("a.png"), {"one": buckets(3)})
    with pytest.raises(ValueError, match=r"a.pdf cannot be drawn; use a name that ends in .png or .svg"):
        draw_by_length(Path("a.pdf"), CURVES)
