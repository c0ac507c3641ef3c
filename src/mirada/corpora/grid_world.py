"""A grid world: coins behind walls, and players of every skill whose episodes a policy learns from.

All chance is a function of a seed: the same seed gives the same episodes.

Legend: E episodes, T steps of an episode, F features of a state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

WALL, COIN, FLOOR = "#", "o", "."
MAP = (
    "o....o.",
    ".#.#...",
    "...o..#",
    ".#...#o",
    "o..#...",
    "..#...o",
)
STEPS = 28  # of an episode: enough for a good player to take every coin
MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1), "stay": (0, 0)}
Step = tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]  # cells, left, done, given
SIGNS = ("↑", "→", "↓", "←", "·")  # how a picture shows what was done where


@dataclass(frozen=True)
class World:
    """A map: a move into a wall or over the edge stays where it is; who enters a cell with a coin takes it, for 1."""

    rows: tuple[str, ...] = MAP
    steps: int = STEPS

    @cached_property
    def cells(self) -> list[tuple[int, int]]:
        """Where one can stand, row by row."""
        found = ((y, x) for y, row in enumerate(self.rows) for x, sign in enumerate(row))
        return [(y, x) for y, x in found if self.rows[y][x] != WALL]

    @cached_property
    def coins(self) -> NDArray[np.int64]:
        """The cells that hold a coin at the beginning."""
        return np.array([number for number, (y, x) in enumerate(self.cells) if self.rows[y][x] == COIN])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The cells that an episode may begin in: those without a coin."""
        return np.setdiff1d(np.arange(len(self.cells)), self.coins)

    @property
    def features(self) -> int:
        """How many numbers tell a state: one for each cell, and one for each coin that is left."""
        return len(self.cells) + len(self.coins)

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """The cell that each move leads to from each cell."""
        place = {cell: number for number, cell in enumerate(self.cells)}
        moved = [[place.get((y + dy, x + dx), place[y, x]) for dy, dx in MOVES.values()] for y, x in self.cells]
        return np.array(moved)

    @cached_property
    def distances(self) -> NDArray[np.int64]:
        """How many moves it is from each cell to each coin."""
        found = np.full((len(self.cells), len(self.coins)), len(self.cells))
        for coin, cell in enumerate(self.coins.tolist()):
            waiting = deque([cell])
            found[cell, coin] = 0
            while waiting:
                here = waiting.popleft()
                for there in np.flatnonzero((self.after == here).any(1)).tolist():
                    if found[there, coin] > found[here, coin] + 1:
                        found[there, coin] = found[here, coin] + 1
                        waiting.append(there)
        return found

    def states(self, cells: NDArray[np.int64], left: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The features of states: where one stands, and which coins are left."""
        here = np.eye(len(self.cells), dtype=np.float32)[cells]
        return np.concatenate([here, left.astype(np.float32)], -1)

    def move(
        self, cells: NDArray[np.int64], left: NDArray[np.bool_], actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
        """The cells and coins after a move of each player, and what each was given for it."""
        cells = self.after[cells, actions]
        taken = left & (cells[:, None] == self.coins)
        return cells, left & ~taken, taken.sum(1)

    def greedy(self, cells: NDArray[np.int64], left: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The move of a good player: towards the nearest coin that is left; of none, stay."""
        far = len(self.cells) + 1
        nearest = np.where(left, self.distances[cells], far).argmin(1)
        ahead = self.distances[self.after[cells], nearest[:, None]]
        return np.where(left.any(1), ahead.argmin(1), len(MOVES) - 1)


@dataclass(frozen=True, eq=False)
class Episodes:
    """What players saw, did and were given, step by step."""

    cells: NDArray[np.int64]  # E × T
    left: NDArray[np.bool_]  # E × T × coins
    actions: NDArray[np.int64]  # E × T
    rewards: NDArray[np.int64]  # E × T

    @classmethod
    def of_steps(cls, told: Sequence[Step]) -> Episodes:
        """Episodes from what was seen, done and given to all players, step after step."""
        cells, left, actions, rewards = (np.stack(part, 1) for part in zip(*told, strict=True))
        return cls(cells, left, actions, rewards)

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def returns(self) -> NDArray[np.int64]:
        """What each episode was worth in all."""
        return self.rewards.sum(1)

    @property
    def returns_to_go(self) -> NDArray[np.int64]:
        """What was still to come at each step, its own reward included."""
        return self.rewards[:, ::-1].cumsum(1)[:, ::-1]

    def part(self, first: int, last: int) -> Episodes:
        """Some of the episodes."""
        some = slice(first, last)
        return Episodes(self.cells[some], self.left[some], self.actions[some], self.rewards[some])

    def drawn(self, number: int, world: World) -> str:
        """An episode as text: what was done last in each cell that was left, S where it began and @ where it ended."""
        picture = [list(row) for row in world.rows]
        path = self.cells[number].tolist()
        for cell, action in zip(path, self.actions[number].tolist(), strict=True):
            y, x = world.cells[cell]
            picture[y][x] = SIGNS[action]
        last = int(world.after[path[-1], self.actions[number, -1]])
        for cell, sign in ((path[0], "S"), (last, "@")):
            y, x = world.cells[cell]
            picture[y][x] = sign
        return "\n".join("".join(row) for row in picture)


def play(world: World, count: int, seed: int) -> Episodes:
    """Episodes of players of mixed skill: each does the greedy move with its own probability, else rests or wanders."""
    chance = np.random.Generator(np.random.Philox(key=[seed, count]))
    skill, idleness = chance.random((2, count))
    cells = chance.choice(world.starts, count)
    left = np.ones((count, len(world.coins)), dtype=np.bool_)
    told: list[Step] = []
    for _ in range(world.steps):
        skilled, idle = chance.random((2, count)) < (skill, idleness)
        wandering = np.where(idle, len(MOVES) - 1, chance.integers(len(MOVES), size=count))
        actions = np.where(skilled, world.greedy(cells, left), wandering)
        after, remaining, rewards = world.move(cells, left, actions)
        told.append((cells, left, actions, rewards))
        cells, left = after, remaining
    return Episodes.of_steps(told)
