"""A translator that learns leaves padding out, by the compiled library and by torch, and finds the same without it."""

import pytest
import torch
from torch import Tensor

from mirada.attention import Padding
from mirada.models.build import build
from mirada.models.config import TransformerConfig
from mirada.models.transformer import Transformer
from mirada.operations import choice
from tests.operations.compiled import MARKS, assert_near, precision, watched

VOCABULARY, SOURCES, TARGETS = 31, [5, 9, 7, 2], [4, 6, 1, 8]
CONFIG = {"width": 16, "feed_forward": 26, "encoder": {"layers": 2, "heads": 2}, "decoder": {"layers": 2, "heads": 2}}


CHANGES = [
    {},
    {"norm_order": "post"},
    {"position": "learned(9)"},
    {"decoder": {"layers": 1, "heads": 2, "pattern": "window(2, 0)"}},
]
TURNED = {"layers": 1, "heads": 2, "position": "rotary"}


def model(**changes: object) -> Transformer:
    config = TransformerConfig.model_validate(CONFIG | {"cross": {"heads": 2}} | changes)
    made = build(config, VOCABULARY, seed=3)
    assert isinstance(made, Transformer)
    return made.to(precision()).train()


def batch() -> tuple[Tensor, Padding, Tensor, Padding]:
    source, target = (torch.randint(4, VOCABULARY, (4, max(side))) for side in (SOURCES, TARGETS))
    return source, Padding.from_lengths(SOURCES), target, Padding.from_lengths(TARGETS)


def learnt(one: Transformer, asked: tuple[Tensor, Padding, Tensor, Padding]) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The states of the real places, and all gradients of a sum of them."""
    states = one(*asked)[asked[3].real]
    fall = torch.linspace(-1, 1, states.numel()).view(states.shape).to(states)
    return states, torch.autograd.grad(states, list(one.parameters()), fall, materialize_grads=True)


class TestCompiled:
    pytestmark = MARKS

    @pytest.mark.parametrize("changes", CHANGES, ids=str)
    def test_the_same_without_padding(self, changes: dict[str, object], monkeypatch) -> None:
        one, asked, calls = model(**changes), batch(), watched(monkeypatch)
        states, gradients = learnt(one, asked)
        assert {arguments[2] for name, _, *arguments in calls if name == "mirada_map"} <= {16, 26}
        assert {arguments[1] for name, _, *arguments in calls if name == "mirada_map"} == {sum(SOURCES), sum(TARGETS)}
        monkeypatch.setattr(Transformer, "_packs", lambda *_: False)
        padded, others = learnt(one, asked)
        assert torch.equal(states, padded)
        assert_alike(gradients, others)

    def test_places_are_turned_alike(self, monkeypatch) -> None:
        """Packed sequences are turned by other angles, whose differences are the same."""
        one, asked = model(encoder=TURNED), batch()
        found = learnt(one, asked)
        monkeypatch.setattr(Transformer, "_packs", lambda *_: False)
        padded = learnt(one, asked)
        assert_near(found[0], padded[0].double(), times=2)
        assert_alike(found[1], padded[1])


@pytest.mark.parametrize("changes", [*CHANGES, {"encoder": TURNED}], ids=str)
def test_by_torch_the_same_without_padding(changes: dict[str, object], monkeypatch) -> None:
    one, asked, seen = model(**changes).double(), batch(), []
    one.encoder.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0].shape[:2]))
    found = learnt(one, asked)
    monkeypatch.setattr(Transformer, "_packs", lambda *_: False)
    padded = learnt(one, asked)
    assert seen == [(1, sum(SOURCES)), (len(SOURCES), max(SOURCES))]
    for one_, wanted in zip((found[0], *found[1]), (padded[0], *padded[1]), strict=True):
        torch.testing.assert_close(one_, wanted)


def assert_alike(gradients: tuple[Tensor, ...], others: tuple[Tensor, ...]) -> None:
    """What is added up over all places is added up in another order, without zeros in between."""
    most = max(float(one.norm()) for one in others)
    for found, wanted in zip(gradients, others, strict=True):
        assert float((found.double() - wanted.double()).norm()) < 0.03 * float(wanted.norm()) + 0.001 * most


@pytest.mark.parametrize(
    "changes",
    [
        {"encoder": {"layers": 1, "heads": 2, "position": "shaw(3)"}},
        {"cross": {"heads": 2, "score": "additive"}},
        {"cross": {"heads": 2, "position": "rotary"}},
        {"encoder": {"layers": 1, "heads": 2, "pattern": "fixed(3, 1)"}},
    ],
    ids=str,
)
def test_what_must_be_padded(changes: dict[str, object]) -> None:
    one, (source, source_padding, target, target_padding) = model(**changes), batch()
    assert not one._packs(source_padding, target_padding)
    assert one(source, source_padding, target, target_padding).isfinite().all()


def test_nothing_to_leave_out() -> None:
    whole = Padding.from_lengths([3, 3])
    assert not model()._packs(whole, whole)


def test_where_it_is_padded() -> None:
    """In use, on other devices than a CPU, and by torch in bf16."""
    one, (_, source_padding, _, target_padding) = model().float(), batch()
    assert one._packs(source_padding, target_padding)
    with torch.no_grad():
        assert not one._packs(source_padding, target_padding)
    with choice.by_torch():
        assert one._packs(source_padding, target_padding)
        assert not one.bfloat16()._packs(source_padding, target_padding)
    assert not one.to("meta")._packs(source_padding, target_padding)
