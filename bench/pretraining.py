"""What reading raw text is worth to a tagger with 500 sentences: BERT against itself untrained, ELMo against vectors.

    python bench/pretraining.py DATA OUTPUT [--languages es pt] [--minutes 15] [--epochs 30] [--seeds 1 2 3]

DATA is a folder with `ud/` (treebanks of Universal Dependencies: Spanish GSD and AnCora dev, Portuguese Bosque train
and dev) and `tatoeba/` (en-es.tsv, en-pt.tsv.gz). OUTPUT gets the prepared files and all models; whatever is finished
there is not computed again. Raw text is Tatoeba (each sentence a document of its own) and the treebanks without the
sentences that are tested. Each beginning is fine-tuned with every rate; that which is best on the development set is
tested.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

import torch
from safetensors.torch import save_file

from mirada.corpora.documents import readable
from mirada.corpora.lines import lines
from mirada.models.build import build
from mirada.models.folder import CONFIG, SUBWORDS, WEIGHTS, tensors_of
from mirada.models.reading_config import ElmoConfig, StaticConfig
from mirada.models.reading_folder import ReadingFolderConfig, load_reader

TAGGED = 500  # sentences, of which DEVELOPMENT are looked at
DEVELOPMENT = 50
RATES = ("0.002", "0.0005")
NOTHING_LEARNT = "1e-12"  # the rate of a run that leaves a model as it begins


@dataclass(frozen=True)
class Language:
    """Where the data of a language lies; without a file to test with, the rest of the treebank serves."""

    treebank: str
    test: str | None
    raw: tuple[str, ...]
    sentences: str


LANGUAGES = {
    "es": Language(
        "ud/Spanish/es_gsd-ud-dev.conllu", None, ("ud/Spanish/es_ancora-ud-dev.conllu",), "tatoeba/en-es.tsv"
    ),
    "pt": Language(
        "ud/Portuguese-Bosque/pt_bosque-ud-train.conllu.xz",
        "ud/Portuguese-Bosque/pt_bosque-ud-dev.conllu",
        ("ud/Portuguese-Bosque/pt_bosque-ud-train.conllu.xz",),
        "tatoeba/en-pt.tsv.gz",
    ),
}


def main() -> None:
    asked = arguments()
    table: dict[str, dict[str, list[float]]] = {}
    for name in asked.languages:
        files = prepare(asked.data, asked.output / name, LANGUAGES[name])
        beginnings = pretrain(files, asked.output / name, asked.minutes)
        table[name] = {
            beginning: [tagged(files, folder, seed, asked.epochs) for seed in asked.seeds]
            for beginning, folder in beginnings.items()
        }
        print_table(name, table[name])
    print(json.dumps(table))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--minutes", type=float, default=15, help="of each pre-training")
    parser.add_argument("--epochs", type=int, default=30, help="of each fine-tuning")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    return parser.parse_args()


@dataclass(frozen=True)
class Prepared:
    """The files of a language: raw text of two kinds, and tagged sentences to learn from, to look at and to test."""

    short: Path
    running: Path
    train: Path
    dev: Path
    test: Path


def prepare(data: Path, folder: Path, language: Language) -> Prepared:
    """Write the files that the commands read."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("short.txt", "running.txt", "train.conllu", "dev.conllu", "test.conllu")
    files = Prepared(*(folder / name for name in names))
    blocks = list(sentences(data / language.treebank))
    random.Random(1).shuffle(blocks)
    chosen, rest = blocks[:TAGGED], blocks[TAGGED:]
    tested = rest if language.test is None else list(sentences(data / language.test))
    parts = {files.train: chosen[DEVELOPMENT:], files.dev: chosen[:DEVELOPMENT], files.test: tested}
    for path, some in parts.items():
        path.write_text("".join(block + "\n\n" for block in some), encoding="utf-8")
    unseen = set(filter(None, readable(files.test)))  # an empty line is no sentence, and ends a document
    short = [sentence for sentence in short_sentences(data / language.sentences) if sentence not in unseen]
    files.short.write_text("".join(f"{sentence}\n\n" for sentence in short), encoding="utf-8")
    with files.running.open("w", encoding="utf-8") as out:
        for path in (files.train, *(data / name for name in language.raw)):
            out.writelines(f"{line}\n" for line in readable(path) if line not in unseen)
            out.write("\n")
    return files


def sentences(path: Path) -> Iterator[str]:
    """The sentences of a treebank, each with all its lines."""
    block: list[str] = []
    for line in lines(path):
        if isinstance(line, str) and line.strip():
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def short_sentences(path: Path) -> list[str]:
    """The different sentences of the second column of a table, in an order of their own."""
    found = sorted({line.split("\t")[1].strip() for line in lines(path) if isinstance(line, str) and "\t" in line})
    random.Random(2).shuffle(found)
    return found


def pretrain(files: Prepared, folder: Path, minutes: float) -> dict[str, Path]:
    """The folders that a tagger begins from."""
    rows = {
        "BERT, nothing read": folder / "bert-untrained",
        "BERT": folder / "bert",
        "static vectors": folder / "static",
        "ELMo": folder / "elmo",
    }
    still = ("--steps", "1", "--set", f"training.rate={NOTHING_LEARNT}")
    raw = (files.short, files.running, "--preset", "tiny")
    mirada("train", "--task", "mlm", *raw, "-o", rows["BERT, nothing read"], *still)
    mirada("train", "--task", "mlm", *raw, "-o", rows["BERT"], "--minutes", minutes)
    mirada("train", "--task", "elmo", *raw, "-o", rows["ELMo"], "--minutes", minutes)
    without_context(rows["ELMo"], rows["static vectors"])
    return rows


def without_context(elmo: Path, folder: Path) -> None:
    """A folder with nothing but the token vectors that ELMo's language models have learnt."""
    trained = load_reader(elmo)
    if not isinstance(trained.config, ElmoConfig):
        raise TypeError(f"{elmo} holds no language models of ELMo")
    shape = {name: getattr(trained.config, name) for name in ("width", "task_layers", "task_width")}
    config = ReadingFolderConfig(task="static", vocabulary=trained.subwords.size, model=StaticConfig(**shape))
    reader = build(config.model, config.vocabulary, seed=1)
    tensors = tensors_of(reader) | {"embedding.weight": trained.tensors["models.embedding.weight"]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(config.model_dump_json())
    trained.subwords.save(folder / SUBWORDS)
    save_file({f"reader.{name}": torch.clone(tensor) for name, tensor in tensors.items()}, folder / WEIGHTS)


def tagged(files: Prepared, start: Path, seed: int, epochs: int) -> float:
    """The accuracy on the test set, in percent, of a tagger that begins from a folder."""
    found = []
    for rate in RATES:
        folder = start.with_name(f"{start.name}-tag-{rate}-{seed}")
        sets = ("--dev", files.dev, "--test", files.test, "--seed", seed, "--epochs", epochs)
        told = mirada(
            "train",
            "--task",
            "tag",
            files.train,
            "--start",
            start,
            "-o",
            folder,
            *sets,
            "--set",
            f"training.rate={rate}",
        )
        found.append((told["development"]["accuracy"], 100 * told["test"]["accuracy"]))
    return max(found)[1]


def mirada(*words: object) -> dict[str, dict[str, float]]:
    """The result of a command, as it tells programs."""
    command = [sys.executable, "-m", "mirada", *map(str, words), "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def print_table(language: str, found: dict[str, Sequence[float]] | dict[str, list[float]]) -> None:
    print(f"{language}: accuracy of tags in percent, {TAGGED} tagged sentences")
    for beginning, accuracies in found.items():
        spread = f" ± {stdev(accuracies):.2f}" if len(accuracies) > 1 else ""
        print(f"  {beginning:<20}{mean(accuracies):7.2f}{spread}", flush=True)


if __name__ == "__main__":
    main()
