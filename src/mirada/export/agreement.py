"""Agreement: how often an exported model says what the model says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mirada.corpora.demo import generate
from mirada.corpora.lines import lines
from mirada.corpora.pieces import has_words
from mirada.decoding.checked import decode_checked
from mirada.decoding.engine import Engine
from mirada.decoding.options import Search
from mirada.export.folder import ExportError, Quantization
from mirada.text.asking import Asked, in_documents
from mirada.text.coding import decode, encode, preceded

SENTENCES = 100
# Chance must not decide: where rounding keeps 93 % of all texts, 100 sentences show fewer than 90 % for one model of
# ten, 300 for one of sixty.
SENTENCES_ROUNDED = 300
AT_ONCE = 50  # sentences between two looks of the progress bar
LEAST_ROUNDED = 0.9  # share of the sentences that rounded numbers must translate to the same text
OWN_TEXT = ("test.json", "dev.json")  # pairs that a run set aside
LARGEST_TEXT = 100_000_000  # bytes


@dataclass(frozen=True)
class Sentences:
    """What is translated by both, with what stands before it, and where it comes from."""

    texts: list[Asked]
    origin: str

    def alone(self) -> Sentences:
        """The same with nothing before them."""
        return Sentences([Asked(one.text) for one in self.texts], self.origin)


@dataclass(frozen=True)
class Difference:
    """A sentence that the two translate differently."""

    source: str
    model: str
    exported: str


@dataclass(frozen=True)
class Agreement:
    """How many sentences both translate to the same text."""

    sentences: int
    same: int
    origin: str
    first: Difference | None

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.same / self.sentences

    def __str__(self) -> str:
        return f"{self.same} of {self.sentences} sentences ({self.origin}) are translated to the same text by both"


def require_enough(agreement: Agreement, quantization: Quantization) -> None:
    """Raise where too few sentences are the same: all must be, unless numbers are rounded."""
    least = 1.0 if quantization == "none" else LEAST_ROUNDED
    if agreement.share >= least:
        return
    first = agreement.first
    example = "" if first is None else f", first {first.source!r}: {first.model!r} became {first.exported!r}"
    advice = "use a finer --quantization" if quantization != "none" else "report it with the model's config.json"
    raise ExportError(f"{agreement}{example}; {least:.0%} must be, so nothing was written: {advice}")


def enough(quantization: Quantization) -> int:
    """How many sentences tell whether an export agrees with its model."""
    return SENTENCES if quantization == "none" else SENTENCES_ROUNDED


def choose_sentences(folder: Path, given: Path | None, engine: Engine, most: int = SENTENCES) -> Sentences:
    """Sentences to compare with: the file that is given, else the run's own, else those of the demonstration."""
    if given is not None:
        read = in_documents((line if isinstance(line, str) else "" for line in lines(given)), engine.about.context)
        found = Sentences(_readable(read, engine, most), str(given))
        if not found.texts:
            raise ExportError(f"{given} has no sentence that the model can read whole; name a file with text")
        return found
    for name in OWN_TEXT:
        texts = _readable(_own(folder / "data" / name), engine, most)
        if texts:
            return Sentences(texts, f"the model's own {name.removesuffix('.json')} set")
    grammar = (Asked(made.pair.source) for made in generate(2 * most, seed=0))
    return Sentences(_readable(grammar, engine, most), "of the demonstration")


def compare(
    model: Engine, exported: Engine, sentences: Sentences, listen: Callable[[int], None], at_once: int = AT_ONCE
) -> Agreement:
    """Translate with both, by beam search as users do; `listen` is told how many sentences are done."""
    same, first = 0, None
    for start in range(0, len(sentences.texts), at_once):
        texts = sentences.texts[start : start + at_once]
        for source, ours, theirs in zip(texts, _said(model, texts), _said(exported, texts), strict=True):
            same += ours == theirs
            if ours != theirs and first is None:
                first = Difference(source.text, ours, theirs)
        listen(start + len(texts))
    return Agreement(len(sentences.texts), same, sentences.origin, first)


def _said(engine: Engine, texts: list[Asked]) -> list[str]:
    search = Search(longest=engine.about.places)
    alone = encode(engine.subwords, [one.text for one in texts])
    coded = preceded(engine.subwords, alone, [one.context for one in texts], engine.about.longest)
    found = decode_checked(engine, [one.ids for one in coded], search, own=[one.ids for one in alone])
    return decode(engine.subwords, [one.hypotheses[0].tokens for one in found], [one.symbols for one in coded])


def _readable(texts: Iterable[Asked], engine: Engine, most: int) -> list[Asked]:
    """The first texts that have words and are short enough to be read whole."""
    subwords, longest = engine.subwords, engine.about.longest_text
    fitting = (one for one in texts if has_words(one.text) and len(encode(subwords, [one.text])[0].ids) <= longest)
    return list(islice(fitting, most))


def _own(path: Path) -> Iterator[Asked]:
    """The sources of a run's pairs, with what stands before them, where they are still there."""
    try:
        pairs = json.loads(path.read_bytes()) if path.stat().st_size <= LARGEST_TEXT else []
    except (OSError, ValueError, RecursionError):
        return
    for pair in pairs if isinstance(pairs, list) else []:
        if isinstance(pair, list) and pair and all(isinstance(text, str) for text in pair):
            yield Asked(pair[0], context=tuple(pair[2:]))
