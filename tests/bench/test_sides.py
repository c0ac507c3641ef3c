import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import torch

from beside.measures.training import model_of
from beside.rounds import SIDES, Side
from beside.shapes import Shape
from beside.task import synthetic
from mirada.operations.choice import by_torch
from mirada.training.checkpoint import Progress

SHAPE = Shape(layers=1, width=8, feed_forward=16, heads=2, vocabulary=30)


@pytest.fixture
def our_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of the sides, which stand on a path of their own; the number of threads stays as it was."""
    monkeypatch.syspath_prepend(str(SIDES))
    threads = torch.get_num_threads()
    yield import_module("our_loop")
    torch.set_num_threads(threads)


def asked(folder: Path, dropout: float = 0.1, **changes: object) -> dict[str, object]:
    store = str(synthetic(folder, length=5, vocabulary=SHAPE.vocabulary, tokens=14_000))
    training = {"batch_tokens": 1_400, "precision": "fp32", "dropout": dropout, "select": "loss"}
    config = {"model": model_of(SHAPE), "training": training}
    return {"train": store, "held_out": store, "threads": 1} | config | changes


def test_our_loop_is_timed_on_the_tokens_of_its_batches(our_loop: ModuleType, tmp_path: Path) -> None:
    seconds, tokens = our_loop.make_loop(asked(tmp_path), tmp_path, steps=10).time_steps(0.0, 2)
    assert seconds > 0
    assert tokens == 1_360  # pairs of ten tokens, as many whole eights of them as 1,400 hold


@pytest.mark.parametrize(("computing", "dropout"), [(by_torch, 0.1), (nullcontext, 0.0)], ids=["torch", "library"])
def test_parts_and_the_plain_path_learn_the_same_from_the_same_tokens(
    our_loop: ModuleType, tmp_path: Path, computing: Callable[[], AbstractContextManager[None]], dropout: float
) -> None:
    """Parts are computed by the library where it serves, which has dropout of its own; the plain path is torch's."""
    ends = []
    for name, plain in (("parts", False), ("plain", True)):
        folder = tmp_path / name
        folder.mkdir()
        wanted = asked(tmp_path, dropout, plain=plain, threads=2)
        with computing():
            ends.append(our_loop.make_loop(wanted, folder, steps=4).run(Progress()))
    parts, plain = ends
    assert parts.tokens == plain.tokens
    assert parts.scores[-1].loss == pytest.approx(plain.scores[-1].loss, rel=1e-5)
    assert parts.scores[-1].loss < 4.0  # log 30 = 3.4; a loss of 0 would mean that nothing was held out
    assert parts.scores[-1].loss > 0.0


def test_a_stopwatch_counts_the_timed_steps_only_and_ends_the_process(tmp_path: Path) -> None:
    path = tmp_path / "side.py"
    path.write_text(
        f"import sys; sys.path.insert(0, {str(SIDES)!r})\n"
        "from telling import Stopwatch\n"
        "stopwatch = Stopwatch(warm=2, timed=3)\n"
        "for step in range(1, 100):\n"
        "    stopwatch.count(10 ** step)\n"
        "    stopwatch.stepped('what a hook is given', 'counts nothing')\n"
    )
    answer = Side("one", Path(sys.executable), str(path), {}).answer(0)
    assert answer["tokens"] == (10**3 + 10**4 + 10**5) / 3
    assert answer["speed"] == pytest.approx(111_000 / float(answer["seconds"]))
    assert float(answer["memory"]) > 1e6
