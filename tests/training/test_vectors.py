"""Runs of word vectors: learning, going on bit for bit, threads that change nothing, n-grams for new words."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from mirada.models.folder import FolderError
from mirada.models.vectors_folder import load
from mirada.training.preparing import Files
from mirada.training.result import VectorsResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from tests.training.small import run

SETTINGS: Tree = {
    "data": {"least": 2},
    "model": {"width": 13, "window": 3},
    "training": {"sample": 0, "budget": {"epochs": 12}},
}
ANIMALS, COLOURS = ("cat", "dog", "bird", "fish", "horse"), ("red", "blue", "green", "white", "black")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Animals are fed, and walls are painted: who keeps company with whom tells the two apart."""
    path = tmp_path_factory.mktemp("text") / "text.txt"
    fed = [f"my {one} eats food with my {other}" for one, other in product(ANIMALS, ANIMALS)]
    painted = [f"paint walls {one} or doors {other} today" for one, other in product(COLOURS, COLOURS)]
    path.write_text("\n".join((fed + painted) * 20) + "\n")
    return path


def request(text: Path, output: Path, **changes: object) -> Request:
    return Request(Files((text,)), output, None, merge(SETTINGS, changes), task="vectors")


@pytest.fixture(scope="module")
def trained(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "vectors"
    outcome, listener = run(request(text, folder))
    assert outcome.finished
    assert isinstance(outcome.result, VectorsResult)
    assert any("% of the text" in said for said in listener.said)
    return folder


def require_groups(folder: Path) -> None:
    """Every animal is nearer to each other animal than to any colour, and so are colours."""
    vectors = load(folder)
    for own, others in ((ANIMALS, COLOURS), (COLOURS, ANIMALS)):
        for word in own:
            near = min(vectors.similarity(word, other) for other in own)
            assert near > max(vectors.similarity(word, other) for other in others)


def test_words_used_alike_are_near(trained: Path) -> None:
    require_groups(trained)


@pytest.mark.parametrize("model", [{"kind": "cbow"}, {"subwords": True}, {"kind": "cbow", "subwords": True}])
def test_every_kind_learns(text: Path, tmp_path: Path, model: dict[str, object]) -> None:
    run(request(text, tmp_path / "vectors", model=model))
    require_groups(tmp_path / "vectors")


def test_a_word_never_met_is_near_those_spelt_alike(text: Path, tmp_path: Path) -> None:
    run(request(text, tmp_path / "vectors", model={"subwords": True, "buckets": 100_000}))
    vectors = load(tmp_path / "vectors")
    near = {word: vectors.similarity("Horses", word) for word in (*ANIMALS, *COLOURS)}
    assert max(near, key=lambda word: near[word]) == "horse"
    with pytest.raises(ValueError, match="'qqqq' is not among the"):
        vectors.nearest("qqqq")


@pytest.mark.parametrize("model", [{}, {"subwords": True}])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(text: Path, tmp_path: Path, model: dict[str, object]) -> None:
    whole, parted = (request(text, tmp_path / name, model=model) for name in ("whole", "parted"))
    run(whole)
    assert run(parted, stop_at=5)[0].step == 5
    assert run(parted)[0].finished
    assert np.array_equal(load(tmp_path / "whole").table, load(tmp_path / "parted").table)


def test_threads_change_nothing(text: Path, trained: Path, tmp_path: Path) -> None:
    before = torch.get_num_threads()
    try:
        run(request(text, tmp_path / "vectors", training={"threads": 2}))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(load(trained).table, load(tmp_path / "vectors").table)


def test_a_finished_run_is_left_alone_and_another_is_refused(text: Path, trained: Path) -> None:
    outcome, listener = run(request(text, trained))
    assert outcome.finished
    assert any("is finished" in said for said in listener.said)
    with pytest.raises(FolderError, match=r"settings\.model\.width: 13 before, 7 now"):
        run(request(text, trained, model={"width": 7}))
    with pytest.raises(FolderError, match="was begun with 12 passes"):
        run(request(text, trained, training={"budget": {"epochs": 20}}))


def test_time_becomes_passes(text: Path, tmp_path: Path) -> None:
    asked = {"budget": {"minutes": 0.01, "epochs": None}}
    assert run(request(text, tmp_path / "vectors", training=asked))[0].step >= 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": {"kind": "imported"}}, "use skipgram or cbow"),
        ({"training": {"budget": {"steps": 5, "epochs": None}}}, "use --epochs or --minutes"),
        ({"model": {"shortest": 7, "subwords": True}}, r"model\.shortest = 7 is above model\.longest = 6"),
        ({"data": {"least": 100_000}}, "give more text, or use --set data.least=1"),
    ],
)
def test_what_cannot_be_trained_is_told(text: Path, tmp_path: Path, changes: Tree, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        run(request(text, tmp_path / "vectors", **changes))


def test_presets_are_for_others(text: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="word vectors have no --preset"):
        run(Request(Files((text,)), tmp_path / "vectors", "tiny", SETTINGS, task="vectors"))
