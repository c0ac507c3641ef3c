"""The ways to train on the embedded grammar: what each says when it runs freely, beside teacher forcing.

    python bench/forcing.py                       # every way, recurrent and Transformer: twenty minutes of one core
    python bench/forcing.py --steps 200 --seeds 1

All take the same number of steps on the same files. Translations are greedy and never see the true tokens.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean

from mirada.corpora.demo import DemoCorpus, corpus
from mirada.decoding.options import Search
from mirada.demonstration.run import DEV, SEED, SETTINGS, TEST, TRAIN, write_pairs
from mirada.evaluation.translation import score
from mirada.training.preparing import Files
from mirada.training.report import ConsoleReporter
from mirada.training.run import Request, train
from mirada.training.settings import Tree, merge
from mirada.training.stopping import Stop
from mirada.translator import Translator

LEARNING: Tree = {
    "data": {"vocabulary": 2_000},
    "training": {"batch_tokens": 1_400, "dropout": 0.0, "rate": 0.004, "validations": 2, "validation_sentences": 20},
}
MODELS: Mapping[str, Tree] = {
    "recurrent": {"kind": "recurrent", "width": 128},
    "transformer": SETTINGS["model"],
}
WAYS: Mapping[str, Tree] = {
    "teacher": {"kind": "teacher"},
    "scheduled, linear": {"kind": "scheduled", "decay": "linear"},
    "scheduled, exponential": {"kind": "scheduled", "decay": "exponential"},
    "scheduled, inverse sigmoid": {"kind": "scheduled", "decay": "inverse_sigmoid"},
    "parallel, 1 pass": {"kind": "parallel", "passes": 1},
    "parallel, 2 passes": {"kind": "parallel", "passes": 2},
    "professor": {"kind": "professor"},
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--steps", type=int, default=500)
    asked.add_argument("--seeds", type=int, default=1)
    asked.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    given = asked.parse_args()
    made = corpus(TRAIN, DEV, TEST, SEED)
    print("| model | way to train | chrF | BLEU | exact | seconds |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="mirada-forcing-") as scratch:
        files = write_pairs(Path(scratch), made)
        for name in given.models:
            for way, forcing in WAYS.items():
                settings = merge(LEARNING, {"model": MODELS[name], "training": {"forcing": forcing}})
                found = [
                    measure(files, made, settings, given.steps, seed, Path(scratch) / f"{name} {way} {seed}")
                    for seed in range(1, given.seeds + 1)
                ]
                chrf, bleu, exact, seconds = (mean(column) for column in zip(*found, strict=True))
                print(f"| {name} | {way} | {chrf:.1f} | {bleu:.1f} | {exact:.0f} | {seconds:.0f} |", flush=True)


def measure(
    files: Files, made: DemoCorpus, settings: Tree, steps: int, seed: int, folder: Path
) -> tuple[float, float, int, float]:
    """chrF, BLEU and exact sentences of the test set, and the seconds of the processor that the run took."""
    begun = time.process_time()
    whole = merge(settings, {"training": {"seed": seed, "budget": {"steps": steps}}})
    if not train(Request(files, folder, None, whole), ConsoleReporter(quiet=True), Stop()).finished:
        raise SystemExit("the run was stopped")
    seconds = time.process_time() - begun
    said = Translator.load(folder).translate_with([pair.source for pair in made.test], Search(beam=1))
    texts, right = [one.text for one in said], [pair.target for pair in made.test]
    scores = score(texts, right)
    return scores.chrf.score, scores.bleu.score, sum(map(str.__eq__, texts, right)), seconds


if __name__ == "__main__":
    main()
