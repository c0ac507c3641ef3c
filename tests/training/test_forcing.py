"""Ways to train: without sampling each is teacher forcing to the bit, with it the decoder sees what it would say."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mirada.decoding.greedy import greedy
from mirada.layers.noise import Noise
from mirada.models.build import build
from mirada.models.config import RecurrentConfig, TransformerConfig
from mirada.tasks.translation import loss_of
from mirada.text.subwords import BEGIN, PADDING
from mirada.training.forcing import (
    Chance,
    Sampling,
    TeacherForcing,
    entered_in_passes,
    entered_in_turn,
)
from mirada.training.forcing_config import ParallelConfig, ProfessorConfig, SamplingConfig, ScheduledConfig
from mirada.training.forcing_professor import ProfessorForcing
from mirada.training.optimizer import Optimizer
from mirada.training.preparing import Files
from mirada.training.run import Request
from mirada.training.settings import ConfigError, merge, read_sets, validate
from mirada.training.stretches import Settings
from tests.learning.test_sequences import make
from tests.training.small import SETTINGS, run, write_corpus
from tests.training.test_resume import RECURRENT, weights_of

VOCABULARY = 16
CPU = torch.device("cpu")
STACK = {"layers": 1, "heads": 2}
SMALL = {"width": 8, "encoder": {"width": 8}, "decoder": {"width": 8}, "attention": {"when": "before"}}
SHAPES = {
    "recurrent": RecurrentConfig.model_validate(SMALL),
    "transformer": TransformerConfig.model_validate(
        {"width": 8, "feed_forward": 8, "encoder": STACK, "decoder": STACK, "cross": {"heads": 2}}
    ),
}
BATCH = make([[4, 5, 6, 7], [8, 9, 10], [11, 5]], "reverse")


@pytest.fixture(params=SHAPES)
def model(request):
    return build(SHAPES[request.param], VOCABULARY, seed=4).train()


class OneTask:
    """The loss of a model, and nothing to validate."""

    def __init__(self, model) -> None:
        self.model = model
        self.entered = []

    def loss(self, batch, noise, smoothing):
        self.entered.append(batch.target)
        return loss_of(self.model, batch, noise, smoothing)

    def validate(self, step):
        raise NotImplementedError


def gradients(forcing, model, step: int = 3) -> list[torch.Tensor]:
    model.zero_grad()
    forcing.loss(BATCH, Noise(0.2, 1, step), 0.1, Chance(1, step, 10)).backward()
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


def test_without_sampling_each_is_teacher_forcing_to_the_bit(model) -> None:
    task = OneTask(model)
    wanted = gradients(TeacherForcing(task), model)
    for forcing in (
        Sampling(task, model, ScheduledConfig(last=0.0), CPU),
        Sampling(task, model, ParallelConfig(last=0.0), CPU),
        ProfessorForcing(task, model, ProfessorConfig(weight=0.0), 1, CPU),
    ):
        assert all(map(torch.equal, gradients(forcing, model), wanted))
        forcing.step()
        assert forcing.state() == {}


def test_at_probability_one_the_decoder_sees_its_own_outputs_only(model) -> None:
    task = OneTask(model)
    gradients(Sampling(task, model, ScheduledConfig(first=1.0, last=1.0), CPU), model)
    lengths = BATCH.target_padding.real.sum(1)
    with torch.no_grad():
        state = model.eval().start(BATCH.source, BATCH.source_padding)
        free = greedy(model, state, torch.full((3,), BEGIN), -1, lengths)  # no token ends it
    for row, entered in enumerate(task.entered[0]):
        length = int(lengths[row])
        assert entered[:length].tolist() == [BEGIN, *free[row].tokens[: length - 1]]
        assert set(entered[length:].tolist()) <= {PADDING}


@torch.no_grad()
def test_as_many_passes_as_places_are_the_steps(model) -> None:
    """After pass n the first n tokens that entered are those of free running, and stay."""
    model.eval()
    own = Chance(7, 1, 2).happens(0.6, BATCH.target)
    in_turn = entered_in_turn(model, BATCH, own)
    assert torch.equal(entered_in_passes(model, BATCH, own, BATCH.target.shape[1]), in_turn)
    assert torch.equal(in_turn[~own], BATCH.target[~own])
    one = entered_in_passes(model, BATCH, own, 1)
    assert torch.equal(one[:, :2], in_turn[:, :2])


@pytest.mark.parametrize("decay", ["linear", "exponential", "inverse_sigmoid"])
def test_the_probability_goes_from_first_to_last(decay) -> None:
    config = SamplingConfig(decay=decay, first=0.1, last=0.7)
    course = [config.probability(done / 10) for done in range(11)]
    assert course[0] == pytest.approx(0.1)
    assert course[-1] == pytest.approx(0.7)
    assert course == sorted(course)
    middle = {"linear": 0.4, "inverse_sigmoid": 0.4, "exponential": 0.654}
    assert course[5] == pytest.approx(middle[decay], abs=1e-3)


def test_decisions_follow_from_seed_and_step() -> None:
    like = torch.zeros(50, 40, dtype=torch.int64)
    same = [Chance(3, step, 10).happens(0.3, like) for step in (4, 4, 5)]
    assert torch.equal(same[0], same[1])
    assert not torch.equal(same[0], same[2])
    assert float(same[0].double().mean()) == pytest.approx(0.3, abs=0.03)
    chance = Chance(3, 4, 10)
    assert not torch.equal(chance.happens(0.3, like), chance.happens(0.3, like)), "each batch of a step has its own"


def test_the_discriminator_learns_and_moves_the_model() -> None:
    model = build(SHAPES["recurrent"], VOCABULARY, seed=4).train()
    forcing = ProfessorForcing(OneTask(model), model, ProfessorConfig(width=8, rate=0.02), 1, CPU)
    plain = gradients(TeacherForcing(OneTask(model)), model)
    assert not all(map(torch.equal, gradients(forcing, model), plain))
    before = {name: tensor.clone() for name, tensor in forcing.discriminator.named_parameters()}
    assert all(parameter.grad is not None for parameter in forcing.discriminator.parameters())
    for step in range(30):
        gradients(forcing, model, step + 1)
        forcing.step()
    assert not torch.equal(before["output_map.weight"], forcing.discriminator.output_map.weight)
    own = torch.ones_like(BATCH.target, dtype=torch.bool)
    model.eval()
    free = replace(BATCH, target=entered_in_turn(model, BATCH, own))
    with torch.no_grad():
        states = [model(one.source, one.source_padding, one.target, one.target_padding) for one in (BATCH, free)]
        odds = [forcing.discriminator(one, BATCH.target_padding) for one in states]
    assert float(odds[0].mean()) > float(odds[1].mean()) + 1


def test_a_discriminator_goes_on_where_it_was() -> None:
    model = build(SHAPES["recurrent"], VOCABULARY, seed=4).train()
    one, other = (ProfessorForcing(OneTask(model), model, ProfessorConfig(width=8), seed, CPU) for seed in (1, 2))
    gradients(one, model)
    one.step()
    other.restore({name: tensor.clone() for name, tensor in one.state().items()})
    for forcing in (one, other):
        gradients(forcing, model, 4)
        forcing.step()
    first, second = one.state(), other.state()
    assert set(first) == set(second)
    assert all(torch.equal(first[name], second[name]) for name in first)
    optimizer = Optimizer(model, Settings(), torch.float32)
    optimizer.restore(optimizer.state() | one.state(), 0)  # what is not its own is left alone


@pytest.mark.parametrize(
    ("kind", "forcing"),
    [
        ("recurrent", {"kind": "scheduled", "first": 0.5}),
        ("recurrent", {"kind": "parallel", "first": 0.5, "passes": 2}),
        ("recurrent", {"kind": "professor", "width": 8}),
        ("transformer", {"kind": "parallel", "first": 0.5, "passes": 2}),
    ],
    ids=str,
)
def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path: Path, kind: str, forcing: dict[str, object]) -> None:
    small = RECURRENT if kind == "recurrent" else SETTINGS
    settings = merge(small, {"training": {"forcing": forcing, "budget": {"steps": 6}}})
    files = Files((write_corpus(tmp_path, 120),), source="en", target="es")
    unbroken, broken = (Request(files, tmp_path / name, None, settings) for name in ("unbroken", "broken"))
    run(unbroken)
    assert run(broken, stop_at=3)[0].step == 3
    assert run(broken)[0].finished
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "unbroken")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (["training.forcing.kind=pupil"], "use kind = teacher, scheduled, parallel or professor"),
        (["training.forcing.kind=scheduled", "training.forcing.passes=2"], "training.forcing.passes is not known"),
        (["training.forcing.kind=parallel", "training.forcing.last=2"], "training.forcing.last"),
    ],
)
def test_a_wrong_setting_is_told(changes: list[str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        validate(read_sets(changes), "here")
