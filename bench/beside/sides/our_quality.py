"""Our training, to the end: the loss on held-out pairs after a number of updates."""

from __future__ import annotations

import tempfile
from pathlib import Path

from our_loop import make_loop
from telling import asked, tell

from mirada.training.checkpoint import Progress


def main() -> None:
    wanted = asked()
    wanted["training"]["seed"] = wanted["round"] + 1
    with tempfile.TemporaryDirectory() as folder:
        progress = make_loop(wanted, Path(folder), wanted["steps"]).run(Progress())
    tell(loss=progress.scores[-1].loss, tokens=progress.tokens, speed=progress.tokens / progress.seconds)


if __name__ == "__main__":
    main()
