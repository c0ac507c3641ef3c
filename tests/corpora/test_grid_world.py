"""The world of coins: moves, distances and players, by hand."""

import numpy as np

from mirada.corpora.grid_world import MOVES, World, play

SMALL = World(("o.#", ".#o", "..."), steps=5)
UP, RIGHT, DOWN, LEFT, STAY = range(len(MOVES))


def test_walls_and_edges_are_not_entered() -> None:
    cells, left = np.array([1]), np.ones((1, 2), dtype=np.bool_)
    assert SMALL.cells[1] == (0, 1)
    for action, reached in ((UP, (0, 1)), (RIGHT, (0, 1)), (DOWN, (0, 1)), (LEFT, (0, 0)), (STAY, (0, 1))):
        assert SMALL.cells[SMALL.move(cells, left, np.array([action]))[0][0]] == reached


def test_a_coin_is_taken_once() -> None:
    cells, left = np.array([1]), np.ones((1, 2), dtype=np.bool_)
    cells, left, given = SMALL.move(cells, left, np.array([LEFT]))
    assert (given.tolist(), left.tolist()) == ([1], [[False, True]])
    assert SMALL.move(cells, left, np.array([STAY]))[2].tolist() == [0]


def test_a_good_player_goes_round_the_wall() -> None:
    assert SMALL.distances[SMALL.cells.index((0, 1))].tolist() == [1, 6]
    cells, left, total = np.array([1]), np.ones((1, 2), dtype=np.bool_), 0
    for _ in range(7):
        cells, left, given = SMALL.move(cells, left, SMALL.greedy(cells, left))
        total += int(given[0])
    assert total == 2
    assert SMALL.greedy(cells, left).tolist() == [STAY]


def test_episodes_are_those_of_their_seed() -> None:
    world = World()
    one, same, other = play(world, 50, 3), play(world, 50, 3), play(world, 50, 4)
    assert (one.actions == same.actions).all()
    assert not (one.actions == other.actions).all()
    assert one.returns.min() <= 1 < 5 <= one.returns.max() <= len(world.coins)
    assert (one.returns_to_go[:, 0] == one.returns).all()
    assert (np.diff(one.returns_to_go, axis=1) == -one.rewards[:, :-1]).all()


def test_an_episode_is_drawn() -> None:
    episodes = play(SMALL, 1, 1)
    episodes.cells[0] = [SMALL.cells.index(cell) for cell in ((0, 1), (0, 0), (1, 0), (2, 0), (2, 0))]
    episodes.actions[0] = [LEFT, DOWN, DOWN, STAY, RIGHT]
    assert episodes.drawn(0, SMALL) == "↓S#\n↓#o\n→@."
