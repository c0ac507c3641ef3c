"""Steps of a view: what a model says at each place, with what else it could have said.

Legend: N places, T what can be said (tokens, or labels).
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from mirada.viewing import contract

CANDIDATES = 6  # of each step
CLASSES = 10  # of the whole


def steps_of(
    scores: Float[Tensor, "N T"],
    wanted: Sequence[int | None],
    labels: Sequence[str],
    places: Sequence[int] | None = None,
) -> tuple[contract.Step, ...]:
    """For each row of log-probabilities what was written, or stands there (None: nothing), and its rivals."""
    probabilities = scores.exp()
    best, numbers = probabilities.topk(min(CANDIDATES, probabilities.shape[-1]), -1)
    found = []
    for row, one in enumerate(wanted):
        chance = None if one is None else float(probabilities[row, one])
        found.append(
            contract.Step(
                token=None if one is None else labels[one],
                probability=None if chance is None else round(chance, 4),
                rank=None if chance is None else int((probabilities[row] > chance).sum()) + 1,
                candidates=candidates_of(best[row].tolist(), [labels[number] for number in numbers[row].tolist()]),
                place=None if places is None else places[row],
            )
        )
    return tuple(found)


def said_of(scores: Float[Tensor, "T"], labels: Sequence[str]) -> tuple[contract.Candidate, ...]:
    """The likeliest labels of the whole, from the log-probabilities of all."""
    best = scores.exp().topk(min(CLASSES, len(labels)))
    return candidates_of(best.values.tolist(), [labels[number] for number in best.indices.tolist()])


def candidates_of(shares: Sequence[float], labels: Sequence[str]) -> tuple[contract.Candidate, ...]:
    """Candidates with their probabilities."""
    return tuple(
        contract.Candidate(token=label, probability=round(share, 4))
        for share, label in zip(shares, labels, strict=True)
    )
