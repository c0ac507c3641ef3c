"""Long texts: what no later place can see is forgotten, and nothing that is said changes by it."""

import pytest
import torch
from torch import Tensor

from mirada.attention import Learned, Memory, Pattern, Rotary, Shaw, Sinusoidal, parse
from mirada.models.config import StackConfig
from mirada.models.language import CausalState, CausalTransformer
from tests.models.build import VOCABULARY, small_language_model

CONTEXT = 19
PATTERNS = {  # with the most keys that are remembered of CONTEXT places
    "full": CONTEXT,
    "window(5, 0)": 5,
    "window(0, 0)": 0,
    "strided(4)": CONTEXT,
    "fixed(5, 2)": 10,
    "window(3, 0) & strided(2)": 3,
    "window(3, 0) | strided(5)": CONTEXT,
    "window(3, 0) | fixed(5, 1)": 7,
    "fixed(7, 0)": 6,
}
POSITIONS = {
    "none": (None, None),
    "rotary": (None, Rotary()),
    "shaw": (None, Shaw(2)),
    "sinusoidal": (Sinusoidal(), None),
    "learned": (Learned(CONTEXT), None),
}


def model_with(pattern: str, position: str, layers: int = 2, convolution: int = 0) -> CausalTransformer:
    entered, inside = POSITIONS[position]
    stack = StackConfig(layers=layers, heads=2, position=inside, pattern=parse(pattern))
    return small_language_model(CONTEXT, entered, stack, convolution)


def tokens(rows: int, length: int) -> Tensor:
    return torch.randint(4, VOCABULARY, (rows, length), generator=torch.Generator().manual_seed(length))


def scores_of(model: CausalTransformer, text: Tensor) -> Tensor:
    return model.output.scores(model(text)[:, -1])


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_steps_with_what_is_kept_say_what_the_whole_says(pattern: str, position: str) -> None:
    model, text = model_with(pattern, position), tokens(2, CONTEXT)
    whole = model.output.scores(model(text).flatten(0, 1)).unflatten(0, text.shape)
    state, most = model.start(text[:, :4]), 0
    for place in range(4, CONTEXT):
        scores, state = model.step(text[:, place], state)
        torch.testing.assert_close(scores, whole[:, place])
        most = max(most, state.kept)
    assert most == PATTERNS[pattern]


@pytest.mark.parametrize("convolution", [0, 3])
@pytest.mark.parametrize("position", ["none", "rotary", "shaw"])
@pytest.mark.parametrize("pattern", ["window(5, 0)", "window(3, 0) & strided(2)"])
def test_a_window_without_a_beginning_goes_on_without_end(pattern: str, position: str, convolution: int) -> None:
    model, text = model_with(pattern, position, convolution=convolution), tokens(2, CONTEXT + 13)
    state = model.start(text[:, :0])
    for place in range(text.shape[1]):
        scores, state = model.step(text[:, place], state)
    torch.testing.assert_close(scores, scores_of(model, text))
    kept = max(0, convolution - 1)
    assert (state.length, state.tokens.shape[1]) == (text.shape[1], kept), "nothing is kept to be read again"


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("window(5, 0)", "sinusoidal"), ("window(19, 0)", "rotary"), ("fixed(5, 2)", "none"), ("strided(4)", "rotary")],
)
def test_all_others_read_the_later_half_again(pattern: str, position: str) -> None:
    model, text = model_with(pattern, position), tokens(2, CONTEXT + 1)
    state = model.start(text[:, :0])
    for place in range(CONTEXT + 1):
        scores, state = model.step(text[:, place], state)
    torch.testing.assert_close(scores, scores_of(model, text[:, -(CONTEXT // 2 + 1) :]))


def written(model: CausalTransformer, length: int) -> list[list[int]]:
    text = tokens(2, 3)
    state: CausalState = model.start(text[:, :-1])
    said = [text[:, -1]]
    for _ in range(length):
        scores, state = model.step(said[-1], state)
        said.append(scores.argmax(-1))
    return torch.stack(said, 1).tolist()


@pytest.mark.parametrize("position", ["rotary", "shaw", "learned"])
@pytest.mark.parametrize("pattern", ["window(5, 0)", "fixed(5, 2)", "window(3, 0) | fixed(5, 1)"])
def test_forgetting_changes_no_text(pattern: str, position: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_with(pattern, position)
    found = written(model, CONTEXT + 5)
    monkeypatch.setattr(Memory, "forget", lambda memory, pattern, later: memory)
    assert written(model, CONTEXT + 5) == found


def test_rows_of_a_trimmed_state_can_be_chosen() -> None:
    model, text, rows = model_with("fixed(5, 2)", "shaw"), tokens(3, 14), torch.tensor([2, 0, 2])
    scores, _ = model.step(text[rows, 13], model.start(text[:, :13]).select(rows))
    torch.testing.assert_close(scores, scores_of(model, text[rows]))


@pytest.mark.parametrize("pattern", [parse(text) for text in PATTERNS], ids=str)
@pytest.mark.parametrize("later", [0, 1, 7, 12])
def test_only_what_nobody_sees_is_forgotten(pattern: Pattern, later: int) -> None:
    places = torch.arange(CONTEXT)
    gone = pattern.forgets(later, places)
    if gone is not None:
        queries = torch.arange(later, 3 * CONTEXT)
        assert not pattern.allows(queries[:, None], places[gone][None]).any()
