"""Preparing text for word vectors: words counted and stored as one stream of ids, made once and used again."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mirada.corpora.documents import Document, build_stream, survey
from mirada.corpora.pair import CorpusError
from mirada.corpora.store import fingerprint
from mirada.models.folder import write_file
from mirada.models.vectors_folder import WORDS
from mirada.text.word_list import LONGEST, Words, count_words
from mirada.training.facts import PreparedFacts
from mirada.training.preparing import DATA, FACTS, Files, Say, open_store, read_facts
from mirada.training.reuse import reuse_or_make
from mirada.training.vectors_config import WordsConfig

FORMAT = 1  # of what lies in the folder `data`; a change makes old ones be built again
TRAIN = "train"
FEWEST = 2  # different words: one alone has no neighbours to be told from


class WordFacts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    files: int
    left_out: int  # lines that are no text
    lines: int
    running: int  # words of the text, all of them
    different: int
    vocabulary: int
    known: int  # running words that are in the vocabulary

    def told(self) -> str:
        return f"{self.running:,} words trained on, {self.different:,} different, in {self.lines:,} lines"


@dataclass(frozen=True, eq=False)
class PreparedWords:
    """Words that are ready to train on."""

    text: NDArray[Any]
    words: Words
    facts: WordFacts


def prepare_words(folder: Path, files: Files, config: WordsConfig, say: Say) -> PreparedWords:
    """The words of a run, from its folder where they were made from the same files and settings, else made now."""
    made_from = fingerprint(
        {"format": FORMAT, "files": files.identities, "config": config.model_dump(mode="json"), "task": "vectors"}
    )
    found = reuse_or_make(
        folder / DATA / FACTS,
        made_from,
        lambda: _open(folder, config),
        lambda: _make(folder, files, config, made_from, say),
        say,
    )
    facts = found.facts
    say(
        f"{facts.running:,} words, {facts.different:,} different; {facts.vocabulary:,} of them were met "
        f"{config.least} times or more and make up {100 * facts.known / facts.running:.1f} % of the text."
    )
    return found


def _open(folder: Path, config: WordsConfig) -> PreparedWords:
    facts = read_facts(folder / DATA, WordFacts)
    words = Words.of_bytes((folder / WORDS).read_bytes(), config.words, config.lower)
    store = open_store(folder / DATA / TRAIN, facts.made_from)
    if store.vocabulary != words.size:
        raise CorpusError(f"{folder / WORDS} does not fit the prepared text")
    return PreparedWords(store.stream("source"), words, facts)


def _make(folder: Path, files: Files, config: WordsConfig, made_from: str, say: Say) -> None:
    """Make all that `_open` opens; the facts come last, so that a folder that has them is whole."""
    data = folder / DATA
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    surveys = [survey(path) for path in files.train]
    for one in surveys:
        if one.first_fault is not None:
            place, reason = one.first_fault.place, one.first_fault.reason
            say(f"{one.faults:,} lines of {one.path} are no text and left out, the first: {place}: {reason}")
    documents = [Document(one.path, 0, len(one.lengths)) for one in surveys]
    counts = count_words(chain.from_iterable(documents), config.words, config.lower)
    words = _chosen(counts, config)
    write_file(folder / WORDS, words.to_bytes())
    build_stream(documents, words, data / TRAIN, made_from)
    facts = WordFacts(
        made_from=made_from,
        files=len(files.train),
        left_out=sum(one.faults for one in surveys),
        lines=sum(len(one.lengths) for one in surveys),
        running=sum(counts.values()),
        different=len(counts),
        vocabulary=len(words),
        known=int(words.counts.sum()),
    )
    write_file(data / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())


def _chosen(counts: dict[str, int], config: WordsConfig) -> Words:
    """The words that were met often enough, the most frequent first; equals in the order in which they were met."""
    often = [(word, count) for word, count in counts.items() if count >= config.least and 0 < len(word) <= LONGEST]
    often = sorted(often, key=lambda one: -one[1])[: config.vocabulary]
    if len(often) < FEWEST:
        raise CorpusError(
            f"{len(often)} different words were met {config.least} times or more; give more text, "
            "or use --set data.least=1"
        )
    return Words([word for word, _ in often], [count for _, count in often], config.words, config.lower)
