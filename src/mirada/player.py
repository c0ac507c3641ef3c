"""The façade of policies: plays for a return, and says how near it comes to those it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mirada.corpora.grid_world import MOVES, Episodes
from mirada.evaluation.policy import PolicyScore
from mirada.models.policy_folder import LoadedPolicy, load
from mirada.tasks.policy import play_for, score_policy

MOST_EPISODES = 10_000


@dataclass(frozen=True, eq=False)
class Game:
    """Episodes that were played for a return."""

    asked: int
    episodes: Episodes
    loaded: LoadedPolicy

    @property
    def mean(self) -> float:
        """What was reached on average."""
        return float(self.episodes.returns.mean())

    def drawn(self, number: int = 0) -> str:
        """An episode as a picture of text."""
        return self.episodes.drawn(number, self.loaded.world)

    def as_json(self) -> dict[str, object]:
        """The episodes for programs."""
        names, cells = list(MOVES), self.loaded.world.cells
        episodes = [
            {
                "return": int(self.episodes.rewards[number].sum()),
                "moves": [names[action] for action in self.episodes.actions[number].tolist()],
                "cells": [list(cells[cell]) for cell in self.episodes.cells[number].tolist()],
                "rewards": self.episodes.rewards[number].tolist(),
            }
            for number in range(len(self.episodes))
        ]
        return {"asked": self.asked, "reached": self.mean, "episodes": episodes}


@dataclass(frozen=True, eq=False)
class Player:
    """A policy that is ready to play."""

    loaded: LoadedPolicy

    @classmethod
    def load(cls, folder: Path | str) -> Player:
        """The policy of a folder."""
        return cls(load(Path(folder)))

    def play(self, asked: int, count: int = 1, seed: int = 0) -> Game:
        """So many episodes for a return; the same for the same seed."""
        most = len(self.loaded.world.coins)
        if not 0 <= asked <= most:
            raise ValueError(f"a return of {asked} cannot be reached: the world has {most} coins; use 0 to {most}")
        if not 1 <= count <= MOST_EPISODES:
            raise ValueError(f"count = {count:,}; use 1 to {MOST_EPISODES:,}")
        return Game(asked, play_for(self.loaded.model, self.loaded.world, np.full(count, asked), seed), self.loaded)

    def score(self, count: int = 100, seed: int = 0) -> PolicyScore:
        """What is reached for every return that can be asked for."""
        return score_policy(self.loaded.model, self.loaded.world, count, self.loaded.config.behaviour, seed)
