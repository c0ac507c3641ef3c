"""A small run on the embedded grammar, as its tests need it."""

from pathlib import Path

import torch

from mirada.corpora.demo import generate
from mirada.training.preparing import Files
from mirada.training.report import Tick
from mirada.training.run import Request, train
from mirada.training.session import Outcome
from mirada.training.settings import merge
from mirada.training.stopping import Stop

SETTINGS = {
    "data": {"vocabulary": 500, "variants": 2, "dev_share": 0.1, "test_share": 0.02},
    "model": {
        "width": 16,
        "feed_forward": 32,
        "encoder": {"layers": 1, "heads": 2},
        "decoder": {"layers": 1, "heads": 2},
        "cross": {"heads": 2},
    },
    "training": {"batch_tokens": 600, "validation_sentences": 4, "budget": {"steps": 60}, "save_minutes": 0.001},
}


class Listener:
    """Keeps what a run says, and stops it at a step."""

    def __init__(self, stop: Stop | None = None, at: int | None = None) -> None:
        self.said: list[str] = []
        self.steps: list[int] = []
        self._stop, self._at = stop, at

    def say(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.said.append(text)

    def step(self, tick: Tick) -> None:
        self.steps.append(tick.step)
        if self._stop is not None and tick.step == self._at:
            self._stop.signal = 15

    def validated(self, score, best: bool, select: str) -> None:
        self.said.append(f"validated {score.step}")


def write_corpus(folder: Path, count: int = 300) -> Path:
    """A table of the grammar's sentences."""
    path = folder / "en-es.tsv"
    pairs = (made.pair for made in generate(count, 1))
    path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs))
    return path


def request(corpus: Path, output: Path, **changes: object) -> Request:
    """A request for the small run, with changes such as `training={"seed": 2}`."""
    files = Files((corpus,), source="en", target="es")
    return Request(files, output, None, merge(SETTINGS, changes))


def run(asked: Request, stop_at: int | None = None) -> tuple[Outcome, Listener]:
    """Train, stopped at a step if wanted."""
    stop = Stop()
    listener = Listener(stop, stop_at)
    return train(asked, listener, stop), listener


def run_alone(asked: Request) -> None:
    """Train in a process of its own, with as many threads as the tests have."""
    torch.set_num_threads(1)
    run(asked)
