"""Our training, timed: tokens a second of the loop itself, its batches, dropout, clipping and updates included."""

from __future__ import annotations

import tempfile
from pathlib import Path

from telling import asked, tell

from mirada.training.memory import keep_memory


def main() -> None:
    keep_memory()  # as `mirada train` does, before NumPy and torch begin threads
    from our_loop import make_loop

    wanted = asked()
    with tempfile.TemporaryDirectory() as folder:
        # It makes two steps before it counts.
        seconds, tokens = make_loop(wanted, Path(folder), steps=1_000).time_steps(0.0, wanted["timed"])
    tell(speed=tokens / seconds, tokens=tokens, seconds=seconds * wanted["timed"])


if __name__ == "__main__":
    main()
