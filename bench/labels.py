"""Labels beside spaCy and fastText: accuracy on the same test set, and the seconds of training.

    python bench/labels.py tag train.conllu.xz --dev dev.conllu --test test.conllu --minutes 15
    python bench/labels.py classify stsa.binary.train --dev stsa.binary.dev --test stsa.binary.test --minutes 10

A tagger is compared with spaCy's, trained from scratch on the same column by spaCy's own recipe (`spacy init config`:
no vectors, its own early stopping), a classifier with fastText's on words and pairs of words (25 passes, rate 0.5, as
its tutorial ends). Each peer has an environment of its own, made once under `.bench/labels`, and each as many threads.
Files are those that `mirada train` reads; peers are given the same sentences and words.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from mirada.corpora.conllu import Sentence, column_of, read_conllu
from mirada.corpora.examples import Example, Names, open_examples

HOME = Path(".bench/labels")
SPACY = ("spacy==3.8.7", "click")  # which spaCy imports, and its typer no longer brings
FASTTEXT = ("fasttext-wheel==0.9.2", "numpy<2")  # its last release knows no later numpy
PARTS = ("train", "dev", "test")

TAGGER = """
import json, subprocess, sys, time
from pathlib import Path
import spacy
from spacy.tokens import Doc, DocBin
folder, language, seed = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
vocab = spacy.blank(language).vocab
for part in ("train", "dev", "test"):
    rows = [json.loads(line) for line in open(folder / f"{part}.jsonl", encoding="utf-8")]
    DocBin(docs=[Doc(vocab, words=row["words"], tags=row["labels"]) for row in rows]).to_disk(folder / f"{part}.spacy")
config = folder / "config.cfg"
spacy_command = [sys.executable, "-m", "spacy"]
subprocess.run([*spacy_command, "init", "config", str(config), "--lang", language, "--pipeline", "tagger"], check=True,
               stdout=sys.stderr)
begun = time.time()
paths = ["--paths.train", str(folder / "train.spacy"), "--paths.dev", str(folder / "dev.spacy")]
train = [*spacy_command, "train", str(config), "--output", str(folder / "model"), "--system.seed", seed, *paths]
subprocess.run(train, check=True, stdout=sys.stderr)
seconds = time.time() - begun
tagger = spacy.load(folder / "model" / "model-best")
right = total = 0
for row in map(json.loads, open(folder / "test.jsonl", encoding="utf-8")):
    doc = tagger(Doc(tagger.vocab, words=row["words"]))
    right += sum(token.tag_ == label for token, label in zip(doc, row["labels"]))
    total += len(row["labels"])
print(json.dumps({"accuracy": right / total, "seconds": seconds}))
"""

CLASSIFIER = """
import json, sys, time
from pathlib import Path
import fasttext
folder, threads, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
begun = time.time()
settings = {"lr": 0.5, "epoch": 25, "wordNgrams": 2, "thread": threads, "seed": seed}
model = fasttext.train_supervised(str(folder / "train.txt"), **settings, verbose=0)
seconds = time.time() - begun
count, precision, _ = model.test(str(folder / "test.txt"))
print(json.dumps({"accuracy": precision, "seconds": seconds}))
"""


@dataclass(frozen=True)
class Answer:
    """What a side has reached."""

    side: str
    accuracy: float
    seconds: float


def main() -> None:
    """Measure, and print a table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("task", choices=("tag", "classify"))
    asked.add_argument("train", type=Path)
    asked.add_argument("--dev", type=Path, help="else some of the training set, for us as for spaCy")
    asked.add_argument("--test", type=Path, required=True)
    asked.add_argument("--column", default="upos")
    asked.add_argument("--language", default="en", help="whose rules spaCy's tokens have")
    asked.add_argument("--minutes", type=float, default=10)
    asked.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    asked.add_argument("--set", dest="changes", action="append", default=[], help="a setting of ours")
    options = asked.parse_args()
    threads = len(os.sched_getaffinity(0))
    answers: dict[str, list[Answer]] = {}
    for seed in options.seeds:
        with tempfile.TemporaryDirectory() as folder:
            for one in (ours(options, seed, Path(folder)), theirs(options, seed, Path(folder), threads)):
                answers.setdefault(one.side, []).append(one)
                told = f"{one.side}, seed {seed}: {one.accuracy:.2%} in {one.seconds:.0f} s"
                print(told, file=sys.stderr, flush=True)
    print(f"| {options.task}, {threads} threads | accuracy, mean (each seed) | seconds |\n| --- | --- | --- |")
    for side, some in answers.items():
        print(f"| {side} | {accuracies(some)} | {mean(one.seconds for one in some):.0f} |")
    (us, reached), (peer, to_reach) = ((side, mean(one.accuracy for one in some)) for side, some in answers.items())
    verdict = "holds" if reached >= to_reach else "MISSED"
    print(f"- {verdict}: {us}'s {reached:.2%}, at least {peer}'s {to_reach:.2%}")


def accuracies(answers: list[Answer]) -> str:
    """Their mean, and each."""
    each = " / ".join(f"{100 * one.accuracy:.2f}" for one in answers)
    return f"{mean(one.accuracy for one in answers):.2%} ({each})"


def ours(options: argparse.Namespace, seed: int, folder: Path) -> Answer:
    """Our accuracy, by the commands that users have."""
    dev = [] if options.dev is None else ["--dev", str(options.dev)]
    column = [f"--set=data.column={options.column}"] if options.task == "tag" else []
    settings = [*column, *(f"--set={one}" for one in options.changes)]
    given = [str(options.train), *dev, "--test", str(options.test), "--output", str(folder / "ours")]
    budget = ["--minutes", str(options.minutes), "--seed", str(seed)]
    begun = time.time()
    mirada("train", "--task", options.task, *given, *budget, *settings)
    seconds = time.time() - begun
    told = json.loads(mirada("evaluate", str(folder / "ours"), "--input", str(options.test), "--json"))
    return Answer("mirada", told["accuracy"], seconds)


def mirada(*words: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "mirada", *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def theirs(options: argparse.Namespace, seed: int, folder: Path, threads: int) -> Answer:
    """The peer's accuracy on the same words."""
    paths = {"train": options.train, "dev": options.dev or options.train, "test": options.test}
    if options.task == "tag":
        for part in PARTS:
            (folder / f"{part}.jsonl").write_text("".join(tagged(paths[part], options.column)), encoding="utf-8")
        return answer("spaCy", SPACY, TAGGER, str(folder), options.language, str(seed))
    for part in PARTS:
        (folder / f"{part}.txt").write_text("".join(labelled(paths[part])), encoding="utf-8")
    return answer("fastText", FASTTEXT, CLASSIFIER, str(folder), str(threads), str(seed))


def tagged(path: Path, column: str) -> Iterator[str]:
    for one in read_conllu(path):
        if isinstance(one, Sentence) and one.words:
            row = {"words": one.forms, "labels": one.column(column_of(column))}
            yield json.dumps(row) + "\n"


def labelled(path: Path) -> Iterator[str]:
    for one in open_examples(path, Names(), labelled=True).read():
        if isinstance(one, Example):
            yield f"__label__{one.label} {' '.join(str(one.entered).split())}\n"


def answer(side: str, packages: tuple[str, ...], script: str, *words: str) -> Answer:
    """What a peer says in its own environment, made now if it is not there."""
    home = HOME / side.lower()
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"Setting up {side} in {home}.", file=sys.stderr, flush=True)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        (home / "ready").touch()
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-c", script, *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables)
    told = json.loads(done.stdout.strip().splitlines()[-1])
    return Answer(side, told["accuracy"], told["seconds"])


if __name__ == "__main__":
    main()
