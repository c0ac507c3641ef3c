"""Models that label: a word's state, pooling that padding does not change, bags, the perceptron, folders."""

from pathlib import Path

import pytest
import torch

from mirada.attention import Padding, record
from mirada.layers.bag import USUAL, BagEmbedding
from mirada.layers.noise import Noise
from mirada.models.build import build
from mirada.models.config import RecurrentEncoderConfig, StackConfig
from mirada.models.folder import FolderError, tensors_of
from mirada.models.labelling import Classifier, Pooling, TextPooling, pool_words
from mirada.models.labelling_config import ClassifierHeadConfig, TaggerHeadConfig, build_labeller
from mirada.models.labelling_folder import ClassifierFolderConfig, load, save
from mirada.models.perceptron import PerceptronReader
from mirada.models.reading_config import EncoderConfig, PerceptronConfig, RecurrentReaderConfig

POOLINGS: list[TextPooling] = ["mean", "first", "max", "attention"]


def test_the_state_of_a_word_by_hand() -> None:
    states = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    places, word = torch.tensor([0, 1, 3]), torch.tensor([0, 0, 1])
    assert pool_words(states, places, word, 2).tolist() == [[2.0, 3.0], [7.0, 8.0]]
    assert pool_words(states, places, word, 2, "first").tolist() == [[1.0, 2.0], [7.0, 8.0]]


@pytest.mark.parametrize("kind", POOLINGS)
def test_padding_changes_no_pooled_state(kind: TextPooling) -> None:
    torch.manual_seed(1)
    pooling = Pooling(6, kind)
    if pooling.query is not None:
        torch.nn.init.normal_(pooling.query)
    states = torch.randn(1, 5, 6)
    padded = torch.cat([states, torch.full((1, 2, 6), 9.0)], 1)
    torch.testing.assert_close(pooling(padded, Padding.from_lengths([5], 7)), pooling(states, None))


def test_where_a_classifier_looks_can_be_recorded() -> None:
    config = RecurrentReaderConfig(width=6, stack=RecurrentEncoderConfig(width=10))
    model = build_labeller(config, ClassifierHeadConfig(pooling="attention"), 31, 3, seed=1).eval()
    tokens, padding = torch.tensor([[5, 6, 7], [8, 9, 0]]), Padding.from_lengths([3, 2], 3)
    alone = model(tokens, padding, None)
    with record(model) as looks:
        assert torch.equal(model(tokens, padding, None), alone)
    weights = looks[0].weights
    assert weights.shape == (2, 1, 1, 3)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 1, 1))
    assert weights[1, 0, 0, 2] == 0


def test_a_bag_is_the_sum_of_its_ids() -> None:
    bags = BagEmbedding(13, 6)
    tokens = torch.tensor([[[4, 7, 0], [5, 0, 0]]])
    wanted = torch.stack([bags.weight[4] + bags.weight[7], bags.weight[5]]) * (6 / USUAL) ** 0.5
    torch.testing.assert_close(bags(tokens)[0], wanted)
    dropped = bags(torch.full((1, 400, 3), 4), noise=Noise(0.5, 1, 1))[0] / (bags.weight[4] * (6 / USUAL) ** 0.5)
    torch.testing.assert_close(dropped, dropped[:, :1].expand_as(dropped))
    assert {round(one) for one in dropped[:, 0].tolist()} == {0, 2, 4, 6}, "whole ids are dropped"


@pytest.mark.parametrize("encoder", [True, False])
def test_readers_of_words_and_readers_of_subwords_are_built_alike(encoder: bool) -> None:
    for spelling, tokens in ((0, torch.randint(4, 31, (2, 5))), (17, torch.randint(4, 31, (2, 5, 3)))):
        if encoder:
            reader = build(EncoderConfig(width=8, feed_forward=9, spelling=spelling, stack=StackConfig(heads=2)), 31)
        else:
            config = RecurrentReaderConfig(width=6, spelling=spelling, stack=RecurrentEncoderConfig(width=8))
            reader = build(config, 31)
        assert reader(tokens).shape == (2, 5, 8)
        assert len(reader.get_parameter("embedding.weight")) == 31 + spelling


def test_a_perceptron_does_not_see_scales() -> None:
    torch.manual_seed(2)
    rows = torch.randn(50, 3)
    answers = []
    for scale in (torch.ones(3), torch.tensor([1e4, 1e-4, -3.0])):
        reader = build(PerceptronConfig(width=7, layers=2), 3, seed=1)
        assert isinstance(reader, PerceptronReader)
        reader.standardise(rows * scale.abs() + scale)
        answers.append(reader((rows * scale.abs() + scale)[:, None]))
    torch.testing.assert_close(answers[0], answers[1], rtol=1e-3, atol=1e-3)
    reader.standardise(torch.full((4, 3), 2.0))
    assert reader.deviation.tolist() == [1.0, 1.0, 1.0], "what never changes is not divided by 0"


def test_a_folder_holds_the_whole_model(tmp_path: Path) -> None:
    config = PerceptronConfig(width=5, layers=1)
    model = build_labeller(config, ClassifierHeadConfig(), 2, 3, seed=4)
    described = ClassifierFolderConfig(features=("x", "y"), labels=("a", "b", "c"), model=config)
    save(tmp_path, described, tensors_of(model), None, "card")
    loaded = load(tmp_path)
    assert loaded.labels.names == ("a", "b", "c")
    assert isinstance(loaded.model, Classifier)
    x = torch.randn(3, 1, 2)
    assert torch.equal(loaded.model(x, None, None), model.eval()(x, None, None))
    save(tmp_path, described.model_copy(update={"labels": ("a", "b")}), tensors_of(model), None, "card")
    with pytest.raises(FolderError, match="does not fit the config"):
        load(tmp_path)


def test_a_config_that_reads_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="a perceptron has features and no vocabulary"):
        ClassifierFolderConfig(vocabulary=300, labels=("a", "b"), model=PerceptronConfig())
    with pytest.raises(ValueError, match="a tagger labels words"):
        build_labeller(PerceptronConfig(width=4), TaggerHeadConfig(), 2, 2)(torch.zeros(1, 1, 2), None, None)
