"""Protected symbols: which parts of a text they are, and which a translation lost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.placeholders import SYMBOLS, compare, find, symbols


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%s of %d", ["%s", "%d"]),
        ("%1$s and %2$05.2f", ["%1$s", "%2$05.2f"]),
        ("%(name)s has %(count)d", ["%(name)s", "%(count)d"]),
        ("{name}, {0}, {}, {0:.2f}, {user.name!r}", ["{name}", "{0}", "{}", "{0:.2f}", "{user.name!r}"]),
        ("of type {{ type }}.|{{limit}}", ["{{ type }}", "{{limit}}"]),
        ("${name} #{name} %{name}", ["${name}", "#{name}", "%{name}"]),
        ("<b>bold</b><br/><br />", ["<b>", "</b>", "<br/>", "<br />"]),
        ("<a href=\"x?a=1&amp;b\" class='c'>link</a>", ["<a href=\"x?a=1&amp;b\" class='c'>", "</a>"]),
        ("<1>x</1> <2/> <12>", ["<1>", "</1>", "<2/>", "<12>"]),
        ("Q&amp;A &#160; &#xA0; R&D; AT&T", ["&amp;", "&#160;", "&#xA0;"]),
        ("%name% and %user_id%", ["%name%", "%user_id%"]),
        ("%1 of %2 in %L1", ["%1", "%2", "%L1"]),
        ("$HOME/bin and $PATH_2", ["$HOME", "$PATH_2"]),
        ("%d%% done", ["%d", "%%"]),
        ("%s%s", ["%s", "%s"]),
        ("%dpx", ["%d"]),
        ("%s%(name)s%d", ["%s", "%(name)s", "%d"]),
        ("%lu bytes, %.1f%%", ["%lu", "%.1f", "%%"]),
    ],
)
def test_what_is_protected(text: str, found: list[str]) -> None:
    assert symbols(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "10% of the people",
        "100 % sure",
        "eine 10%ige Lösung, 5%er",
        "a < b and c > d",
        "if x <y and z> w",
        "$100 and $5.50, US$ 3",
        "{two words}",
        "R&D, AT&T; fish & chips",
        "see <https://example.org/x>",
    ],
)
def test_what_is_prose(text: str) -> None:
    assert symbols(text) == []


def test_links_are_optional() -> None:
    text = "See https://example.org/a?b=1, or write to ana.b@example.org."
    assert symbols(text) == []
    assert symbols(text, links=True) == ["https://example.org/a?b=1", "ana.b@example.org"]


@given(st.text(alphabet="%s1$({name})}<b/>&amp; d\n", max_size=60), st.booleans())
def test_spans_are_in_order_apart_and_not_empty(text: str, links: bool) -> None:
    place = 0
    for span in find(text, links):
        assert place <= span.start < span.end <= len(text)
        place = span.end


@given(st.text(alphabet="%s1$({name})}<b/>&amp; d\n", max_size=40) | st.text(max_size=40))
def test_what_is_not_looked_at_closely_has_no_symbol(text: str) -> None:
    assert find(text) == [found.span() for found in SYMBOLS.finditer(text)]


def test_the_order_is_free_and_the_count_is_not() -> None:
    assert not compare("{a} of {b}", "{b} de {a}")
    lost = compare("{a} {a} <b>x</b>", "{a} x</b> {c}")
    assert lost.missing == ("{a}", "<b>")
    assert lost.extra == ("{c}",)
    assert str(lost) == "lost {a} <b> and added {c}"
    assert str(compare("a", "b")) == "all symbols kept"


def test_formats_may_be_numbered_by_the_translation() -> None:
    assert not compare("%s of %d", "%2$d: %1$s")
    assert compare("%s of %d", "%2$s: %1$d")
    assert compare("%s of %d", "%d of")


@given(st.text(max_size=80))
def test_a_text_keeps_its_own_symbols(text: str) -> None:
    assert not compare(text, text)


@pytest.mark.parametrize("piece", ["<a ", "{", "%", "&a", '<a b="', "a@a.", "%(", "<1", "https://", "{{ "])
def test_time_stays_linear(piece: str) -> None:
    text = piece * 20_000
    start = time.perf_counter()
    find(text, links=True)
    assert time.perf_counter() - start < 3
