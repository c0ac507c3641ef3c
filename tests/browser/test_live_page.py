"""What a reader sees and does on the live page, fed by a real server."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from mirada.serving.pages import live_words
from mirada.serving.service import Options
from mirada.translator import Translator
from mirada.viewing.packing import unpack
from mirada.viewing.page import words
from mirada.viewing.translation import look
from tests.serving.servers import MODEL, app_of, app_with, limited, running, shouting
from tests.viewing.fillers import filler
from tests.viewing.generators import generator
from tests.viewing.labellers import classifier, tagger

pytestmark = pytest.mark.browser

SENTENCE = "The animal was too tired."
expect.set_options(timeout=30_000)  # milliseconds; a busy machine is no fault of the page


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(MODEL)


@pytest.fixture(scope="module")
def address(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    run = tmp_path_factory.mktemp("a-run")
    lines: list[dict[str, object]] = [
        {"step": step, "kind": "training", "loss": 6 - step / 200} for step in range(10, 800, 10)
    ]
    lines += [
        {"step": step, "kind": "validation", "loss": 5 - step / 200, "chrf": step / 20, "bleu": step / 40}
        for step in (200, 400, 600)
    ]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (run / "training.json").write_text('{"status": "running"}')
    with running(app_of(translator, shouting(translator), options=Options(run=run))) as found:
        yield found


def opened(page: Page, address: str) -> list[str]:
    """Open the page; errors, and all that it asks others for, are collected in the list."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda asked: None if asked.url.startswith((address, "data:")) else wrong.append(asked.url))
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    return wrong


def test_type_translate_and_look(page: Page, address: str, translator: Translator) -> None:
    wrong = opened(page, address)
    assert page.locator("#looks").is_hidden()
    page.fill("#text", SENTENCE)
    page.click("#go")
    page.wait_for_selector("#aligned .word")
    view = look(translator, SENTENCE, name="model-1")
    assert page.locator(".said").inner_text() == view.translation
    page.click('#unit [data-value="subwords"]')
    page.click('#group [data-value="encoder"]')
    page.click('.thumb[data-layer="0"][data-head="1"]')
    told = page.locator("#weight")
    query, key = int(told.get_attribute("data-query")), int(told.get_attribute("data-key"))
    assert float(told.inner_text()) == pytest.approx(unpack(view, 0)[1][query, key], abs=0.000_501)
    page.click('#unit [data-value="words"]')
    page.fill("#text", "Where is the house?")
    page.click("#go")
    expect(page.locator(".side").first.locator(".word").first).to_have_text("Where")
    assert page.locator('#group [aria-checked="true"]').get_attribute("data-value") == "encoder", "it stays chosen"
    assert wrong == []


def test_two_models_side_by_side(page: Page, address: str) -> None:
    wrong = opened(page, address)
    page.select_option("#second", "model-2")
    page.fill("#text", SENTENCE)
    page.click("#go")
    page.wait_for_selector("#aligned .word")
    cards = page.locator(".answer")
    assert cards.count() == 2
    assert cards.nth(1).locator(".said").inner_text() == SENTENCE.upper()
    assert cards.nth(1).locator("mark").count() > 0, "what only one says is marked"
    assert page.locator("#model").inner_text() == "model-1"
    cards.nth(1).locator("button").click()
    expect(page.locator("#model")).to_have_text("model-2")
    assert cards.nth(1).locator("button").get_attribute("aria-pressed") == "true"
    assert wrong == []


def test_with_the_keyboard_alone(page: Page, address: str) -> None:
    wrong = opened(page, address)
    page.keyboard.type(SENTENCE)  # the field has the focus
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#aligned .word")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "go"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement.id") == "second"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".answer")).to_have_count(2)
    expect(page.locator(".answer button")).to_have_count(2)
    for _ in range(3):
        page.keyboard.press("Tab")  # the button, the first answer, the second
    page.keyboard.press("Enter")
    expect(page.locator("#model")).to_have_text("model-2")
    assert page.evaluate("() => document.activeElement.textContent") == "Look into this one", "the focus stays"
    assert wrong == []


def test_hostile_texts_are_shown_as_text(page: Page, address: str) -> None:
    wrong = opened(page, address)
    page.select_option("#first", "model-2")
    page.select_option("#second", "model-1")
    text = "<img src=x onerror=alert(1)>"
    page.fill("#text", text)
    page.click("#go")
    expect(page.locator(".said").first).to_have_text(text.upper())
    page.wait_for_selector("#aligned .word")
    assert page.locator("main img").count() == page.locator("body [onerror], body [onload]").count() == 0
    assert wrong == []


def test_what_goes_wrong_is_told(page: Page, address: str) -> None:
    opened(page, address)
    page.click("#go")
    assert page.locator("#told").inner_text() == "Nothing is typed yet."
    page.fill("#text", SENTENCE)
    page.route("**/translate", lambda route: route.abort())
    page.click("#go")
    expect(page.locator("#told")).to_have_text("The server cannot be reached.")
    assert page.locator("#go").is_enabled()


def test_curves_of_a_training(page: Page, address: str) -> None:
    wrong = opened(page, address)
    page.wait_for_selector("#score-chart svg")
    assert "a-run" in page.locator("#training-note").inner_text()
    assert "running" in page.locator("#training-note").inner_text()
    assert page.locator("#loss-chart svg").get_attribute("aria-label") == "training: 2.05, development: 2.00"
    assert page.locator("#score-chart svg").get_attribute("aria-label") == "BLEU: 15.00, chrF: 30.00"
    assert wrong == []


@pytest.mark.parametrize("language", ["en", "es", "pt", "ru"])
def test_the_browser_chooses_the_language(chromium: Browser, address: str, language: str) -> None:
    context = chromium.new_context(locale=language, viewport={"width": 390, "height": 800})
    page = context.new_page()
    assert opened(page, address) == []
    assert page.locator("#asking h2").inner_text() == live_words()[language]["asking_title_translation"]
    assert page.locator("#foot").inner_text().startswith("Mirada 0")
    page.fill("#text", SENTENCE)
    page.click("#go")
    page.wait_for_selector("#aligned .word")
    assert page.locator("h1").inner_text() == words()[language]["translation_title"]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    context.close()


@pytest.fixture(scope="module")
def kinds() -> Iterator[str]:
    """A server without a translator."""
    with running(app_with("lm", "mlm", "tag", "classify")) as found:
        yield found


def test_a_beginning_goes_on(page: Page, kinds: str) -> None:
    wrong = opened(page, kinds)
    assert page.locator("#asking h2").inner_text() == live_words()["en"]["asking_title_lm"]
    page.keyboard.type("the fox ")  # the field has the focus
    page.fill("#wish-tokens", "12")
    page.fill("#wish-temperature", "0.7")
    page.fill("#wish-seed", "5")
    page.fill("#wish-n", "2")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_count(2)
    expected = generator().generate("the fox ", 12, 2, temperature=0.7, seed=5)
    assert page.locator(".said").all_text_contents() == [one.text for one in expected]
    assert page.locator(".given").first.text_content() == "the fox "
    expect(page.locator("#aligned .word").nth(1)).to_contain_text("the")
    assert page.locator("#model").inner_text() == "lm"
    page.fill("#wish-tokens", "0")
    page.focus("#text")
    page.keyboard.press("Control+Enter")
    assert page.evaluate("() => document.activeElement.id") == "wish-tokens", "the browser says what is wrong"
    assert wrong == []


def test_gaps_are_filled_words_labelled_and_texts_classified(page: Page, kinds: str) -> None:
    wrong = opened(page, kinds)

    def asked(model: str, text: str) -> None:
        page.select_option("#first", model)
        page.fill("#text", text)
        page.click("#go")
        expect(page.locator("#model")).to_have_text(model)

    asked("mlm", "The ___ fox")
    (gap,) = filler().fill("The ___ fox").gaps
    assert page.locator(".said mark").inner_text() == gap[0].text
    assert page.locator(".gaps .text").all_text_contents() == [one.text for one in gap]
    asked("tag", "The <b>quick</b> fox")
    (tagged,) = tagger().tag([["The", "<b>quick</b>", "fox"]])
    assert page.locator(".tags span").all_text_contents() == list(tagged.words)
    assert page.locator(".tags small:not(.chance)").all_text_contents() == list(tagged.labels)
    assert page.locator("#wishes").is_hidden()
    asked("classify", "Wait for me")
    (judged,) = classifier().classify(["Wait for me"])
    assert page.locator(".said").inner_text() == judged.label
    assert page.locator(".answer .bars li").count() == 2
    expect(page.locator("#aligned .classes li")).to_have_count(2)
    assert wrong == []


def test_a_text_that_was_cut_or_read_in_parts_is_told_so(page: Page, kinds: str) -> None:
    opened(page, kinds)
    long = "the quick brown fox " * 20
    parts = tagger().tag([long.split()])[0].parts
    assert parts > 1
    for model, key in (("tag", "text_parts"), ("classify", "text_cut")):
        page.select_option("#first", model)
        for text, count in (("the fox", 0), (long, 1)):
            page.fill("#text", text)
            page.click("#go")
            expect(page.locator("#go")).to_be_enabled()
            told = live_words()["en"][key].replace("{count}", str(parts))
            expect(page.locator(".facts", has_text=told)).to_have_count(count)


def test_no_more_is_wished_for_than_the_server_writes(page: Page) -> None:
    with running(app_with("lm", options=limited(written=9))) as found:
        wrong = opened(page, found)
        assert page.locator("#wish-tokens").input_value() == "9"
        page.keyboard.type("the")
        page.click("#go")
        expect(page.locator(".said")).to_have_count(1)
        assert wrong == []
