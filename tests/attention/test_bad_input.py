"""Bad input: a sentence that says what was found and what to do, and never a silent wrong answer."""

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mirada.attention import (
    Additive,
    Attention,
    Bilinear,
    Causal,
    Collaborative,
    Cosine,
    Dot,
    Edges,
    Facts,
    Fixed,
    Free,
    Grid,
    Heads,
    Kernel,
    Learned,
    Maps,
    Memory,
    Neighbourhood,
    Padding,
    PatternError,
    PositionalInput,
    Rotary,
    ScaledDot,
    Shaw,
    Sinusoidal,
    Strided,
    Uniform,
    Window,
    attend,
)
from tests.operations.compiled import ONE_THREAD, needed

pytestmark = ONE_THREAD

WIDTH = 12


def states(length: int = 5, width: int = WIDTH, batch: int = 2) -> Tensor:
    return torch.randn(batch, length, width)


def ends(*places: int) -> Tensor:
    return torch.tensor(places)


def ask(attention: Attention | None = None, x: Tensor | None = None, **more: Any) -> Callable[[], Tensor]:
    """A question to an attention that was built without complaint."""
    attention = Attention(WIDTH, heads=3) if attention is None else attention
    return lambda: attention(states() if x is None else x, **more)


def force(kernel: Kernel, **choices: Any) -> Callable[[], Tensor]:
    """A kernel that is asked for by name."""
    return lambda: attend(Attention(WIDTH, heads=3, **choices).problem(states()), kernel)


def look_elsewhere(kernel: Kernel) -> Tensor:
    """A kernel that is asked for cross-attention."""
    attention = Attention(WIDTH, heads=3)
    return attend(attention.problem(states(3), attention.remember(states(5))), kernel)


def cross(score: Any, memory_width: int = 9) -> Callable[[], Attention]:
    """Bare states of two widths, compared by a score."""
    return lambda: Attention(WIDTH, heads=1, score=score, memory_width=memory_width, maps=Maps.identity())


WIDTHS = [
    ("queries", ask(x=states(width=7)), "queries have width 7, .* 12"),
    ("memory", lambda: Attention(WIDTH, heads=3).remember(states(width=7)), "memory have width 7, .* 12"),
    ("memory width", lambda: Attention(16, memory_width=9).remember(states(width=16)), "width 16, .* 9"),
    (
        "heads",
        lambda: Attention(WIDTH, heads=5),
        r"heads.count = 5 does not divide model.width = 12; use 4 or 6",
    ),
    (
        "heads of bare states",
        lambda: Attention(WIDTH, heads=5, maps=Maps.identity()),
        r"5 does not divide .*12; use",
    ),
    (
        "groups",
        lambda: Heads(6, groups=4),
        r"heads.groups = 4 does not divide heads.count = 6; use 1 or 2 or 3 or 6",
    ),
    ("no groups", lambda: Heads(6, groups=0), r"heads.groups = 0 .*; use"),
    ("no heads", lambda: Heads(0), r"heads.count = 0; use 1 or more"),
    ("no head width", lambda: Heads(2, width=0), r"heads.width = 0; use 1 or more"),
    ("dot", cross(Dot()), r"Dot compares .* 12 and 9; map them .*or use Bilinear\(\)"),
    ("scaled dot", cross(ScaledDot()), "ScaledDot compares .* 12 and 9; map them"),
    ("cosine", cross(Cosine()), "Cosine compares .* 12 and 9; map them"),
    ("additive", cross(Additive()), "Additive compares .* 12 and 9; map them"),
    ("collaborative", cross(Collaborative()), "Collaborative compares .* 12 and 9; map them"),
    ("positions", lambda: PositionalInput(Sinusoidal(), 5)(states()), "width 5 cannot be added .* width 12"),
]

POSITIONS = [
    (
        "sinusoidal",
        lambda: Attention(WIDTH, heads=3, position=Sinusoidal()),
        "Sinusoidal .*PositionalInput before",
    ),
    ("learned", lambda: Attention(WIDTH, heads=3, position=Learned(5)), "Learned .*PositionalInput before"),
    ("odd", lambda: Attention(15, heads=3, position=Rotary()), "Rotary .* 5 wide; use an even width"),
    (
        "rotary, additive",
        lambda: Attention(WIDTH, heads=3, score=Additive(), position=Rotary()),
        "Rotary .*Additive is none: use Shaw or no position",
    ),
    (
        "rotary, uniform",
        lambda: Attention(WIDTH, heads=3, score=Uniform(), position=Rotary()),
        "Rotary .*Uniform is none: use Shaw or no position",
    ),
    (
        "rotary, free",
        lambda: Attention(WIDTH, heads=3, score=Free(2), position=Rotary()),
        "Rotary .*Free is none: use Shaw or no position",
    ),
    (
        "shaw keys, uniform",
        lambda: Attention(WIDTH, heads=3, score=Uniform(), position=Shaw(2)),
        r"Uniform looks at no key.*use Shaw\(..., keys=False\)",
    ),
    (
        "shaw keys, free",
        lambda: Attention(WIDTH, heads=3, score=Free(2), position=Shaw(2)),
        r"Free looks at no key.*use Shaw\(..., keys=False\)",
    ),
    ("shaw of nothing", lambda: Shaw(2, keys=False, values=False), "no effect; turn one on"),
    ("shaw radius", lambda: Shaw(-1), r"shaw.radius = -1; use 0 or more"),
    ("learned places", lambda: Learned(0), r"learned.places = 0; use 1 or more"),
    ("rotary base", lambda: Rotary(1.0), r"rotary.base = 1.0; .* above 1"),
    ("sinusoidal base", lambda: Sinusoidal(0.5), r"sinusoidal.base = 0.5; .* above 1"),
    (
        "beyond the table",
        lambda: PositionalInput(Learned(4), WIDTH)(states(5)),
        r"place 4 was never learned: .*Learned\(4\); shorten the input",
    ),
    (
        "step beyond the table",
        lambda: PositionalInput(Learned(4), WIDTH)(states(1), offset=4),
        "place 4 was never learned",
    ),
    (
        "before the table",
        lambda: PositionalInput(Learned(4), WIDTH)(states(2), offset=-1),
        "place -1",
    ),
]

NEIGHBOURS = [
    ("key", lambda: Edges.of(ends(0, 1), ends(1, 5), query_count=5), "names key 5, .* 0 to 4"),
    ("query", lambda: Edges.of(ends(0, 9), ends(1, 1), query_count=5), "names query 9, .* 0 to 4"),
    ("negative key", lambda: Edges.of(ends(0), ends(-1), query_count=5), "names key -1, .* 0 to 4"),
    ("other side", lambda: Edges.of(ends(0), ends(4), query_count=5, key_count=3), "names key 4, .* 0 to 2"),
    ("negative row", lambda: Edges.of(ends(0), ends(1), query_count=5, rows=ends(-1)), "row -1; .* from 0"),
    (
        "another graph",
        ask(facts=Facts(edges=Edges.of(ends(0), ends(1), query_count=3))),
        "join 3 queries and 3 keys, but there are 5 and 5",
    ),
    (
        "a row that is not there",
        ask(facts=Facts(edges=Edges.of(ends(0), ends(1), query_count=5, rows=ends(4)))),
        "row 4",
    ),
    (
        "padding",
        ask(facts=Facts(padding=Padding.from_lengths([3, 2], 4))),
        "speaks of 4 keys, but there are 5",
    ),
    ("padding of more rows", ask(facts=Facts(padding=Padding.from_lengths([5, 2, 3]))), "3 rows"),
    ("padding of one row", ask(facts=Facts(padding=Padding.from_lengths([3], 5))), "1 row"),
    ("long row", lambda: Padding.from_lengths([3, 7], 5), "7 real keys does not fit into 5"),
    ("negative row length", lambda: Padding.from_lengths([3, -1]), "-1 real keys does not fit"),
    (
        "beyond the grid",
        ask(Attention(WIDTH, heads=3, pattern=Grid(2, 2, 1))),
        r"grid\(2, 2, 1\) has 4 places, but the sequence has 5",
    ),
    (
        "step beyond the grid",
        ask(
            Attention(WIDTH, heads=3, pattern=Causal() & Grid(2, 2, 1)),
            memory=Memory(torch.randn(2, 3, 2, 4), torch.randn(2, 3, 2, 4)),
            facts=Facts(offset=4),
        ),
        "has 4 places, but the sequence has 9",
    ),
    (
        "negative place",
        lambda: Neighbourhood(Causal(), 5, 5, Facts(offset=-1)),
        "place -1; places count from 0",
    ),
    ("step without memory", ask(facts=Facts(offset=3)), "a step at place 3 .* give it the memory"),
    (
        "rows of memory",
        ask(memory=Memory(torch.randn(3, 3, 5, 4), torch.randn(3, 3, 5, 4))),
        "2 rows of queries .* memory of 3 rows",
    ),
]

KERNELS = [
    (
        "blocked",
        force(Kernel.BLOCKED, pattern=Causal()),
        "BLOCKED cannot answer: .*causal.*leave the choice to plan",
    ),
    ("strided", force(Kernel.BLOCKED, pattern=Strided(2)), r"BLOCKED cannot answer: .*strided\(2\)"),
    ("fused additive", force(Kernel.FUSED, score=Additive()), "FUSED cannot answer: .*not a dot product"),
    ("fused shaw", force(Kernel.FUSED, position=Shaw(2)), "FUSED cannot answer: relative positions"),
    ("fused free", force(Kernel.FUSED, score=Free(2)), "FUSED cannot answer"),
    ("fused widths", force(Kernel.FUSED, score=Collaborative()), "FUSED cannot answer: .*leave the choice"),
    (
        "gathered across",
        lambda: look_elsewhere(Kernel.GATHERED),
        "GATHERED cannot answer: .*one sequence; leave the choice to plan",
    ),
]

WORDS = [
    ("window", lambda: Window(-1, 0), r"window\(-1, 0\): .*use 0 or more"),
    ("strided", lambda: Strided(0), r"strided\(0\): .*use 1 or more"),
    ("fixed", lambda: Fixed(4, 5), r"fixed\(4, 5\): .*use 0 to 4"),
    ("grid", lambda: Grid(0, 3, 1), r"grid\(0, 3, 1\): height and width are 1 or more"),
    ("free radius", lambda: Free(-1), r"free.radius = -1.*use 0 or more"),
    ("free columns", lambda: Free(1, columns=0), r"free.columns = 0; use 1 or more"),
    ("collaborative", lambda: Collaborative(0), r"collaborative.width = 0; use 1 or more"),
]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        pytest.param(question, sentence, id=f"{family}: {name}")
        for family, table in {
            "widths": WIDTHS,
            "positions": POSITIONS,
            "neighbours": NEIGHBOURS,
            "kernels": KERNELS,
            "words": WORDS,
        }.items()
        for name, question, sentence in table
    ],
)
def test_a_clear_sentence(question: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as found:
        question()
    assert len(str(found.value)) < 200


def test_a_wrong_pattern_is_a_wrong_value() -> None:
    assert issubclass(PatternError, ValueError)


# The tests check every annotated shape and choice before a function sees them; a user's Python does not.
UNCHECKED = """
import torch
from mirada.attention import Additive, Edges, Learned, PositionalInput

one, two = torch.tensor([0]), torch.tensor([0, 1])
for question in (
    lambda: Edges.of(two, one, query_count=5),
    lambda: Edges.of(one, one, query_count=5, rows=two),
    lambda: PositionalInput(Learned(4), 5, join="sum"),
    lambda: Additive("relu"),
):
    try:
        print(question())
    except ValueError as error:
        print(error)
"""


def test_a_clear_sentence_where_no_shapes_are_checked() -> None:
    command = [sys.executable, "-c", UNCHECKED]
    done = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8", timeout=60)
    edges, rows, join, activation = done.stdout.splitlines()
    assert "2 queries and 1 keys" in edges
    assert "2 rows for 1 edges" in rows
    assert "join = 'sum'; positions join the input by 'add' or 'concatenate'" in join
    assert "activation = 'relu'; use 'tanh' or 'leaky_relu'" in activation


@pytest.mark.parametrize("score", [Uniform(), Free(2)])
def test_scores_without_content_take_relative_values(score: Uniform | Free) -> None:
    attention = Attention(WIDTH, heads=3, score=score, position=Shaw(2, keys=False))
    assert attention(states()).isfinite().all()


def test_bilinear_joins_two_widths() -> None:
    attention = cross(Bilinear())()
    assert attention(states(), attention.remember(states(7, 9))).shape == (2, 5, 9)


KERNEL_NAMES = pytest.mark.parametrize(
    "kernel",
    [pytest.param(kernel, marks=needed(torch.float32) if kernel is Kernel.COMPILED else []) for kernel in Kernel],
    ids=lambda kernel: kernel.name,
)


def windowed() -> Attention:
    return Attention(WIDTH, heads=3, pattern=Window(2, 1))


@KERNEL_NAMES
@pytest.mark.parametrize("number", [math.nan, math.inf], ids=str)
def test_a_value_that_is_no_number_reaches_those_who_look_at_it(kernel: Kernel, number: float) -> None:
    attention = windowed()
    memory = attention.remember(states(7))
    memory.values[0, 1, 4, 2] = number
    output = attend(attention.problem(states(7), memory), kernel)
    assert not output[0, 1, 3:7, 2].isfinite().any()  # places 3 to 6 see place 4
    assert output[1].isfinite().all()
    assert output[0, 0].isfinite().all()


@KERNEL_NAMES
def test_a_key_that_is_no_number_reaches_those_who_look_at_it(kernel: Kernel) -> None:
    attention = windowed()
    memory = attention.remember(states(7))
    memory.keys[0, 1, 4, 2] = math.nan
    output = attend(attention.problem(states(7), memory), kernel)
    assert output[0, 1, 3:7].isnan().all()
    assert output[1].isfinite().all()


@KERNEL_NAMES
def test_a_query_that_is_no_number_stays_alone(kernel: Kernel) -> None:
    problem = windowed().problem(states(7))
    problem.queries[0, 1, 4, 2] = math.nan
    output = attend(problem, kernel)
    assert output[0, 1, 4].isnan().all()
    assert output[0, 1, [0, 1, 2, 3, 5, 6]].isfinite().all()
    assert output[0, 0].isfinite().all()


def test_an_input_that_is_no_number_is_not_hidden() -> None:
    x = states()
    x[1, 2, 3] = math.nan
    assert Attention(WIDTH, heads=3)(x)[1].isnan().all()
