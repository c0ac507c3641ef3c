"""What the API answers, over a real connection."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

import mirada
from mirada.serving.keys import Keys
from mirada.serving.security import Neighbours
from mirada.serving.service import Options
from mirada.translator import Translator
from mirada.viewing.contract import View
from mirada.viewing.translation import look
from tests.serving.servers import MODEL, Shouting, app_of, ask, running, shouting

KEY = "a key of this test"
SENTENCE = "The black cat sleeps."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(MODEL)


@pytest.fixture(scope="module")
def address(translator: Translator) -> Iterator[str]:
    with running(app_of(translator)) as found:
        yield found


@pytest.fixture(scope="module")
def loud(translator: Translator) -> Shouting:
    return shouting(translator)


@pytest.fixture(scope="module")
def shouted(loud: Shouting) -> Iterator[str]:
    with running(app_of(loud)) as found:
        yield found


def test_a_text_and_a_list_of_texts(address: str, translator: Translator) -> None:
    texts = [SENTENCE, "Where is the house?", "", "  12  "]
    expected = [one.text for one in translator.translate(texts)]
    assert ask(address, q=texts).json() == {"translatedText": expected}
    assert ask(address, q=texts[0]).json() == {"translatedText": expected[0]}
    assert ask(address, q=[]).json() == {"translatedText": []}


def test_alternatives(address: str, translator: Translator) -> None:
    (expected,) = translator.translate([SENTENCE], beam=5, n_best=3)
    answer = ask(address, q=SENTENCE, alternatives=2).json()
    assert answer["translatedText"] == expected.text
    assert answer["alternatives"] == [one.text for one in expected.alternatives if one.text != expected.text]
    assert len(ask(address, q=[SENTENCE, "Go."], alternatives=1).json()["alternatives"]) == 2


def test_the_language_is_found_out(shouted: str) -> None:
    text = "Where is the railway station of this town?"
    answer = ask(shouted, q=text, source="auto").json()
    assert answer["translatedText"] == text.upper()
    assert answer["detectedLanguage"]["language"] == "en"
    assert answer["detectedLanguage"]["confidence"] > 50
    several = ask(shouted, q=[text, "12"], source="auto").json()["detectedLanguage"]
    assert [one["confidence"] > 0 for one in several] == [True, False]


def test_html(shouted: str) -> None:
    answer = ask(shouted, q="<p>to &lt;be&gt;</p><code>or</code>", format="html", alternatives=1).json()
    assert answer == {
        "translatedText": "<p>TO &lt;BE&gt;</p><code>or</code>",
        "alternatives": ["<p>2</p><code>or</code>"],
    }


def test_forms(shouted: str) -> None:
    body = {"q": ["one", "two & three"], "source": "en", "target": "es", "alternatives": "1"}
    answer = httpx.post(f"{shouted}/translate", data=body).json()
    assert answer == {"translatedText": ["ONE", "TWO & THREE"], "alternatives": [["2"], ["2"]]}


def test_libretranslates_own_client(shouted: str) -> None:
    client = LibreTranslateAPI(shouted)
    assert client.translate("Where is it?", "en", "es") == "WHERE IS IT?"
    assert client.translate("¿Dónde & cuándo? = %41", "auto", "es") == "¿DÓNDE & CUÁNDO? = %41"
    assert client.detect("Where is the railway station?")[0]["language"] == "en"
    assert client.languages() == [
        {"code": "en", "name": "English", "targets": ["es"]},
        {"code": "es", "name": "Spanish", "targets": []},
    ]


def test_what_the_server_tells_of_itself(address: str) -> None:
    def get(path: str) -> object:
        return httpx.get(f"{address}{path}").json()

    assert get("/health") == {"status": "ok"}
    (model,) = get("/models")
    assert model == {
        "name": "model-1",
        "task": "translation",
        "source": "en",
        "target": "es",
        "engine": "torch",
        "attention": True,
    }
    settings = get("/frontend/settings")
    assert (settings["keyRequired"], settings["charLimit"]) == (False, 20_000)
    assert settings["language"]["target"] == {"code": "es", "name": "Spanish"}
    assert get("/openapi.json")["info"]["version"] == mirada.__version__


def test_attention_is_the_view_that_mirada_view_writes(address: str, translator: Translator) -> None:
    answer = ask(address, "/attention", q=SENTENCE, reference="El gato negro.", beam=2)
    seen = View.model_validate_json(answer.content)
    assert seen == look(translator, SENTENCE, reference="El gato negro.", beam=2, name="model-1")
    assert ask(address, "/attention", q=" ").json() == {"error": "there is no sentence to look at; give one with words"}


def test_a_translation_is_scored_as_its_search_scored_it(address: str, translator: Translator) -> None:
    (expected,) = translator.translate([SENTENCE])
    (found,) = ask(address, "/score", q=SENTENCE, translation=expected.text).json()
    assert found["score"] == pytest.approx(expected.score, abs=1e-4)
    assert found["tokens"][:-1] == list(expected.tokens)
    assert sum(found["log_probabilities"]) == pytest.approx(found["log_probability"], abs=1e-3)


def test_a_translation_is_aligned_as_the_translator_aligns_it(address: str, translator: Translator) -> None:
    (expected,) = translator.translate([SENTENCE], align=True)
    (found,) = ask(address, "/align", q=[SENTENCE], translation=[expected.text]).json()
    assert [tuple(link) for link in found["links"]] == list(expected.alignment)
    assert found["tokens"] == list(expected.tokens)
    assert all(source < 4 and target < 4 for source, target in found["word_links"])


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/translate", {"q": "x", "target": "fr"}, "this language pair is not served; there is en → es"),
        ("/translate", {"q": "x", "source": "auto", "target": "fr"}, "this language is not served; there is en → es"),
        ("/translate", {"q": "x", "model": "/etc/passwd"}, "there is no model of that name; use one of model-1"),
        ("/translate", {"q": 5}, "q.str: Input should be a valid string; q.list[str]: Input should be a valid list"),
        ("/translate", {}, "q: Field required"),
        ("/translate", {"q": "x", "format": "pdf"}, "format: Input should be 'text' or 'html'"),
        ("/align", {"q": ["a", "b"], "translation": "c"}, "there are 2 texts and 1 translations; give one for each"),
        ("/score", {"q": "a " * 900, "translation": "c"}, "this model reads up to"),
    ],
)
def test_what_cannot_be_followed_is_told(address: str, path: str, body: dict[str, object], told: str) -> None:
    answer = ask(address, path, **body)
    assert answer.status_code == 400
    assert told in answer.json()["error"]


def test_addresses_that_are_not_served(address: str) -> None:
    for path in ("/nowhere", "/../../etc/passwd", "/%2e%2e/etc/passwd", "/docs", "/page/live.js"):
        assert httpx.get(f"{address}{path}").status_code == 404
    wrong = httpx.get(f"{address}/translate")
    assert (wrong.status_code, "error" in wrong.json()) == (405, True)


def test_every_answer_has_the_headers_that_browsers_obey(address: str) -> None:
    answers = [httpx.get(f"{address}/"), httpx.get(f"{address}/health"), httpx.get(f"{address}/nowhere")]
    answers += [ask(address, q=5), httpx.get(f"{address}/health", headers={"host": "evil.example"})]
    assert [one.status_code for one in answers] == [200, 200, 404, 400, 421]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


def test_other_sites_are_refused_unless_they_are_named(loud: Shouting, address: str) -> None:
    site = "https://translate.example.org"
    refused = httpx.get(f"{address}/languages", headers={"origin": site})
    assert refused.status_code == 403
    options = Options(neighbours=Neighbours(origins=(site,)))
    with running(app_of(loud, options=options)) as named:
        answer = httpx.get(f"{named}/languages", headers={"origin": site})
        assert answer.headers["access-control-allow-origin"] == site
        asked = {"origin": site, "access-control-request-method": "POST"}
        assert httpx.options(f"{named}/translate", headers=asked).status_code == 200


def test_keys(loud: Shouting) -> None:
    with running(app_of(loud, options=Options(keys=Keys([KEY])))) as found:
        assert ask(found, q="x").status_code == 403
        assert ask(found, q="x", api_key=KEY).json() == {"translatedText": "X"}
        assert LibreTranslateAPI(found, api_key=KEY).translate("x", "en", "es") == "X"
        for path in ("/metrics", "/run"):
            assert httpx.get(f"{found}{path}").status_code == 403
        bearer = {"authorization": f"Bearer {KEY}"}
        assert httpx.get(f"{found}/metrics", headers=bearer).status_code == 200
        assert httpx.get(f"{found}/health").status_code == 200
        assert httpx.get(f"{found}/frontend/settings").json()["keyRequired"] is True


def test_metrics(loud: Shouting) -> None:
    with running(app_of(loud)) as found:
        ask(found, q=["abc", "de"])
        ask(found, q=5)
        httpx.get(f"{found}/secret-{'x' * 50}")
        text = httpx.get(f"{found}/metrics").text
    assert 'mirada_requests_total{path="/translate",status="200"} 1.0' in text
    assert 'mirada_requests_total{path="/translate",status="400"} 1.0' in text
    assert 'mirada_requests_total{path="other",status="404"} 1.0' in text
    assert 'mirada_characters_total{model="model-1"} 5.0' in text
    assert "mirada_batch_texts_sum 2.0" in text
    assert "process_resident_memory_bytes" in text
    assert "secret" not in text


def test_curves_of_a_run(loud: Shouting, tmp_path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"step": 3, "kind": "training", "loss": 2.5}\n')
    with running(app_of(loud, options=replace(Options(), run=tmp_path))) as found:
        assert httpx.get(f"{found}/run").json()["training"] == [{"step": 3, "value": 2.5}]
    with running(app_of(loud)) as found:
        assert "no training is shown here" in httpx.get(f"{found}/run").json()["error"]
