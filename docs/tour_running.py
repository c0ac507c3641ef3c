"""What all trained models of the tour share: how a command is run, and how what came of it is kept.

Training takes minutes, so results are kept under the name of their recipe, and made anew only when that has changed.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent


def name_of(words: Iterable[str]) -> str:
    """A name for all that decides what is trained and shown."""
    return blake2b("\n".join(words).encode(), digest_size=8).hexdigest()


def read_kept(path: Path) -> dict[str, Any]:
    """What is kept in a file; nothing where there is none."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return kept


def write_kept(path: Path, kept: Mapping[str, object]) -> None:
    """Keep it, in a file that people can read."""
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def run(command: str, folder: Path, text: str = "") -> str:
    """What a command prints, on one core, so that its time says the same on every machine with more."""
    words = [sys.executable, "-m", *shlex.split(command)]
    one_core = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, cwd=folder, input=text, stdout=subprocess.PIPE, text=True, check=True, env=one_core)
    return done.stdout


def cpu_seconds() -> float:
    """The time that commands have computed so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
