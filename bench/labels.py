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
folder, language = Path(sys.argv[1]), sys.argv[2]
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
subprocess.run([*spacy_command, "train", str(config), "--output", str(folder / "model"), *paths], check=True,
               stdout=sys.stderr)
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
folder, threads = Path(sys.argv[1]), int(sys.argv[2])
begun = time.time()
model = fasttext.train_supervised(str(folder / "train.txt"), lr=0.5, epoch=25, wordNgrams=2, thread=threads, verbose=0)
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
    asked.add_argument("--set", dest="changes", action="append", default=[], help="a setting of ours")
    options = asked.parse_args()
    threads = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        answers = [ours(options, Path(folder)), theirs(options, Path(folder), threads)]
    print(f"| {options.task}, {threads} threads | accuracy | seconds |\n| --- | --- | --- |")
    for one in answers:
        print(f"| {one.side} | {one.accuracy:.2%} | {one.seconds:.0f} |")
    verdict = "holds" if answers[0].accuracy >= answers[1].accuracy else "MISSED"
    print(f"- {verdict}: {answers[0].accuracy:.2%}, at least {answers[1].side}'s {answers[1].accuracy:.2%}")


def ours(options: argparse.Namespace, folder: Path) -> Answer:
    """Our accuracy, by the commands that users have."""
    dev = [] if options.dev is None else ["--dev", str(options.dev)]
    column = [f"--set=data.column={options.column}"] if options.task == "tag" else []
    settings = [*column, *(f"--set={one}" for one in options.changes)]
    given = [str(options.train), *dev, "--test", str(options.test), "--output", str(folder / "ours")]
    begun = time.time()
    mirada("train", "--task", options.task, *given, "--minutes", str(options.minutes), *settings)
    seconds = time.time() - begun
    told = json.loads(mirada("evaluate", str(folder / "ours"), "--input", str(options.test), "--json"))
    return Answer("mirada", told["accuracy"], seconds)


def mirada(*words: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "mirada", *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def theirs(options: argparse.Namespace, folder: Path, threads: int) -> Answer:
    """The peer's accuracy on the same words."""
    paths = {"train": options.train, "dev": options.dev or options.train, "test": options.test}
    if options.task == "tag":
        for part in PARTS:
            (folder / f"{part}.jsonl").write_text("".join(tagged(paths[part], options.column)), encoding="utf-8")
        return answer("spaCy", SPACY, TAGGER, str(folder), options.language)
    for part in PARTS:
        (folder / f"{part}.txt").write_text("".join(labelled(paths[part])), encoding="utf-8")
    return answer("fastText", FASTTEXT, CLASSIFIER, str(folder), str(threads))


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
