"""Models of other kinds than translators behind the API: the same answers as from the commands, and clear refusals."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from mirada.decoding.options import Search
from mirada.labeller import Tagger
from mirada.models.folder import FolderError
from mirada.serving.app import make_app
from mirada.serving.batching import Batcher
from mirada.serving.keys import Keys
from mirada.serving.kinds import ServedGenerator
from mirada.serving.messages import WrittenText
from mirada.serving.models import Models
from mirada.serving.service import Options
from mirada.serving.works import Generating
from mirada.viewing import labelling, language, masked
from mirada.viewing.contract import View
from tests.serving.servers import MODEL, SECONDS, app_with, limited, running, wait_for
from tests.viewing.fillers import filler
from tests.viewing.generators import RECURRENT, generator
from tests.viewing.labellers import classifier, saved, tagger

KEY = "a key of this test"
SENTENCE = "The quick brown fox"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(app_with("lm", "mlm", "tag", "classify")) as found:
        yield found


def post(address: str, path: str, **body: object) -> httpx.Response:
    return httpx.post(f"{address}{path}", json=body, timeout=SECONDS)


def test_a_text_is_written_as_the_generator_writes_it(address: str) -> None:
    wishes = {"temperature": 0.8, "top_k": 9, "top_p": 0.9, "seed": 5}
    answer = post(address, "/generate", prompt="the fox", tokens=12, n=3, **wishes).json()
    expected = generator().generate("the fox", 12, 3, **wishes)
    assert answer["model"] == "lm"
    assert [one["text"] for one in answer["texts"]] == [one.text for one in expected]
    assert [one["tokens"] for one in answer["texts"]] == [12] * 3
    for one, other in zip(answer["texts"], expected, strict=True):
        assert one["log_probability"] == pytest.approx(other.log_probability, abs=1e-4)


class Slow(ServedGenerator):
    """A language model that keeps what it was given, and writes when its gate is open."""

    def __init__(self) -> None:
        super().__init__("lm", generator())
        object.__setattr__(self, "gate", threading.Event())
        object.__setattr__(self, "calls", [])

    def write(self, prompt: str, seeds: Sequence[int], length: int, search: Search) -> list[WrittenText]:
        self.calls.append((prompt, list(seeds)))
        assert self.gate.wait(SECONDS)
        return super().write(prompt, seeds, length, search)


def test_what_begins_alike_is_written_together_and_who_leaves_is_not_written_for() -> None:
    model, batcher = Slow(), Batcher(batch=8, queue=8)
    asked = [("the fox", 1), ("a dog", 2), ("the fox", 3), ("leaves", 4), ("", 1)]
    waiting = [batcher.submit(Generating(model, prompt, 8, Search(sampling=True)), [seed]) for prompt, seed in asked]
    batcher.start()
    try:
        wait_for(lambda: model.calls)
        assert waiting.pop(3).cancel()
        model.gate.set()
        written = [one.result(SECONDS)[0].text for one in waiting]
    finally:
        batcher.close(SECONDS)
    assert model.calls == [("the fox", [1, 3]), ("a dog", [2]), ("", [1])]
    del asked[3]
    assert written == [generator().generate(prompt, 8, seed=seed)[0].text for prompt, seed in asked]


def test_an_empty_beginning_and_nothing_at_all(address: str) -> None:
    expected = generator().generate("", 9)[0].text
    for body in ({}, {"prompt": ""}, {"prompt": "", "model": "lm"}):
        assert post(address, "/generate", tokens=9, **body).json()["texts"][0]["text"] == expected


def test_gaps_are_filled_as_the_filler_fills_them(address: str) -> None:
    text = f"{SENTENCE} jumps ___ the [MASK] dog."
    answer = post(address, "/predict", q=text, count=3).json()
    assert (answer["model"], answer["task"]) == ("mlm", "mlm")
    (found,) = answer["predictions"]
    expected = filler().fill(text, 3)
    assert found["text"] == expected.text
    assert [[one["text"] for one in gap] for gap in found["gaps"]] == [
        [one.text for one in gap] for gap in expected.gaps
    ]
    assert found["gaps"][1][0]["probability"] == pytest.approx(expected.gaps[1][0].probability, abs=1e-6)
    assert post(address, "/predict", q="no gap").json()["predictions"][0]["gaps"] == []


def test_words_are_tagged_and_texts_classified_as_the_labeller_does(address: str) -> None:
    texts = [SENTENCE, "Wait for me", "home"]
    tagged = post(address, "/predict", q=texts, model="tag").json()
    assert tagged["predictions"] == [one.as_json() for one in tagger().tag([text.split() for text in texts])]
    judged = post(address, "/predict", q=texts, model="classify").json()
    assert (judged["task"], len(judged["predictions"])) == ("classify", 3)
    for one, other in zip(judged["predictions"], classifier().classify(texts), strict=True):
        assert one["label"] == other.label
        assert one["probabilities"] == pytest.approx(other.probabilities, abs=1e-6)
    assert post(address, "/predict", q=[], model="tag").json()["predictions"] == []


def test_attention_is_the_view_that_mirada_view_writes(address: str) -> None:
    expected = {
        "lm": language.look(generator(), "the fox", name="lm"),
        "mlm": masked.look(filler(), "the ___ fox", name="mlm"),
        "tag": labelling.look_at_tags(tagger(), SENTENCE, name="tag"),
        "classify": labelling.look_at_class(classifier(), SENTENCE, name="classify"),
    }
    for name, view in expected.items():
        answer = post(address, "/attention", q=view.text, model=name)
        assert View.model_validate_json(answer.content) == view
    first = post(address, "/attention", q="the fox").json()
    assert (first["model"], first["task"]) == ("lm", "lm")


def test_without_a_translator_the_rest_stays_as_it_is(address: str) -> None:
    def get(path: str) -> httpx.Response:
        return httpx.get(f"{address}{path}")

    assert get("/health").json() == {"status": "ok"}
    assert get("/languages").json() == []
    assert get("/frontend/settings").json()["language"] is None
    told = [(one["name"], one["task"], one["source"], one["attention"]) for one in get("/models").json()]
    assert told == [(task, task, None, True) for task in ("lm", "mlm", "tag", "classify")]
    assert post(address, "/detect", q="12").json() == [{"confidence": 0.0, "language": "en"}]
    post(address, "/predict", q=["abc", "de"], model="tag")
    assert 'mirada_characters_total{model="tag"}' in get("/metrics").text
    pair = {"q": "x", "source": "en", "target": "es"}
    for path, body in (("/translate", pair), ("/translate", {**pair, "source": "auto"}), ("/attention", pair)):
        answer = post(address, path, **body)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(
            "no translator is served here; there is lm (language model, /generate)"
        )
    for path in ("/score", "/align"):
        assert post(address, path, **pair, translation="y").status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/generate", {"prompt": 5}, "prompt: Input should be a valid string"),
        ("/generate", {"tokens": 0}, "tokens: Input should be greater than or equal to 1"),
        ("/generate", {"temperature": 0}, "temperature: Input should be greater than or equal to 0.01"),
        ("/generate", {"temperature": 1e300}, "temperature: Input should be less than or equal to 100"),
        ("/generate", {"top_p": 0.0}, "top_p: Input should be greater than 0"),
        ("/generate", {"top_k": 10**30}, "top_k: Input should be less than or equal to"),
        ("/generate", {"seed": -1}, "seed: Input should be greater than or equal to 0"),
        ("/generate", {"seed": 2**64}, "seed: Input should be less than or equal to"),
        ("/generate", {"model": "nobody"}, "there is no model of that name; use one of lm, mlm, tag, classify"),
        ("/generate", {"model": "tag"}, "tag is no language model; it is a tagger, which is asked at /predict"),
        ("/predict", {"q": "x", "model": "lm"}, "lm is no masked model, tagger or classifier; it is a language model"),
        ("/predict", {"q": "x", "model": "../lm"}, "there is no model of that name"),
        ("/predict", {}, "q: Field required"),
        ("/predict", {"q": ["a", " \n"]}, "text 2 is empty; give one with words"),
        ("/predict", {"q": "a ___ " * 30}, "more than the 38 it can be read with"),
        ("/predict", {"q": "a", "count": 0}, "count: Input should be greater than or equal to 1"),
        ("/translate", {"q": "x", "source": "en", "target": "es", "model": "tag"}, "tag is no translator"),
        ("/attention", {"q": "x", "source": "en"}, "give source and target, or the name of a model"),
        (
            "/attention",
            {"q": "the fox", "reference": "x"},
            "a reference is what a translator or a captioner is made to say",
        ),
        ("/attention", {"q": " ", "model": "classify"}, "there is no text to look at"),
        ("/attention", {"q": "\u200b", "model": "mlm"}, "there is no text to look at"),
        ("/attention", {"q": "a " * 50}, "23 can be looked at; give a shorter one"),
    ],
)
def test_what_cannot_be_followed_is_told(address: str, path: str, body: dict[str, object], told: str) -> None:
    answer = post(address, path, **body)
    assert answer.status_code == 400
    assert told in answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/generate", {"n": 10_000}, "samples: 10,000 were asked for, at most 16 are allowed"),
        ("/generate", {"n": 10**30}, "samples: a number of more than twelve digits"),
        ("/generate", {"tokens": 10_000}, "tokens to write: 10,000 were asked for, at most 2,000 are allowed"),
        ("/generate", {"n": 16, "tokens": 200}, "tokens to write: 3,200 were asked for"),
        ("/generate", {"prompt": "x" * 20_001}, "characters: 20,001 were asked for"),
        ("/generate", {"prompt": "x\n" * 5_001}, "tokens: 10,002 were asked for"),
        ("/generate", {"prompt": "x" * 10_000_000}, "bytes of a body"),
        ("/predict", {"q": "x" * 10_000_000}, "bytes of a body"),
        ("/predict", {"q": ["x"] * 129}, "texts: 129 were asked for"),
        ("/predict", {"q": "x", "count": 10_000}, "candidates: 10,000 were asked for, at most 100 are allowed"),
        ("/predict", {"q": ["___ " * 10] * 11, "count": 100}, "candidates for all gaps: 11,000 were asked for"),
        ("/predict", {"q": "__\ufdd1_ " * 2_500, "count": 5}, "candidates for all gaps: 12,500 were asked for"),
        ("/predict", {"q": "\U0001f600" * 3_000, "model": "tag"}, "tokens: 12,0"),
    ],
)
def test_too_much(address: str, path: str, body: dict[str, object], told: str) -> None:
    answer = post(address, path, **body)
    assert answer.status_code == 413
    assert told in answer.json()["error"]


@pytest.mark.parametrize("path", ["/generate", "/predict"])
@pytest.mark.parametrize("content", [b"", b"{", b"null", b"[]", b"[" * 100_000, b'{"q": NaN, "prompt": NaN}'])
def test_bodies_that_are_no_request(address: str, path: str, content: bytes) -> None:
    answer = httpx.post(f"{address}{path}", content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, "error" in answer.json()) == (400, True)


def test_forms(address: str) -> None:
    form = {"prompt": "the", "tokens": "7", "temperature": "0.5", "top_p": "1", "seed": "3", "n": "2"}
    answer = httpx.post(f"{address}/generate", data=form, timeout=SECONDS).json()
    expected = generator().generate("the", 7, 2, temperature=0.5, seed=3)
    assert [one["text"] for one in answer["texts"]] == [one.text for one in expected]
    wrong = httpx.post(f"{address}/generate", data={"temperature": "inf"})
    assert (wrong.status_code, "temperature" in wrong.json()["error"]) == (400, True)


def test_keys_and_limits_hold() -> None:
    options = Options(limits=limited(samples=1, candidates=2).limits, keys=Keys([KEY]))
    with running(app_with("lm", "mlm", options=options)) as found:
        assert post(found, "/generate").status_code == post(found, "/predict", q="x").status_code == 403
        assert post(found, "/generate", api_key=KEY, tokens=3).status_code == 200
        assert post(found, "/generate", api_key=KEY, n=2).status_code == 413
        assert post(found, "/predict", api_key=KEY, q="a ___", count=3).status_code == 413


def test_a_model_without_attention_says_so() -> None:
    one = ServedGenerator("recurrent", generator(shape=RECURRENT))
    assert one.attention is False
    with pytest.raises(ValueError, match="this model has no attention"):
        one.look("the fox", None, 1)
    with running(make_app(Models([one]), Options())) as found:
        answer = post(found, "/attention", q="the fox")
    assert (answer.status_code, answer.json()) == (400, {"error": "recurrent has no attention to look at"})


def test_folders_are_opened_by_their_task(tmp_path: Path) -> None:
    models = Models.load([saved(tagger(), tmp_path / "words"), saved(classifier(), tmp_path / "judge"), MODEL])
    assert [(one.name, one.told) for one in models.served] == [
        ("words", "tagger"),
        ("judge", "classifier"),
        ("schema-1", "en → es"),
    ]
    assert models.translator().name == "schema-1"
    assert models.predictor().predict(["the fox"], 5)[0].labels == list(
        Tagger.load(tmp_path / "words").tag([["the", "fox"]])[0].labels
    )


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ('{"task": "caption"}', "holds a model for caption; translators, language models, masked models, and taggers"),
        ('{"task": "vectors"}', "holds a model for vectors; translators"),
        ('{"task": "classify", "model": {"kind": "patches"}}', "reads pictures, for which there is `mirada predict`"),
    ],
)
def test_what_is_not_served_is_told(tmp_path: Path, config: str, told: str) -> None:
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(FolderError, match=told):
        Models.load([tmp_path])
