"""The peers: each in an environment of its own, because their requirements contradict each other's and ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"
FIRST = ("torch==2.13.0", "setuptools<80", "wheel", "numpy")  # resolved with the rest, torch may be a far larger build
READY = "ready.json"  # in an environment: what was installed, when all of it was
PATIENCE = 1_800  # seconds for one installation


class PeerError(RuntimeError):
    """A peer that cannot be set up: which, and what its installer said."""


@dataclass(frozen=True)
class Peer:
    """A tool, and what pip is asked for beside the file of its requirements."""

    name: str
    title: str
    alone: tuple[str, ...] = ()  # without what they require: their pins contradict the torch that all share
    last: tuple[str, ...] = ()  # in place of the version that a requirement brought

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of pip, call by call."""
        required = (REQUIREMENTS / f"{self.name}.txt").read_text(encoding="utf-8").split()
        calls = [list(FIRST), ["--no-deps", *self.alone] if self.alone else [], required, list(self.last)]
        return [call for call in calls if call]


TRANSFORMERS = Peer("transformers", "HF MarianMTModel 5.22.2")
EOLE = Peer("eole", "eole 0.6.4", alone=("eole==0.6.4",))
OPENNMT = Peer("opennmt", "OpenNMT-py 3.5.1", alone=("OpenNMT-py==3.5.1",))
JOEYNMT = Peer("joeynmt", "JoeyNMT 2.3.0", last=("sentencepiece==0.2.0",))
PEERS = (TRANSFORMERS, EOLE, OPENNMT, JOEYNMT)


def set_up(home: Path, peer: Peer) -> Path:
    """The interpreter of a peer whose environment is whole; made now if it is not, or was made from other wishes."""
    environment = home / "peers" / peer.name
    python, ready = environment / "bin" / "python", environment / READY
    if ready.is_file() and json.loads(ready.read_text(encoding="utf-8")) == peer.calls:
        return python
    print(f"Setting up {peer.title} in {environment}; this takes some minutes.", file=sys.stderr, flush=True)
    ready.unlink(missing_ok=True)
    _run(peer, [sys.executable, "-m", "venv", str(environment)])
    for wanted in peer.calls:
        _run(peer, [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
    ready.write_text(json.dumps(peer.calls), encoding="utf-8")
    return python


def _run(peer: Peer, command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE, env=clean_environment())
    except subprocess.CalledProcessError as error:
        told = (error.stderr or error.stdout).strip().splitlines()[-3:]
        raise PeerError(f"{peer.title} could not be set up: {' '.join(told)}") from None
    except subprocess.TimeoutExpired:
        raise PeerError(f"{peer.title} could not be set up in {PATIENCE} seconds") from None
    except OSError as error:
        raise PeerError(f"{peer.title} could not be set up: {error}") from None


def clean_environment() -> dict[str, str]:
    """The variables of this process without those that would put our packages on a peer's path."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
