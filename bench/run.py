"""Us beside our peers, alternately in one run: medians, spread, ratios, memory, and every bar with its verdict.

    python bench/run.py [MEASURE …] [--rounds 5] [--output bench/results/bench.json]

Peers live in environments of their own, which are made when they are first needed. Data is not part of the project:
`--data` or MIRADA_DATA names the folder that holds `multi30k/`. A peer that fails is reported, and the rest goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from beside import report
from beside.bench import Bench, Measure
from beside.measures.defaults import defaults
from beside.measures.growth import growth
from beside.measures.peaks import peaks
from beside.measures.profile import profile
from beside.measures.quality import quality
from beside.measures.recurrent import recurrent, recurrent_fed
from beside.measures.start import start
from beside.measures.training import base_bf16, small_bf16, small_fp32
from beside.measures.translating import translating
from beside.peers import PEERS, PeerError, set_up
from beside.report import Section
from beside.shapes import BASE, SMALL
from beside.task import DataError

ROOT = Path(__file__).resolve().parents[1]
MEASURES = (
    Measure("peaks", "what the machine can do in matrix products", peaks),
    Measure("training-bf16", "training the small shape in bf16, beside transformers and eole", small_bf16),
    Measure("training-fp32", "the same in fp32", small_fp32),
    Measure("training-base", "training the base shape in bf16, beside transformers", base_bf16),
    Measure("quality", "the loss after the same updates, bf16 beside plain fp32", quality),
    Measure("defaults", "twenty minutes from raw text with no settings: BLEU and chrF", defaults),
    Measure("translating", "an exported int8 model, beside CTranslate2 called directly", translating),
    Measure("recurrent", "training the recurrent translator, beside JoeyNMT and OpenNMT-py", recurrent),
    Measure("recurrent-fed", "the same with input feeding", recurrent_fed, usual=False),
    Measure("start", "how soon a command answers", start),
    Measure("profile", "where the time of a training step goes", profile),
    Measure("growth", "training as width, length and vocabulary grow", growth),
)


def main() -> int:
    """Take the measures that were asked for, or the usual ones."""
    options = _options()
    bench = Bench(options.home, options.data, options.rounds, options.model)
    if options.prepare:
        return prepare(bench)
    wanted = [one for one in MEASURES if one.name in options.measures or (one.usual and not options.measures)]
    about = report.machine() | {"rounds": bench.rounds, "threads": bench.threads}
    print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n", flush=True)
    sections: dict[str, Section] = {}
    for measure in wanted:
        begun = time.monotonic()
        section = take(measure, bench)
        print(f"{section}- {measure.name} took {time.monotonic() - begun:.0f} s\n", flush=True)
        sections[measure.name] = section
        report.write(options.output, about, sections)
    bars = [bar for section in sections.values() for bar in section.bars]
    print(f"{sum(bar.holds for bar in bars)} of {len(bars)} bars hold; all figures are in {options.output}")
    return 0


def take(measure: Measure, bench: Bench) -> Section:
    """What a measure finds; where it cannot be taken, a section that says why."""
    try:
        return measure.take(bench)
    except Exception as error:  # noqa: BLE001 whatever one measure meets must not cost the others
        return Section(f"{measure.name}: {measure.what}", (), [], notes=[f"not measured: {error}"])


def prepare(bench: Bench) -> int:
    """Make beforehand what a run needs and no measure makes: environments and the common task."""
    failures = []
    for peer in PEERS:
        try:
            set_up(bench.home, peer)
        except PeerError as error:
            failures.append(str(error))
    try:
        for shape in (SMALL, BASE):
            bench.task(shape.vocabulary)
    except DataError as error:
        failures.append(str(error))
    print("\n".join(failures) or f"All is ready in {bench.home}.")
    return 1 if failures else 0


def _options() -> argparse.Namespace:
    told = "\n".join(f"  {one.name:14s} {one.what}{'' if one.usual else ' (only when named)'}" for one in MEASURES)
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=f"measures:\n{told}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help="what to measure; else all but the last named")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side takes its turn (%(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "bench.json", help="the JSON file")
    data = os.environ.get("MIRADA_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(data), help="the folder of corpora (%(default)s)")
    home = os.environ.get("MIRADA_BENCH_HOME", ROOT / ".bench")
    parser.add_argument("--home", type=Path, default=Path(home), help="for environments and the like (%(default)s)")
    parser.add_argument("--model", type=Path, help="a trained model to translate with, in place of a new one")
    parser.add_argument("--prepare", action="store_true", help="set up the peers, and measure nothing")
    options = parser.parse_args()
    unknown = sorted(set(options.measures) - {one.name for one in MEASURES})
    if unknown or options.rounds < 1:
        names = ", ".join(one.name for one in MEASURES)
        parser.error(f"{', '.join(unknown)} is not measured; use {names}" if unknown else "use --rounds 1 or more")
    return options


if __name__ == "__main__":
    sys.exit(main())
