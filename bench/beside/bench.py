"""A run of the benchmark: where its things are, how often each side takes its turn, and who can take part."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from beside import task
from beside.peers import Peer, PeerError, set_up
from beside.report import Section
from beside.rounds import Side, threads

OURS = "mirada"


@dataclass(frozen=True)
class Bench:
    """What every measure is given."""

    home: Path  # environments, prepared data and a trained model; kept for the next run
    data: Path  # corpora
    rounds: int = 5
    model: Path | None = None  # a trained model to translate with; else one is trained
    threads: int = field(default_factory=threads)  # of each side
    absent: dict[str, str] = field(default_factory=dict)  # peers that could not be set up, and why

    def task(self, vocabulary: int) -> task.Task:
        """The common task with a vocabulary of this size."""
        return task.prepare(self.data, self.home, vocabulary)

    def ours(self, script: str, asked: dict[str, object], name: str = OURS) -> Side:
        """A side of ours, in the environment that this program runs in."""
        return Side(name, Path(sys.executable), script, {"threads": self.threads} | asked)

    def theirs(self, peer: Peer, script: str, asked: dict[str, object], name: str | None = None) -> list[Side]:
        """A peer's side; none where the peer cannot be set up, which is noted."""
        if peer.name not in self.absent:
            try:
                python = set_up(self.home, peer)
            except PeerError as error:
                self.absent[peer.name] = str(error)
            else:
                return [Side(name or peer.title, python, script, {"threads": self.threads} | asked)]
        return []

    def notes_on(self, *peers: Peer) -> list[str]:
        """Why some of these peers take no part."""
        return [self.absent[peer.name] for peer in peers if peer.name in self.absent]


@dataclass(frozen=True)
class Measure:
    """Something that is measured, under a name."""

    name: str
    what: str
    take: Callable[[Bench], Section]
    usual: bool = True  # whether it belongs to a run that names none
