"""An observer sees the search, and the search does not see the observer."""

from itertools import pairwise

import pytest

from mirada.decoding.observing import Step
from mirada.decoding.options import Search
from mirada.decoding.search import decode_many
from mirada.text.subwords import END
from tests.translators import copier, subwords


def observed(beam: int, sure: float = 0.6) -> tuple[list[Step], list[int], float]:
    translator = copier(sure=sure)
    source = [*subwords().encode("Go home, wait."), END]
    steps: list[Step] = []
    with_observer = decode_many(translator.loaded.model, [source], Search(beam=beam), observer=steps.append)
    assert with_observer == decode_many(translator.loaded.model, [source], Search(beam=beam))
    best = with_observer[0][0]
    return steps, best.tokens, best.log_probability


@pytest.mark.parametrize("beam", [1, 2, 5])
def test_the_steps_hold_the_best_hypothesis(beam: int) -> None:
    steps, tokens, log_probability = observed(beam)
    assert [step.length for step in steps] == list(range(1, len(steps) + 1))
    assert len(steps) > len(tokens)
    at = 0
    for step, token in zip(steps, tokens, strict=False):
        at = next(
            place
            for place, one in enumerate(step.candidates)
            if (one.parent, one.token, one.ended) == (at, token, False)
        )
    ended = [one for one in steps[len(tokens)].candidates if one.ended and one.parent == at]
    assert [one.token for one in ended] == [END]
    assert ended[0].log_probability == pytest.approx(log_probability, abs=1e-5)


def test_a_beam_is_never_wider_than_it_is() -> None:
    steps, _, _ = observed(3)
    for before, after in pairwise(steps):
        running = sum(not one.ended for one in before.candidates)
        assert running <= 3
        assert all(one.parent < running for one in after.candidates)
        logs = [one.log_probability for one in after.candidates if not one.ended]
        assert logs == sorted(logs, reverse=True)


def test_observers_follow_one_source() -> None:
    model = copier().loaded.model
    with pytest.raises(ValueError, match="one source"):
        decode_many(model, [[5, END], [6, END]], Search(), observer=lambda step: None)
    with pytest.raises(ValueError, match="without sampling"):
        decode_many(model, [[5, END]], Search(sampling=True), observer=lambda step: None)
