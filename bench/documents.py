"""How much the sentence before helps: two-sentence documents whose "it" stands for a noun of the first sentence.

python bench/documents.py                    # three seeds of each way to read: ten minutes of one core
python bench/documents.py --seeds 1 --steps 600

Each document's second sentence ("It was too tired.") is the same in English as that of its twin, and its Spanish ending
differs, so without context half of the endings are right at best. All ways train for the same number of steps on the
same files; the two nouns of a test document never meet in training.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean

from mirada.corpora.demo import DocumentCorpus, documents
from mirada.decoding.options import Search
from mirada.demonstration.documents import DEV, SEED, TEST, TRAIN, right_endings, write_documents
from mirada.training.preparing import Files
from mirada.training.report import ConsoleReporter
from mirada.training.run import Request, train
from mirada.training.settings import Tree, merge, nested
from mirada.training.stopping import Stop
from mirada.translator import Translator

SETTINGS: Tree = {
    # Nothing is set aside: what stands in dev or test, such as "It was too tired.", would be left out of training.
    "data": {"vocabulary": 1_000, "variants": 1, "dev_share": 0.0, "test_share": 0.0},
    "model": {
        "width": 64,
        "feed_forward": 256,
        "encoder": {"layers": 2, "heads": 4},
        "decoder": {"layers": 1, "heads": 4},
        "cross": {"heads": 4},
    },
    "training": {"dropout": 0.1, "validation_sentences": DEV, "validations": 4, "select": "loss", "patience": 0},
}
WAYS: Mapping[str, Tree] = {
    "context 0": {},
    "context 1": nested("data.context", 1),
    "context 1, encoder window(16, 16)": merge(
        nested("data.context", 1), nested("model.encoder.pattern", "window(16, 16)")
    ),
    "context 1, encoder window(2, 2)": merge(
        nested("data.context", 1), nested("model.encoder.pattern", "window(2, 2)")
    ),
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--steps", type=int, default=1_200)
    asked.add_argument("--seeds", type=int, default=3)
    given = asked.parse_args()
    made = documents(TRAIN, DEV, TEST, SEED)
    print("| read with | right endings | each seed | loss | seconds |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="mirada-documents-") as scratch:
        files = write_documents(Path(scratch) / "files", made)
        for number, (way, settings) in enumerate(WAYS.items()):
            found = [
                measure(files, made, settings, given.steps, seed, Path(scratch) / f"{number}-{seed}")
                for seed in range(1, given.seeds + 1)
            ]
            shares = [share for share, _, _ in found]
            each = ", ".join(f"{100 * share:.1f}" for share in shares)
            loss, seconds = (mean(column) for column in (*zip(*found, strict=True),)[1:])
            print(f"| {way} | {100 * mean(shares):.1f} % | {each} | {loss:.3f} | {seconds:.0f} |", flush=True)


def measure(
    files: Files, made: DocumentCorpus, settings: Tree, steps: int, seed: int, folder: Path
) -> tuple[float, float, float]:
    """The share of right endings of one run, its loss on pairs that it trained on, and how long it took."""
    begun = time.perf_counter()
    whole = merge(merge(SETTINGS, settings), {"training": {"seed": seed, "budget": {"steps": steps}}})
    outcome = train(Request(replace(files, dev=(), test=()), folder, None, whole), ConsoleReporter(quiet=True), Stop())
    seconds = time.perf_counter() - begun
    if outcome.result is None:
        raise SystemExit("the run was stopped")
    lines = files.test[0].read_text(encoding="utf-8").splitlines()
    said = [one.text for one in Translator.load(folder).translate_lines(lines, Search(beam=5))]
    return right_endings(said, made.test) / len(made.test), outcome.result.development.loss, seconds


if __name__ == "__main__":
    main()
