"""Text of the grammar that ships with Mirada: sentences, sentences by their kind, and what “it” means in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from mirada.corpora.demo import DemoPair, corpus, generate
from mirada.demonstration.run import DEV, SEED, TEST, TRAIN

LABELLED, LABELLED_SEED = 20_000, 7


def write(folder: Path) -> None:
    """Write text/, with a file to train on, one to look at and one to test with, of each."""
    (folder / "text").mkdir()
    made = corpus(TRAIN, DEV, TEST, SEED)
    for part, pairs in (("train", made.train), ("dev", made.dev), ("test", made.test)):
        (folder / "text" / f"{part}.en").write_text("".join(f"{pair.source}\n" for pair in pairs), encoding="utf-8")
    labelled = list(generate(LABELLED, LABELLED_SEED))
    _write_parts(folder / "text", "kinds-{}.tsv", labelled, _table)
    _write_parts(folder / "text", "it-{}.conllu", [one for one in labelled if one.reference is not None], _treebank)


def _write_parts(folder: Path, name: str, rows: Sequence[DemoPair], told: Callable[[Sequence[DemoPair]], str]) -> None:
    """Eight tenths to train on, one to look at, one to test with."""
    first, second = len(rows) * 8 // 10, len(rows) * 9 // 10
    for part, found in (("train", rows[:first]), ("dev", rows[first:second]), ("test", rows[second:])):
        (folder / name.format(part)).write_text(told(found), encoding="utf-8")


def _table(rows: Sequence[DemoPair]) -> str:
    """Sentences with the rule of the grammar that made them."""
    return "text\tlabel\n" + "".join(f"{one.pair.source}\t{one.kind}\n" for one in rows)


def _treebank(rows: Sequence[DemoPair]) -> str:
    """Sentences in CoNLL-U, in which the column upos says what is known."""
    return "\n".join(f"{_tagged(one)}\n" for one in rows)


def _tagged(one: DemoPair) -> str:
    found = one.reference
    tags = {} if found is None else {found.pronoun: "PRONOUN", found.antecedent: "MEANT", found.rival: "RIVAL"}
    words = enumerate(one.pair.source.split())
    rows = ([str(place + 1), word, "_", tags.get(place, "OTHER"), *"______"] for place, word in words)
    return "".join("\t".join(row) + "\n" for row in rows)
