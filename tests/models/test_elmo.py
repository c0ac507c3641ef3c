"""ELMo: the mix of the formula, directions that see one side only, and what is frozen stays as it was."""

import pytest
import torch
from torch import Tensor

from mirada.attention import Padding
from mirada.data.both_ways import BothBatch, both_ways
from mirada.data.rows import ALONE, Gathered
from mirada.models.build import build
from mirada.models.elmo import BidirectionalModel, ElmoReader, StaticReader
from mirada.models.reading_config import ElmoConfig, StaticConfig
from mirada.models.text_folders import build_both
from mirada.training.optimizer import Optimizer
from mirada.training.stretches import Settings

VOCABULARY = 31
CONFIG = ElmoConfig(width=6, layers=2, task_layers=1, task_width=10)


def reader_of(config: ElmoConfig | StaticConfig) -> ElmoReader | StaticReader:
    found = build(config, VOCABULARY, seed=3)
    assert isinstance(found, ElmoReader | StaticReader)
    return found


def test_the_mix_is_the_formula() -> None:
    reader = reader_of(ElmoConfig(width=6, layers=2, task_layers=0)).double()
    assert isinstance(reader, ElmoReader)
    torch.nn.init.normal_(reader.mixture)
    reader.scale.data.fill_(1.7)
    tokens = torch.tensor([[5, 6, 7, 8]])
    layers = [torch.cat(both, -1) for both in reader.models.layers(tokens, None)]
    shares = torch.exp(reader.mixture) / torch.exp(reader.mixture).sum()
    expected = 1.7 * (shares[0] * layers[0] + shares[1] * layers[1] + shares[2] * layers[2])
    torch.testing.assert_close(reader(tokens), expected)
    torch.testing.assert_close(layers[0][..., :6], layers[0][..., 6:])


@pytest.mark.parametrize("config", [CONFIG, StaticConfig(width=6, task_layers=1, task_width=10)])
def test_padding_changes_no_state(config: ElmoConfig | StaticConfig) -> None:
    reader = reader_of(config)
    tokens = torch.tensor([[5, 6, 7]])
    padded = torch.tensor([[5, 6, 7, 0, 0]])
    torch.testing.assert_close(reader(padded, Padding.from_lengths([3], 5))[:, :3], reader(tokens))


def test_static_vectors_know_no_context_and_elmo_does() -> None:
    one, other = torch.tensor([[5, 6, 7]]), torch.tensor([[5, 9, 8]])
    static = reader_of(StaticConfig(width=6, task_layers=0))
    torch.testing.assert_close(static(one)[:, 0], static(other)[:, 0])
    elmo = reader_of(ElmoConfig(width=6, task_layers=0))
    assert not torch.allclose(elmo(one)[:, 0], elmo(other)[:, 0])


def batch_of(*rows: list[int]) -> BothBatch:
    import numpy as np

    lengths = np.array([len(row) for row in rows])
    ids = np.array([row + [0] * (int(lengths.max()) - len(row)) for row in rows])
    return both_ways(Gathered(ids, lengths, np.zeros_like(ids), np.arange(len(rows)), np.full(len(rows), ALONE)))


def states_of(model: BidirectionalModel, batch: BothBatch) -> tuple[Tensor, Tensor]:
    states = model(batch.entered, batch.padding, batch.ahead, batch.behind)
    ahead, behind = states.chunk(2)
    return ahead, behind


def test_a_batch_asks_for_the_next_token_and_for_the_one_before() -> None:
    batch = batch_of([2, 5, 6, 3], [2, 7, 3])
    assert batch.ahead.tolist() == [0, 1, 2, 4, 5]
    assert batch.behind.tolist() == [1, 2, 3, 5, 6]
    assert batch.expected.tolist() == [5, 6, 3, 7, 3, 2, 5, 6, 2, 7]


def test_neither_direction_sees_what_it_is_to_tell() -> None:
    model = build_both(CONFIG, VOCABULARY, seed=2).eval().double()
    one, other = batch_of([2, 5, 6, 7, 3]), batch_of([2, 5, 9, 7, 3])
    ahead, behind = states_of(model, one)
    other_ahead, other_behind = states_of(model, other)
    torch.testing.assert_close(ahead[:2], other_ahead[:2])  # what tells places 1 and 2 has read only what is before
    torch.testing.assert_close(behind[2:], other_behind[2:])  # what tells places 2 and 3 has read only what is after
    assert not torch.allclose(ahead[2], other_ahead[2])
    assert not torch.allclose(behind[1], other_behind[1])


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_what_is_frozen_is_not_touched_and_the_rest_learns(kind: torch.dtype) -> None:
    reader = reader_of(CONFIG)
    before = {name: tensor.detach().clone() for name, tensor in reader.named_parameters()}
    optimizer = Optimizer(reader, Settings(decay=0.1), kind)
    tokens = torch.randint(4, VOCABULARY, (3, 7), generator=torch.Generator().manual_seed(1))
    for _ in range(3):
        optimizer.add(optimizer.gradients(reader(tokens).float().square().mean()))
        optimizer.step(0.01, 1.0)
    after = optimizer.weights()
    assert set(after) == set(before)
    for name, tensor in before.items():
        assert torch.equal(after[name], tensor) == name.startswith("models."), name
    other = Optimizer(reader_of(CONFIG), Settings(decay=0.1), kind)
    other.restore(optimizer.state(), 3)
    assert all(torch.equal(tensor, after[name]) for name, tensor in other.weights().items())


def test_while_the_language_models_learn_the_mix_waits() -> None:
    model = build_both(CONFIG, VOCABULARY, seed=2)
    learnt = {name for name, one in model.named_parameters() if one.requires_grad}
    assert all(name.startswith(("reader.models.", "readout.", "output.")) for name in learnt)
    assert "reader.models.embedding.weight" in learnt
    assert not any(name.startswith(("reader.mixture", "reader.scale", "reader.task")) for name in learnt)
