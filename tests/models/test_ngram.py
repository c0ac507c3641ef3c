"""The n-gram model: a golden computed by hand, and the laws of probabilities."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from mirada.models.ngram import USUAL_DISCOUNT, Ngram

VOCABULARY, BEFORE = 5, 0
TEXTS = some.lists(some.integers(0, VOCABULARY - 1), min_size=1, max_size=60)


def test_a_bigram_model_by_hand() -> None:
    """The text 1 2 1 3 after 0: the bigrams 01, 12, 21, 13 stand once each, so their D is the usual 0.75.

    Different tokens before: of 1 two (0 and 2), of 2 one, of 3 one; 4 in all, 3 different tokens. Of the order 1, two
    count 1 and one counts 2: D = 2 / (2 + 2) = 0.5, so p(2) = (1 − 0.5 + 0.5 · 3 · 0.2) / 4 = 0.2.
    After 1 came 2 and 3: p(2 | 1) = (1 − 0.75 + 0.75 · 2 · 0.2) / 2 = 0.275.
    """
    model = Ngram.count(np.array([1, 2, 1, 3]), 2, VOCABULARY, BEFORE)
    assert [level.discount for level in model.levels] == [0.5, USUAL_DISCOUNT]
    assert model.distribution([1])[2] == pytest.approx(0.275)
    assert model.distribution([3])[2] == pytest.approx(0.2), "what followed 3 was never seen"
    assert np.exp(model.log_probabilities(np.array([1, 2])))[1] == pytest.approx(0.275)


@given(TEXTS, TEXTS, some.integers(1, 4))
def test_probabilities_sum_to_one_and_both_ways_to_ask_agree(text: list[int], other: list[int], order: int) -> None:
    model = Ngram.count(np.array(text), order, VOCABULARY, BEFORE)
    asked = model.log_probabilities(np.array(other))
    history = [BEFORE] * (order - 1)
    for token, log in zip(other, asked, strict=True):
        probabilities = model.distribution(history)
        assert probabilities.sum() == pytest.approx(1)
        assert probabilities.min() > 0
        assert log == pytest.approx(np.log(probabilities[token]))
        history = [*history, token][1:] if order > 1 else []


@given(TEXTS, some.integers(1, 4))
def test_it_decodes_step_by_step(text: list[int], order: int) -> None:
    model = Ngram.count(np.array(text), order, VOCABULARY, BEFORE)
    seen = torch.tensor([text, text])
    scores, state = model.step(seen[:, -1], model.start(seen[:, :-1]))
    history = ([BEFORE] * order + text)[len(text) + 1 :] if order > 1 else []
    assert scores[1].exp().numpy() == pytest.approx(model.distribution(history))
    assert len(state.select(torch.tensor([1])).tokens) == 1


def test_it_knows_its_own_text_best() -> None:
    text = np.random.default_rng(1).integers(0, VOCABULARY, 400)
    losses = [-Ngram.count(text, order, VOCABULARY, BEFORE).log_probabilities(text).mean() for order in (1, 3, 5)]
    assert losses == sorted(losses, reverse=True)


def test_it_survives_being_written_and_damage_is_told() -> None:
    model = Ngram.count(np.array([1, 2, 1, 3, 3, 4, 1, 2]), 3, VOCABULARY, BEFORE)
    tensors = {name: torch.from_numpy(numbers) for name, numbers in model.tensors().items()}
    again = Ngram.of_tensors(tensors, 3, VOCABULARY, BEFORE)
    text = np.array([4, 4, 1, 2, 3])
    assert np.array_equal(again.log_probabilities(text), model.log_probabilities(text))
    for name, wrong in (("keys.2", tensors["keys.2"] * 100), ("counts.1", tensors["counts.1"][:-1])):
        with pytest.raises(ValueError, match="impossible; copy the folder again"):
            Ngram.of_tensors({**tensors, name: wrong}, 3, VOCABULARY, BEFORE)
    with pytest.raises(ValueError, match="orders 1 to 2"):
        Ngram.of_tensors(tensors, 2, VOCABULARY, BEFORE)
