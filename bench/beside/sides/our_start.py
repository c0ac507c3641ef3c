"""How long a command of ours takes from its first instruction to its last, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time

from telling import asked, tell


def main() -> None:
    wanted = asked()
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "mirada", *wanted["words"]],
        input=wanted.get("input", ""),
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(done.stderr or f"status {done.returncode}")
    tell(seconds=seconds)


if __name__ == "__main__":
    main()
