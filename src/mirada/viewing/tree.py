"""The beam's tree: which candidates a search followed, from its observed steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from mirada.decoding.observing import Candidate, Step
from mirada.text.subwords import END
from mirada.viewing import contract

ROOT = -1


@dataclass(slots=True)
class _Growing:
    """A tree while its steps are added."""

    nodes: list[Candidate] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    running: list[int] = field(default_factory=lambda: [ROOT])  # the nodes that the next step continues

    def add(self, step: Step) -> None:
        """One more step: a node for each candidate."""
        first = len(self.nodes)
        self.nodes += step.candidates
        self.parents += [self.running[one.parent] for one in step.candidates]
        self.running = [first + place for place, one in enumerate(step.candidates) if not one.ended]

    def path(self, tokens: Sequence[int]) -> list[int] | None:
        """The nodes from the root that say these tokens, and the end mark where it was reached; None if none do."""
        children: dict[tuple[int, int], int] = {}
        for node, (parent, candidate) in enumerate(zip(self.parents, self.nodes, strict=True)):
            children.setdefault((parent, candidate.token), node)
        at, found = ROOT, []
        for token in tokens:
            if (at, token) not in children:
                return None
            at = children[at, token]
            found.append(at)
        return [*found, children[at, END]] if (at, END) in children else found

    def total(self, node: int) -> float:
        """The log-probability of all tokens up to a node."""
        return 0.0 if node == ROOT else self.nodes[node].log_probability


def grow(steps: Sequence[Step], tokens: Sequence[int], pieces: Sequence[str]) -> contract.Tree | None:
    """The tree of the search that found these tokens; None where nothing was searched.

    A translation that failed is tried again, so that there may be the steps of two searches.
    """
    grown: list[_Growing] = []
    for step in steps:
        if step.length == 1:
            grown.append(_Growing())
        grown[-1].add(step)
    found = [(tree, path) for tree in grown if (path := tree.path(tokens)) is not None]
    if not found:
        return None
    # The first search may have followed the same tokens and gone on: the one that ended them found them.
    tree, path = max(found, key=lambda one: len(one[1]))
    return _as_contract(tree, path, pieces)


def _as_contract(tree: _Growing, path: list[int], pieces: Sequence[str]) -> contract.Tree:
    totals = [node.log_probability for node in tree.nodes]
    gained = [min(1.0, math.exp(total - tree.total(up))) for total, up in zip(totals, tree.parents, strict=True)]
    return contract.Tree(
        parents=tuple(tree.parents),
        tokens=tuple(pieces[node.token] for node in tree.nodes),
        probabilities=tuple(round(one, 4) for one in gained),
        totals=tuple(round(one, 3) for one in totals),
        ended=tuple(node.ended for node in tree.nodes),
        best=tuple(path),
    )
