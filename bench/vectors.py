"""Word vectors beside gensim: words a second, and how well pairs are ranked, on the same text.

    python bench/vectors.py text.txt --pairs wordsim353.tsv --rounds 3

gensim has an environment of its own, made once under `.bench/vectors`. Each side is a fresh process with one thread;
they take turns, and every second round is reversed. Words are split and in small letters for both sides beforehand, the
settings are the same (width 100, window 5, 5 negatives, 5 times or more, thinned above 0.001), and the time is that of
the processor for the passes alone: neither counting nor reading is in it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PEER = "gensim==4.4.0"
HOME = Path(".bench/vectors")
KINDS = ("skipgram", "cbow", "skipgram+subwords", "cbow+subwords")

GENSIM = """
import json, sys, time
from gensim.models import FastText, Word2Vec
text, kind, epochs, out = sys.argv[1:]
lines = [line.split() for line in open(text, encoding="utf-8")]
options = dict(vector_size=100, window=5, min_count=5, negative=5, sample=1e-3, workers=1, seed=1)
model = (FastText if "subwords" in kind else Word2Vec)(sg=int(kind.startswith("skipgram")), **options)
model.build_vocab(lines)
begun = time.process_time()
model.train(lines, total_examples=len(lines), epochs=int(epochs))
spent = time.process_time() - begun
model.wv.save_word2vec_format(out)
print(json.dumps(int(epochs) * sum(map(len, lines)) / spent))
"""

OURS = """
import json, sys, time
from pathlib import Path
import torch
from mirada.models.vectors import WordVectors
from mirada.models.vectors_files import write_vectors
from mirada.training.preparing import Files
from mirada.training.vectors import Learner, VectorsRun
from mirada.training.vectors_config import VectorsRunConfig
from mirada.training.vectors_preparing import prepare_words
torch.set_num_threads(1)
text, kind, epochs, out = sys.argv[1:]
name, _, subwords = kind.partition("+")
config = VectorsRunConfig.model_validate(
    {"data": {"words": "spaces", "lower": False}, "model": {"kind": name, "subwords": bool(subwords)}}
)
folder = Path(out + ".run")
prepared = prepare_words(folder, Files((Path(text),)), config.data, lambda said: None)
run = VectorsRun(folder, config, prepared)
learner = Learner.begin(run.model, prepared, 1)
total = int(epochs) * run.text.stretches
begun = time.process_time()
for number in range(total):
    run.stretch(learner, number, total)
spent = time.process_time() - begun
table = learner.inputs.vectors(torch.arange(len(prepared.words))).numpy()
write_vectors(Path(out), WordVectors(prepared.words, table), "word2vec")
print(json.dumps(int(epochs) * prepared.facts.running / spent))
"""


def main() -> None:
    """Measure, and print a table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("text", type=Path)
    asked.add_argument("--pairs", type=Path, help="word TAB word TAB number, to rank")
    asked.add_argument("--epochs", type=int, default=5)
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    options = asked.parse_args()
    sides = {"mirada": (sys.executable, OURS), "gensim": (str(_peer()), GENSIM)}
    print(f"{'kind':<20}{'side':<8}{'words/s':>12}{'ratio':>8}{'Spearman':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        text = _divided(options.text, place / "words.txt")
        for kind in options.kinds:
            _compare(kind, sides, text, place, options)


def _compare(
    kind: str, sides: dict[str, tuple[str, str]], text: Path, place: Path, options: argparse.Namespace
) -> None:
    speeds: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(options.rounds):
        for name in sorted(sides, reverse=bool(number % 2)):
            out = place / f"{kind}.{name}.{number}.txt"
            speeds[name].append(_measure(*sides[name], text, kind, options.epochs, out))
    ratios = [ours / theirs for ours, theirs in zip(speeds["mirada"], speeds["gensim"], strict=True)]
    for name, found in speeds.items():
        ratio = f"{statistics.median(ratios):8.2f}" if name == "mirada" else " " * 8
        ranked = "" if options.pairs is None else f"{_spearman(place / f'{kind}.{name}.0.txt', options.pairs):10.3f}"
        print(f"{kind:<20}{name:<8}{statistics.median(found):>12,.0f}{ratio}{ranked}", flush=True)


def _measure(python: str, program: str, text: Path, kind: str, epochs: int, out: Path) -> float:
    """The words a second of one side in a process of its own."""
    words = [python, "-c", program, str(text), kind, str(epochs), str(out)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=alone)
    return float(json.loads(done.stdout.splitlines()[-1]))


def _spearman(vectors: Path, pairs: Path) -> float:
    words = [sys.executable, "-m", "mirada", "evaluate", str(vectors), "--input", str(pairs), "--json", "--quiet"]
    told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return float(told["spearman"])


def _divided(text: Path, out: Path) -> Path:
    """The words of a text, split as we split them, for both sides."""
    from mirada.corpora.documents import readable
    from mirada.text.word_list import words_in

    with out.open("w", encoding="utf-8") as file:
        file.writelines(" ".join(words_in(line, "letters", True)) + "\n" for line in readable(text))
    return out


def _peer() -> Path:
    """The Python of gensim's own environment."""
    python = HOME / "bin" / "python"
    if not (HOME / "ready").exists():
        venv.create(HOME, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", PEER], check=True)
        (HOME / "ready").write_text(PEER + "\n")
    return python.absolute()


if __name__ == "__main__":
    main()
