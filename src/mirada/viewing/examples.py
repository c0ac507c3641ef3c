"""Worked examples: the formula in numbers that a hand can check, computed by the code that models use."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from mirada.attention import Attention, Causal, Dot, Maps, Pattern, ScaledDot, Score, sinusoidal


@dataclass(frozen=True)
class Example:
    """One worked example: what it shows, what is computed, and what comes out."""

    title: str
    formula: str
    result: str


def worked_examples() -> list[Example]:
    """The examples of the lectures, computed anew."""
    return [_softmax(), _scaled(), _causal(), _mixture(), _sinusoidal()]


def _bare(width: int, score: Score, pattern: Pattern | None = None) -> Attention:
    """One head that looks at states as they are."""
    return Attention(width, heads=1, score=score, pattern=pattern, maps=Maps.identity())


@torch.no_grad()
def _weights(attention: Attention, queries: Tensor, states: Tensor) -> Tensor:
    """α of every query and every state."""
    return attention.weights(queries[None], attention.remember(states[None]))[0, 0]


def _softmax() -> Example:
    states = torch.tensor([[3.0, 2.0], [3.0, 0.0], [1.0, 3.0]])
    weights = _weights(_bare(2, Dot()), states[:1], states)
    return Example("Scores become weights", "softmax(13, 9, 9)", _row(weights[0]))


def _scaled() -> Example:
    query, states = torch.ones(1, 64), torch.tensor([[112 / 64], [96 / 64]]).expand(2, 64)
    weights = _weights(_bare(64, ScaledDot()), query, states)
    return Example("Wide heads are scaled", "softmax((112, 96) / √64) = softmax(14, 12)", _row(weights[0]))


def _causal() -> Example:
    scores = torch.tensor([[0.7, 0.0, 0.0, 0.0], [0.1, 0.6, 0.0, 0.0], [0.1, 0.3, 0.6, 0.0], [0.1, 0.3, 0.3, 0.3]])
    # The score of unit vector j is coordinate j of the query.
    weights = _weights(_bare(4, Dot(), Causal()), scores, torch.eye(4))
    formula = "softmax of " + _rows(row[: i + 1] for i, row in enumerate(scores))
    return Example("Nobody sees the future", formula, _rows(row[: i + 1] for i, row in enumerate(weights)))


def _mixture() -> Example:
    words = ("el", "gato", "negro", "salta", "la", "cuerda")
    looks = torch.tensor([[0.025, 0.4, 0.5, 0.025, 0.025, 0.025]])
    # softmax(log α) = α; the states are unit vectors, so that the output shows how much of each there is.
    attention = _bare(6, Dot())
    shares = attention(looks.log()[None], attention.remember(torch.eye(6)[None]))[0, 0].tolist()
    parts = [f"{_number(share, 3)} {word}" for share, word in zip(shares, words, strict=True)]
    return Example("A word is a mixture of the words it looks at", "h(negro) = Σ α · word", " + ".join(parts))


def _sinusoidal() -> Example:
    table = sinusoidal(torch.arange(4), 4, 100.0)
    formula = "sin p, cos p, sin p/10, cos p/10 for p = 0 to 3 (width 4, base 100)"
    return Example("Places are waves", formula, _rows(table))


def _number(number: float, decimals: int) -> str:
    """A number as it is printed by hand: rounded, no zeros at the end, a real minus sign."""
    text = f"{number:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def _row(numbers: Tensor) -> str:
    return ", ".join(_number(number, 2) for number in numbers.tolist())


def _rows(rows: Iterable[Tensor]) -> str:
    return ", ".join(f"({_row(row)})" for row in rows)
