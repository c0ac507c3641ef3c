"""Probing as a task: all sentences of a file through a model, and what its heads know of their syntax."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mirada.corpora.antecedents import Antecedents
from mirada.corpora.treebank import Tree, Words
from mirada.evaluation.pointing import Pointing, PointingProbe
from mirada.evaluation.probing import Finding, Probe
from mirada.tasks.looked import Looker, Looks

Show = Callable[[int], None]  # is told how many texts are done


@dataclass(frozen=True)
class Probed:
    """What was found, and how many texts were left out for which reason."""

    findings: tuple[Finding, ...]
    sentences: int  # on the half that is reported
    refused: Counter[str]


def probe_trees(looker: Looker, trees: Sequence[Tree], fewest: int, show: Show) -> Probed:
    """The best head for every relation; sentences with an even number choose, the others are reported."""
    probe, refused, reported = Probe(looker.heads), Counter[str](), 0
    for number, looks in _looks(looker, [tree.words for tree in trees], refused, show):
        tree = trees[number]
        probe.add(number % 2, looks.weights, looks.seen, tree.heads, tree.relations)
        reported += number % 2
    return Probed(tuple(probe.findings(fewest)), reported, refused)


def probe_antecedents(looker: Looker, questions: Sequence[Antecedents], show: Show) -> tuple[Pointing, Counter[str]]:
    """The best head at pointing from a pronoun to what it means."""
    probe, refused = PointingProbe(looker.heads), Counter[str]()
    for number, looks in _looks(looker, [one.words for one in questions], refused, show):
        asked = questions[number]
        # Winograd's questions come in pairs whose answers differ: a pair belongs to one half.
        probe.add(number // 2 % 2, looks.weights, looks.seen, asked.pronoun, asked.names, asked.right)
    return probe.result(), refused


def _looks(looker: Looker, texts: Sequence[Words], refused: Counter[str], show: Show) -> Iterator[tuple[int, Looks]]:
    """What was looked at in each text, by its number; of one that is left out, the reason is counted."""
    for done, (number, looks) in enumerate(looker.looks(texts), start=1):
        if isinstance(looks, str):
            refused[looks] += 1
        else:
            yield number, looks
        show(done)
