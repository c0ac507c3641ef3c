"""Runs of policies: reaching what is asked for, going on bit for bit, and what cannot be done."""

from pathlib import Path

import pytest

from mirada.models.folder import FolderError
from mirada.player import Player
from mirada.training.preparing import Files
from mirada.training.result import PolicyResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from tests.training.small import run

SETTINGS: Tree = {
    "data": {"episodes": 1_200},
    "model": {"width": 32, "feed_forward": 64, "stack": {"layers": 1, "heads": 4}},
    "training": {"batch_tokens": 1_344, "rate": 0.01, "dropout": 0.0, "budget": {"steps": 200}, "save_minutes": 0.001},
}


def request(output: Path, files: tuple[Path, ...] = (), start: Path | None = None, **changes: object) -> Request:
    return Request(Files(files), output, None, merge(SETTINGS, changes), start=start, task="policy")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    outcome, listener = run(request(folder))
    assert any("1,080 episodes to learn from, 120 to look at" in said for said in listener.said)
    assert isinstance(outcome.result, PolicyResult)
    test = outcome.result.test
    assert test.error < 0.6 * test.behaviour_error
    assert "| asked | reached |" in (folder / "card.md").read_text()
    return folder


def test_it_reaches_what_it_is_asked_for(trained: Path) -> None:
    score = Player.load(trained).score(count=60, seed=3)
    middle = slice(1, 6)
    assert all(
        abs(asked - reached) < 1 for asked, reached in zip(score.asked[middle], score.reached[middle], strict=True)
    )
    assert score.reached[5] > score.behaviour + 1, "more than the players that it learnt from"
    assert score.reached[1] < score.behaviour - 1, "and less, where less is wanted"
    assert list(score.reached) == sorted(score.reached)


def test_a_stopped_run_goes_on_as_if_it_had_not_been(trained: Path, tmp_path: Path) -> None:
    short: Tree = {"budget": {"steps": 30}}
    whole, broken = (request(tmp_path / name, training=short) for name in ("whole", "broken"))
    assert run(whole)[0].finished
    assert run(broken, stop_at=13)[0].step == 13
    assert run(broken)[0].finished
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "broken")]
    assert weights[0] == weights[1]


def test_a_game_is_that_of_its_seed(trained: Path) -> None:
    player = Player.load(trained)
    one, same, other = (player.play(4, 3, seed).as_json() for seed in (1, 1, 2))
    assert one == same != other
    assert len(player.play(4).drawn().splitlines()) == 6
    with pytest.raises(ValueError, match="the world has 6 coins; use 0 to 6"):
        player.play(7)


def test_what_cannot_be_done_is_told(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="plays itself; name no files"):
        run(request(tmp_path / "files", (tmp_path / "x.csv",)))
    with pytest.raises(ConfigError, match="--start is not for policies"):
        run(request(tmp_path / "start", start=trained))
    with pytest.raises(FolderError, match=r"data\.episodes: 1200 before, 900 now"):
        run(request(trained, data={"episodes": 900}))
