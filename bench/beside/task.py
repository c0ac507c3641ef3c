"""The common task: Multi30k from English to German in one joint vocabulary, as ids for some and as pieces for others.

The folder of a task holds:

    train.source.ids …    a sentence a line, the end mark last: for plain loops
    train.source.pieces … a sentence a line, without marks: for tools that read text
    vocabulary.txt        a piece a line, by id: padding, unknown, begin, end, and the learnt ones
    counted.txt           a learnt piece a line, a tab, how often it occurs
    train, val            token stores of ours
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sentencepiece

from mirada.corpora.store import Flat, StoreWriter
from mirada.text.subwords import END, SPECIAL

LANGUAGES = {"source": "en", "target": "de"}
PARTS = ("train", "val")
LONGEST = 100  # pieces; what is longer is cut, for all alike
CORPUS = "multi30k"

Texts = dict[tuple[str, str], list[str]]  # by part and side


class DataError(RuntimeError):
    """A corpus that is not where it should be."""


@dataclass(frozen=True)
class Task:
    """A prepared task: its folder, and the share of its training tokens that are of the source."""

    folder: Path
    source_share: float


def require_corpus(data: Path) -> Path:
    """The folder of the corpus, if all its files are there."""
    folder = data / CORPUS
    names = [f"{part}.{language}" for part in (*PARTS, "test_2016_flickr") for language in LANGUAGES.values()]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise DataError(
            f"{folder} has no {', '.join(missing)}. The measures on real text need Multi30k (task 1, raw) there; "
            "name another folder with --data or MIRADA_DATA"
        )
    return folder


def read_lines(path: Path) -> list[str]:
    """The lines of a text, without the white space around them."""
    return [line.strip() for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]


def prepare(data: Path, home: Path, vocabulary: int) -> Task:
    """The task with a vocabulary of this size; made once for each."""
    folder = home / "task" / str(vocabulary)
    if not (folder / "done").is_file():
        corpus = require_corpus(data)
        folder.mkdir(parents=True, exist_ok=True)
        texts = {
            (part, side): read_lines(corpus / f"{part}.{language}")
            for part in PARTS
            for side, language in LANGUAGES.items()
        }
        _write(folder, texts, _learn(folder, texts, vocabulary))
        (folder / "done").touch()
    tokens = [len((folder / f"train.{side}.ids").read_text(encoding="ascii").split()) for side in LANGUAGES]
    return Task(folder, tokens[0] / sum(tokens))


def _learn(folder: Path, texts: Texts, vocabulary: int) -> sentencepiece.SentencePieceProcessor:
    """A joint BPE vocabulary of the training texts, as all the peers can read it."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for side in LANGUAGES for text in texts["train", side]]),
        model_prefix=str(folder / "subwords"),
        vocab_size=vocabulary,
        model_type="bpe",
        character_coverage=1.0,
        pad_id=SPECIAL[0],
        unk_id=SPECIAL[1],
        bos_id=SPECIAL[2],
        eos_id=SPECIAL[3],
        pad_piece="<pad>",
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "subwords.model"))


def _write(folder: Path, texts: Texts, subwords: sentencepiece.SentencePieceProcessor) -> None:
    counts: Counter[int] = Counter()
    for part in PARTS:
        rows = {side: [row[:LONGEST] for row in subwords.encode(texts[part, side])] for side in LANGUAGES}
        for side, ids in rows.items():
            pieces = [" ".join(subwords.id_to_piece(row)) for row in ids]
            _write_lines(folder / f"{part}.{side}.pieces", pieces)
            _write_lines(folder / f"{part}.{side}.ids", [" ".join(map(str, [*row, END])) for row in ids])
            counts.update(one for row in ids for one in row if part == "train")
        with StoreWriter(folder / part, "bench", subwords.get_piece_size()) as writer:
            writer.add([flat(rows["source"])], [flat(rows["target"])])
    learnt = range(len(SPECIAL), subwords.get_piece_size())
    _write_lines(folder / "vocabulary.txt", [subwords.id_to_piece(one) for one in range(subwords.get_piece_size())])
    _write_lines(folder / "counted.txt", [f"{subwords.id_to_piece(one)}\t{max(1, counts[one])}" for one in learnt])


def synthetic(home: Path, length: int, vocabulary: int, tokens: int) -> Path:
    """A store of drawn ids, every side of the same length, with about so many tokens of both sides."""
    folder = home / "synthetic" / f"{length}-{vocabulary}"
    if not folder.exists():
        chance = np.random.default_rng(1)
        pairs = max(1, tokens // (2 * length))
        rows = chance.integers(len(SPECIAL), vocabulary, (2, pairs, length - 1)).tolist()
        folder.parent.mkdir(parents=True, exist_ok=True)
        with StoreWriter(folder, "bench", vocabulary) as writer:
            writer.add([flat(rows[0])], [flat(rows[1])])
    return folder


def flat(rows: list[list[int]]) -> Flat:
    """Rows of ids one behind another, each with the end mark, and how many each has."""
    ended = [[*row, END] for row in rows]
    return np.array([one for row in ended for one in row], dtype=np.uint32), np.array([len(row) for row in ended])


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
