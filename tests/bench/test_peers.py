import json
import subprocess
from pathlib import Path

import pytest

from beside.peers import EOLE, PEERS, READY, PeerError, clean_environment, set_up


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would have been run; the first makes the environment's folder."""
    seen: list[list[str]] = []

    def run(command: list[str], **_: object) -> None:
        seen.append(command)
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(subprocess, "run", run)
    return seen


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_every_peer_is_pinned_and_gets_the_torch_of_all_first(peer) -> None:
    assert peer.calls[0][0] == "torch==2.13.0"
    version = peer.title.split()[-1]
    assert any(word.endswith(f"=={version}") for call in peer.calls for word in call)


def test_an_environment_is_made_once(tmp_path: Path, commands: list[list[str]]) -> None:
    python = set_up(tmp_path, EOLE)
    assert len(commands) == 1 + len(EOLE.calls)
    assert [command[0] for command in commands[1:]] == [str(python)] * len(EOLE.calls)
    assert commands[2][-2:] == ["--no-deps", "eole==0.6.4"]
    assert set_up(tmp_path, EOLE) == python
    assert len(commands) == 1 + len(EOLE.calls)


def test_an_environment_from_other_wishes_is_made_again(tmp_path: Path, commands: list[list[str]]) -> None:
    folder = tmp_path / "peers" / EOLE.name
    folder.mkdir(parents=True)
    (folder / READY).write_text(json.dumps([["eole==0.6.3"]]))
    set_up(tmp_path, EOLE)
    assert len(commands) == 1 + len(EOLE.calls)
    assert json.loads((folder / READY).read_text()) == EOLE.calls


def test_what_the_installer_said_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(1, command, "", "some words\nERROR: no such version\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(PeerError, match=r"eole 0\.6\.4 could not be set up: some words ERROR: no such version"):
        set_up(tmp_path, EOLE)


def test_our_packages_are_not_on_the_path_of_a_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "src")
    monkeypatch.setenv("MIRADA_KEPT", "yes")
    assert "PYTHONPATH" not in clean_environment()
    assert clean_environment()["MIRADA_KEPT"] == "yes"
