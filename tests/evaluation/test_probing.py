"""Probing by hand: heads that look where a hand says."""

import numpy as np
import pytest

from mirada.evaluation.pointing import PointingProbe
from mirada.evaluation.probing import NONE, OFFSETS, Probe, guesses, offset_guesses

HEADS = [(0, 0), (0, 1), (1, 0)]


def looking(*targets: list[int]) -> np.ndarray:
    """Heads whose word i looks at word targets[i] with 0.6, at itself with more, and at the others with little."""
    size = len(targets[0])
    weights = np.full((len(targets), size, size), 0.01, dtype=np.float32)
    for head, row in enumerate(targets):
        weights[head, range(size), range(size)] = 0.9
        weights[head, range(size), row] = 0.6
    return weights


def test_the_word_that_is_looked_at_most_but_never_oneself() -> None:
    weights = looking([1, 2, 0])
    found = guesses(weights, np.ones(3, dtype=np.bool_))
    assert found.tolist() == [[1, 2, 0], [2, 0, 1]]  # turned round: who looks at me


def test_words_without_places_and_weights_of_zero_are_pointed_at_by_nobody() -> None:
    weights = looking([1, 2, 0])
    assert guesses(weights, np.array([True, True, False])).tolist() == [[1, 0, NONE], [1, 0, NONE]]
    causal = weights * np.tri(3, dtype=np.float32)
    assert guesses(causal, np.ones(3, dtype=np.bool_))[0].tolist() == [NONE, 0, 0]


def test_offsets() -> None:
    found = offset_guesses(3)
    assert found[OFFSETS.index(1)].tolist() == [1, 2, NONE]
    assert found[OFFSETS.index(-2)].tolist() == [NONE, NONE, 0]


def test_the_best_head_is_chosen_on_one_half_and_scored_on_the_other() -> None:
    probe = Probe(HEADS)
    seen = np.ones(4, dtype=np.bool_)
    tree = [1, NONE, 3, 1], ["det", "root", "det", "obj"]
    right, wrong = [1, 0, 3, 1], [3, 3, 0, 0]
    probe.add(0, looking(wrong, right, wrong), seen, *tree)
    probe.add(0, looking(wrong, right, right), seen, *tree)
    probe.add(1, looking(right, wrong, right), seen, *tree)  # on the other half the chosen head fails
    probe.add(1, looking(right, right, right), seen, *tree)
    found = {one.relation: one for one in probe.findings()}
    assert set(found) == {"det", "obj"}
    assert (found["det"].layer, found["det"].head, found["det"].direction) == (1, 2, "dependent → head")
    assert (found["det"].cases, found["det"].accuracy) == (4, 0.5)
    assert (found["det"].offset, found["det"].baseline) == (1, 1.0)
    assert (found["obj"].offset, found["obj"].baseline, found["obj"].gain) == (-2, 1.0, -0.5)
    assert [one.relation for one in probe.findings(fewest=4)] == ["det"]


def test_a_head_that_looks_from_heads_to_dependents() -> None:
    probe = Probe(HEADS[:1])
    seen = np.ones(3, dtype=np.bool_)
    for half in (0, 1):
        probe.add(half, looking([1, 2, 1]), seen, [NONE, 0, 1], ["root", "obj", "nmod"])
    found = {one.relation: one for one in probe.findings()}
    assert (found["obj"].direction, found["obj"].accuracy) == ("head → dependent", 1.0)


def test_weights_of_chance_know_nothing() -> None:
    chance = np.random.default_rng(3)
    probe = Probe([(layer, head) for layer in range(4) for head in range(8)])
    for number in range(400):
        size = int(chance.integers(6, 15))
        heads = [int((word + chance.integers(1, size)) % size) for word in range(size)]
        weights = chance.random((32, size, size), dtype=np.float32)
        probe.add(number % 2, weights, np.ones(size, dtype=np.bool_), heads, ["dep"] * size)
    (found,) = probe.findings()
    assert found.accuracy == pytest.approx(1 / 9, abs=0.04)  # of 64 guesses the best on its own half has more


def test_pointing() -> None:
    probe = PointingProbe(HEADS)
    seen = np.ones(5, dtype=np.bool_)
    names = range(2), range(2, 3)
    for half in (0, 1):
        for right, target in ((0, 1), (1, 2)):
            weights = looking([0] * 4 + [target], [0] * 4 + [0], [0] * 4 + [2])
            probe.add(half, weights, seen, 4, names, right)
    found = probe.result()
    assert (found.cases, found.layer, found.head, found.accuracy, found.baseline) == (2, 1, 1, 1.0, 0.5)
    blind = PointingProbe(HEADS[:1])
    for half in (0, 1):
        blind.add(half, np.zeros((1, 5, 5), dtype=np.float32), seen, 4, names, 1)
    assert blind.result().accuracy == 0.5
    with pytest.raises(ValueError, match="no question could be asked"):
        PointingProbe(HEADS).result()
