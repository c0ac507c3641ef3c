"""What a reader sees of a drawn pattern, asked of a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from mirada.attention.pattern import parse
from mirada.viewing.drawing import allowed_pairs, as_svg

pytestmark = pytest.mark.browser

CELLS_ON_SCREEN = """length => {
    const square = document.querySelector('.hidden').getBoundingClientRect();
    const side = square.width / length;
    const places = [...Array(length).keys()];
    const seen = (i, j) => document.elementFromPoint(
        square.left + (j + 0.5) * side, square.top + (i + 0.5) * side).getAttribute('class');
    return places.map(i => places.map(j => seen(i, j)));
}"""

TEXT_OUTSIDE = """() => {
    const paper = document.querySelector('.paper').getBoundingClientRect();
    const outside = box => box.left < paper.left || box.right > paper.right
        || box.top < paper.top || box.bottom > paper.bottom;
    return [...document.querySelectorAll('text')]
        .filter(text => outside(text.getBoundingClientRect())).map(text => text.textContent);
}"""

PATTERNS = [
    ("window(8, 0) & strided(4)", 32),
    ("causal & (window(3, 0) | strided(5))", 17),
    ("fixed(7, 2)", 101),
    ("grid(3, 5, 1)", 15),
    ("full", 1),
    ("causal", 257),
]


def open_picture(page: Page, folder: Path, pattern: str, length: int) -> None:
    picture = folder / "picture.svg"
    picture.write_text(as_svg(parse(pattern), length), encoding="utf-8")
    page.goto(picture.as_uri())


@pytest.mark.parametrize(("pattern", "length"), PATTERNS)
def test_the_cells_on_screen_are_those_allowed(page: Page, tmp_path: Path, pattern: str, length: int) -> None:
    open_picture(page, tmp_path, pattern, length)
    cells = page.evaluate(CELLS_ON_SCREEN, length)
    assert {cell for row in cells for cell in row} <= {"allowed", "hidden"}
    seen = [[cell == "allowed" for cell in row] for row in cells]
    assert seen == allowed_pairs(parse(pattern), length).tolist()


@pytest.mark.parametrize(("pattern", "length"), [*PATTERNS, (" | ".join(["causal & fixed(97, 13)"] * 9), 5)])
def test_all_text_lies_on_the_paper(page: Page, tmp_path: Path, pattern: str, length: int) -> None:
    open_picture(page, tmp_path, pattern, length)
    assert page.evaluate(TEXT_OUTSIDE) == []


def test_the_picture_follows_the_reader_into_the_dark(page: Page, tmp_path: Path) -> None:
    open_picture(page, tmp_path, "causal", 7)
    colour = "() => getComputedStyle(document.querySelector('.paper')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    assert (light, page.evaluate(colour)) == ("rgb(255, 255, 255)", "rgb(20, 23, 28)")


def test_a_page_shows_the_picture_and_fetches_nothing_else(page: Page, tmp_path: Path) -> None:
    (tmp_path / "picture.svg").write_text(as_svg(parse("causal"), 7), encoding="utf-8")
    (tmp_path / "page.html").write_text("<!doctype html><img src=picture.svg>", encoding="utf-8")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(Path(request.url).name))
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate("() => document.querySelector('img').naturalWidth") > 0
    assert requests == ["page.html", "picture.svg"]
