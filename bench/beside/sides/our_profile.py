"""Where the time of our training step goes: the operations of one worker, by the time that each spends itself."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from our_loop import make_loop
from telling import asked, tell


def main() -> None:
    wanted = asked()
    with tempfile.TemporaryDirectory() as folder:
        loop = make_loop(wanted, Path(folder), steps=1_000)
        loop.time_steps(0.0, 1)  # what is set up once is not counted
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            loop.time_steps(0.0, wanted["timed"])
    spent = {event.key: float(event.self_cpu_time_total) for event in profile.key_averages()}
    total = sum(spent.values())
    tell(**{name: time / total for name, time in spent.items()})


if __name__ == "__main__":
    main()
