"""Order enters through positions, and only through them."""

from typing import Any

import torch
from hypothesis import strategies as some

from mirada.attention import (
    Attention,
    Causal,
    Dot,
    Facts,
    Fixed,
    Full,
    Heads,
    Learned,
    Maps,
    Memory,
    Padding,
    Pattern,
    PositionalInput,
    Rotary,
    Score,
    Shaw,
    Sinusoidal,
    Strided,
    Window,
    sinusoidal,
)
from tests.laws.choices import (
    CONTENT,
    DOT_LIKE,
    NORMALISED,
    SCORES,
    WIDTH,
    answers,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
    together,
)

# Of j − i alone, so that a shift changes nothing. (Fixed and Grid count their places from the first.)
RELATIVE = (Full(), Causal(), Window(2, 1), Strided(3), Causal() & Strided(2))
shifts = some.sampled_from([1, 2, 3, 17])


@law(
    seed=seeds,
    length=lengths,
    shift=shifts,
    pattern=some.sampled_from(RELATIVE),
    choice=together(CONTENT, (Rotary(100.0), Shaw(2), Shaw(2, values=False), Shaw(2, keys=False))),
)
def test_rotary_and_shaw_depend_on_the_distance_alone(
    seed: int, length: int, shift: int, pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    score, position = choice
    attention = build(score, pattern, position)
    later = torch.cat([torch.randn(len(x), shift, WIDTH), x], 1)  # the same states, `shift` places further on
    real = (torch.arange(shift + length) >= shift).expand(len(x), -1)
    facts = Facts(padding=Padding.from_mask(real))
    assert_close(attention.weights(later, facts=facts)[:, :, shift:, shift:], attention.weights(x))
    for wanted in answers(attention.problem(x)).values():
        for output in answers(attention.problem(later, facts=facts)).values():
            assert_close(output[:, :, shift:], wanted)


@law(seed=seeds, length=lengths, shift=shifts, score=some.sampled_from(DOT_LIKE))
def test_rotary_keys_and_queries_that_start_later_score_the_same(
    seed: int, length: int, shift: int, score: Score
) -> None:
    x = states(seed, length)
    attention = build(score, position=Rotary(100.0))
    shifted = Memory(attention.remember(x, start=shift).keys, attention.remember(x).values)
    found = attention.weights(x, shifted, Facts(offset=shift))
    assert_close(found, attention.weights(x))


@law(seed=seeds, length=lengths, score=some.sampled_from(NORMALISED))
def test_without_positions_permuting_the_input_permutes_the_output(seed: int, length: int, score: Score) -> None:
    x = states(seed, length)
    order = torch.randperm(length)
    attention = build(score)
    assert_close(attention(x[:, order]), attention(x)[:, order])
    permuted = answers(attention.problem(x[:, order]))
    for kernel, output in answers(attention.problem(x)).items():
        assert_close(permuted[kernel], output[:, :, order])


@law(seed=seeds, length=lengths, score=some.sampled_from(NORMALISED))
def test_without_positions_the_order_of_the_memory_is_nothing(seed: int, length: int, score: Score) -> None:
    x, source = states(seed, 5), states(seed + 1, length)
    attention = build(score)
    order = torch.randperm(length)
    assert_close(attention(x, attention.remember(source[:, order])), attention(x, attention.remember(source)))


@law(
    examples=10,
    seed=seeds,
    attention=some.sampled_from(
        [
            {"position": Rotary(100.0)},
            {"position": Shaw(2)},
            {"pattern": Causal()},
            {"pattern": Fixed(3, 1)},
            {"score": SCORES[-1]},
        ]
    ),
)
def test_with_order_permuting_the_input_does_more(seed: int, attention: dict[str, Any]) -> None:
    x = states(seed, 7)
    built = build(**attention)
    order = torch.arange(7).flip(0)
    assert (built(x[:, order]) - built(x)[:, order]).abs().max() > 1e-3


@law(
    seed=seeds,
    width=some.sampled_from([2, 3, 5, 7, 10]),
    place=some.integers(0, 500),
    step=some.integers(0, 50),
)
def test_sinusoidal_products_depend_on_the_distance_alone(seed: int, width: int, place: int, step: int) -> None:
    even = width + width % 2  # whole pairs of a sine and a cosine
    table = sinusoidal(torch.tensor([0, step, place, place + step]), even, 100.0).double()
    assert_close(table[0] @ table[1], table[2] @ table[3])
    narrow = sinusoidal(torch.tensor([place]), width, 100.0)
    assert narrow.shape == (1, width)


@law(
    seed=seeds,
    length=lengths,
    start=some.integers(0, 5),
    position=some.sampled_from([Sinusoidal(100.0), Learned(31)]),
)
def test_positions_join_by_sum_or_side_by_side(
    seed: int, length: int, start: int, position: Sinusoidal | Learned
) -> None:
    x = states(seed, length)
    added = PositionalInput(position, WIDTH)
    beside = PositionalInput(position, 5, join="concatenate")
    places = torch.arange(start, start + length)
    assert_close(added(x, start), x + added.vectors(places))
    wide = beside(x, start)
    assert torch.equal(wide[..., :WIDTH], x)
    assert torch.equal(wide[..., WIDTH:], beside.vectors(places).expand(len(x), -1, -1))
    assert_close(added(x, start)[:, 1:], added(x[:, 1:], start + 1))  # a later start is a later place


@law(seed=seeds, length=lengths)
def test_positions_beside_the_states_add_their_own_product_to_the_score(seed: int, length: int) -> None:
    x = states(seed, length)
    joined = PositionalInput(Sinusoidal(100.0), 4, join="concatenate")
    attention = Attention(WIDTH + 4, heads=Heads(1), score=Dot(), maps=Maps.identity())
    table = sinusoidal(torch.arange(length), 4, 100.0)
    assert_close(attention.weights(joined(x))[:, 0], (x @ x.mT + table @ table.mT).softmax(-1))
