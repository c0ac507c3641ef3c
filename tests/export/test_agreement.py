"""Which sentences an export is compared with."""

import json

import pytest

from mirada.export.agreement import choose_sentences, enough
from mirada.models.engine import TorchEngine
from mirada.text.asking import Asked
from tests.export.models import random_model, shape


@pytest.fixture(scope="module")
def engine() -> TorchEngine:
    return TorchEngine(random_model(shape()))


def test_the_models_own_come_first(engine, tmp_path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.json").write_text(json.dumps([["Go home.", "x"], ["word " * 90, "y"], ["12", "z"]]))
    found = choose_sentences(tmp_path, None, engine)
    assert (found.texts, found.origin) == ([Asked("Go home.")], "the model's own dev set")
    (tmp_path / "data" / "test.json").write_text(json.dumps([["No!", "x"]] * 400))
    for quantization, sentences in (("none", 100), ("int8", 300)):  # more, so that chance does not decide
        assert len(choose_sentences(tmp_path, None, engine, enough(quantization)).texts) == sentences


@pytest.mark.parametrize("data", [b"", b"{}", b"[1, [], [2], null]", b"\xff"])
def test_else_the_demonstration_serves(engine, tmp_path, data) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "test.json").write_bytes(data)
    found = choose_sentences(tmp_path, None, engine)
    assert found.origin == "of the demonstration"
    assert len(found.texts) > 10
