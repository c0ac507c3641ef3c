"""HTML through a translator: tags stay tags, texts stay texts."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.serving.markup import Fragment

MARKUP = [
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='x'>",
    "</a>",
    "<br>",
    "<!-- a > b -->",
    "<script>if (a<b) c()</script>",
]
TEXTS = ["Open ", "the door", " &amp; ", "&lt;b&gt;", "a < b", "<", ">", '"', "'", "é", "<i", "<?x?>", "</", "&", "\n"]
PIECES = st.sampled_from([*MARKUP, *TEXTS])


def through(text: str, say=lambda text: text) -> str:
    fragment = Fragment(text)
    said = [say(one) for one in fragment.texts]
    return fragment.joined(said, [say(one) for one in fragment.lost(said)])


def shout(text: str) -> str:
    """Capitals, tags and all around them left alone."""
    return "".join(part if part.startswith("<") else part.upper() for part in re.split(r"(<[^<>]*>)", text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<p>Open the <b>red</b> door.</p>", "<p>OPEN THE <b>RED</b> DOOR.</p>"),
        ("<b>All of it</b>", "<b>ALL OF IT</b>"),
        ("Fish &amp; chips &lt; 5", "FISH &amp; CHIPS &lt; 5"),
        ('<img alt="a > b"> here<br/>there', '<img alt="a > b"> HERE<br/>THERE'),
        ("<script>go('<b>')</script>now", "<script>go('<b>')</script>NOW"),
        ("press <kbd>q</kbd> now", "PRESS <kbd>q</kbd> NOW"),
        ("<!-- no --> yes", "<!-- no --> YES"),
        ("<b>one</i> two", "<b>ONE</i> TWO"),
        ("", ""),
    ],
)
def test_texts_are_translated_and_tags_are_kept(text: str, said: str) -> None:
    assert through(text, shout) == said


def test_tags_within_a_sentence_go_through_the_model() -> None:
    assert Fragment("<p>Open the <b>red</b> door.</p><p>Go.</p>").texts == ["Open the <b>red</b> door.", "Go."]


@pytest.mark.parametrize("said", ["roja puerta", "<b>roja puerta", "</b>roja<b> puerta", "<b>roja</b> <b>puerta</b>"])
def test_where_tags_are_lost_the_texts_are_translated_one_by_one(said: str) -> None:
    fragment = Fragment("<p>the <b>red</b> door &amp; I</p>")
    assert fragment.lost([said]) == ["the ", "red", " door & I"]
    assert fragment.joined([said], ["la ", "<roja>", " puerta & yo"]) == (
        "<p>la <b>&lt;roja&gt;</b> puerta &amp; yo</p>"
    )


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_translator_that_copies_changes_no_markup(text: str) -> None:
    assert html.unescape(through(text)) == html.unescape(text)


@given(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=30))
def test_what_a_model_says_never_becomes_a_tag(text: str, said: str) -> None:
    fragment = Fragment(text)
    hostile = [f"{said}<img src=x onerror=alert(1)>" for _ in fragment.texts]
    again = [f"{said}<script>alert(1)</script>" for _ in fragment.lost(hostile)]
    made = fragment.joined(hostile, again)
    assert "<img src" not in made
    assert made.count("<script>") == text.count("<script>")


def test_long_hostile_fragments_take_no_time() -> None:
    for piece in ("<a ", '<a "', "<!--", "<script>", "</", "<a b='", "&lt;", "<b>"):
        assert html.unescape(through(piece * 5_000)) == html.unescape(piece * 5_000)
