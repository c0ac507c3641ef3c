"""Servers on the loopback address, in a thread of the test, and translators that do as they are told."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from fastapi import FastAPI

from mirada.decoding.options import Search
from mirada.serving.app import make_app
from mirada.serving.kinds import ServedClassifier, ServedFiller, ServedGenerator, ServedTagger
from mirada.serving.limits import Limits
from mirada.serving.models import Models
from mirada.serving.served import Served, ServedTranslator
from mirada.serving.server import listen, make_server
from mirada.serving.service import Options
from mirada.translator import Alternative, Translation, Translator
from tests.viewing.fillers import filler
from tests.viewing.generators import generator
from tests.viewing.labellers import classifier, tagger

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"
SECONDS = 20.0  # after which a test has failed


class Shouting(Translator):
    """A translator that says every text in capitals, when its gate is open."""

    def __init__(self, like: Translator) -> None:
        super().__init__(like._engines)
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()
        self.calls: list[list[str]] = []

    def translate_with(self, texts: Sequence[str], search: Search, *, align: bool = False) -> list[Translation]:
        self.calls.append(list(texts))
        self.begun.set()
        assert self.gate.wait(SECONDS)
        if "fault" in texts:
            raise RuntimeError("a fault of this test")
        others = tuple(Alternative(f"{number}", -1.0) for number in range(2, search.n_best + 1))
        return [Translation(text, text.upper(), -1.0, alternatives=others) for text in texts]


def shouting(translator: Translator | None = None) -> Shouting:
    return Shouting(Translator.load(MODEL) if translator is None else translator)


def app_of(*translators: Translator, options: Options | None = None) -> FastAPI:
    served = [
        ServedTranslator(f"model-{number}", one, exported=False) for number, one in enumerate(translators, start=1)
    ]
    return make_app(Models(served), options or Options())


def app_with(*kinds: str, options: Options | None = None) -> FastAPI:
    """An application with tiny models of these tasks, each named by its task."""
    return make_app(Models([kind_of(one) for one in kinds]), options or Options())


def kind_of(task: str) -> Served:
    match task:
        case "translation":
            return ServedTranslator(task, shouting(), exported=False)
        case "lm":
            return ServedGenerator(task, generator())
        case "mlm":
            return ServedFiller(task, filler())
        case "tag":
            return ServedTagger(task, tagger())
        case _:
            return ServedClassifier(task, classifier())


def limited(**limits: int) -> Options:
    return Options(limits=Limits(**limits))


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    """The address of an application that is served."""
    with listen("127.0.0.1", 0) as found:
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{found.getsockname()[1]}"
        try:
            wait_for(lambda: server.started)
            yield address
        finally:
            server.should_exit = True
            thread.join(SECONDS)
            assert not thread.is_alive()


def wait_for(holds, seconds: float = SECONDS) -> None:
    """Wait until something holds."""
    ticking = threading.Event()
    for _ in range(int(seconds * 200)):
        if holds():
            return
        ticking.wait(0.005)
    raise AssertionError("it did not come to pass")


def ask(address: str, path: str = "/translate", **body: object) -> httpx.Response:
    """The answer to a request from English into Spanish."""
    return httpx.post(f"{address}{path}", json={"source": "en", "target": "es", **body}, timeout=SECONDS)
