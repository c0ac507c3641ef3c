"""The page as a file: small, whole, and deaf to what its texts would have it do."""

import base64
import hashlib
import json
import re

import pytest

from mirada.viewing import language
from mirada.viewing.contract import View
from mirada.viewing.page import ONE_SEQUENCE, SCRIPTS, as_page, contents_of, script, words
from tests.viewing.generators import generator
from tests.viewing.views import synthetic

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "{{script}}",
    "\u2028alert(1)",
    '"><svg onload=alert(1)>',
    "]]>",
    "\\u003c/script>",
]
SIZE = 300_000  # bytes, for 30 tokens on 6 + 6 layers with 8 heads


@pytest.fixture(scope="module")
def hostile() -> tuple[View, str]:
    view = synthetic(HOSTILE, HOSTILE[::-1])
    return view, as_page(view)


def block(page: str, name: str) -> str:
    (found,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    return found


def test_hostile_texts_stay_data(hostile: tuple[View, str]) -> None:
    view, page = hostile
    assert View.model_validate_json(block(page, "view")) == view
    assert "<" not in block(page, "view")
    assert "<img" not in page
    assert "<svg onload" not in page
    assert page.lower().count("<script") == page.lower().count("</script") == 3
    told = json.loads(block(page, "words"))
    assert told["ru"].items() <= words()["ru"].items()
    assert {"help_lm", "help_picture", "help_pooling"} <= set(words()["ru"]) - set(told["ru"])


def test_the_policy_names_what_stands_in_the_page(hostile: tuple[View, str]) -> None:
    page = hostile[1]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (running,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for text, name in ((running, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_nothing_is_fetched_and_no_text_becomes_html() -> None:
    code = script()
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(|import\(|new Function", code
    )
    assert set(re.findall(r"https?://[^\"'`\s]+", code)) == {"http://www.w3.org/2000/svg"}
    assert len(SCRIPTS) == len(set(SCRIPTS))


def test_a_page_is_small() -> None:
    labels = [f"▁{word}" for word in ("The", "black", "cat", "doesn't", "sleep")] * 6
    page = as_page(synthetic(labels, labels, layers=6, heads=8))
    assert len(page.encode()) <= SIZE


def test_a_page_says_what_it_shows() -> None:
    """Every word that a script of a page asks for by its name is there."""
    for view in (synthetic(["▁a"], ["▁b"]), language.look(generator(), "a cat")):
        contents = contents_of(view)
        asked = set(re.findall(r'say\("(\w+)"', script(contents.scripts)))
        of_the_other_kind = ONE_SEQUENCE if "written" in view.sequences else {"help_translation"}
        assert asked & contents.unsaid <= of_the_other_kind
        assert f"help_{view.task}" not in contents.unsaid


def test_every_language_says_everything() -> None:
    said = words()
    assert list(said) == ["en", "es", "pt", "ru"]
    for own in said.values():
        assert list(own) == list(said["en"])
        for key, text in own.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", said["en"][key])), key
    used = set(re.findall(r'say\("(\w+)"', script())) | {"flag_cut", "help_matrix", "help_graph", "help_cross"}
    assert used <= set(said["en"])
