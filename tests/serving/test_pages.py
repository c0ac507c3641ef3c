"""The live page as a file: deaf to what its texts would have it do, and the same page as that of a view."""

import json
import re
from importlib import resources
from typing import get_args

import httpx
import pytest

from mirada.serving import pages
from mirada.serving.app import make_app
from mirada.serving.messages import ServedTask
from mirada.serving.models import Models
from mirada.serving.pages import live_script, live_words
from mirada.serving.served import ServedTranslator
from mirada.serving.service import Options
from mirada.translator import Translator
from mirada.viewing import page
from mirada.viewing.page import script, style, words
from tests.serving.servers import MODEL, running
from tests.viewing.test_page import HOSTILE, block


@pytest.fixture(scope="module")
def answer() -> httpx.Response:
    translator = Translator.load(MODEL)
    app = make_app(Models([ServedTranslator(name, translator, exported=False) for name in HOSTILE]), Options())
    with running(app) as address:
        return httpx.get(address)


def test_it_is_the_page_of_a_view_with_an_addition(answer: httpx.Response) -> None:
    assert script() in answer.text
    assert style() in answer.text
    assert block(answer.text, "view") == "null"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    inside = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', answer.text)
    assert answer.headers["content-security-policy"] == f"{inside[0]}; frame-ancestors 'none'"
    assert "connect-src 'self'" in inside[0]


def test_hostile_names_stay_data(answer: httpx.Response) -> None:
    served = json.loads(block(answer.text, "served"))
    assert [one["name"] for one in served["models"]] == HOSTILE
    assert "<" not in block(answer.text, "served")
    assert answer.text.lower().count("<script") == answer.text.lower().count("</script") == 4


def test_every_name_of_the_joined_script_is_its_own() -> None:
    # Two of one name at the top level are a SyntaxError, or the latter silently takes the former's place.
    source = resources.files("mirada")
    parts = [source / "viewing" / "page" / name for name in page.SCRIPTS]
    parts += [source / "serving" / "page" / name for name in pages.SCRIPTS]
    joined = "\n".join(part.read_text(encoding="utf-8") for part in parts)  # not lean: only the top level is unindented
    names = re.findall(r"^(?:const|let|(?:async )?function) (\w+)", joined, re.MULTILINE)
    assert {"drawPicture", "drawLive"} <= set(names)
    assert [name for name in set(names) if names.count(name) > 1] == []


def test_every_language_says_everything() -> None:
    said = live_words()
    assert list(said) == list(words())
    assert all(list(language) == list(said["en"]) for language in said.values())
    assert not set(said["en"]) & set(words()["en"])
    used = set(re.findall(r'say\("(\w+)"', live_script()))
    for task in get_args(ServedTask):
        used |= {f"{what}_{task}" for what in ("asking_title", "asking_hint", "text_field", "go")}
        used |= set() if task == "translation" else {f"kind_{task}"}
    assert used <= set(said["en"]) | set(words()["en"])
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|import\(|new Function", live_script()
    )
