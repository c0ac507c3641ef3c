"""A synthetic corpus: texts and what a model made of them, in a file that is written chunk by chunk and only once.

    NAME.parts/texts.txt       what is to be translated, a text on each line
    NAME.parts/000000.tsv …    what has been translated: each chunk is whole or not there
    NAME.tsv                   all of it, with the languages as its header; the parts are removed

NAME is a digest of all that it is made from. Whoever is killed on the way loses a chunk, and whoever wants the same
corpus again has it. To `mirada train` it is a table like any other.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import fingerprint
from mirada.corpora.writing import replacing
from mirada.decoding.limits import Flag
from mirada.decoding.options import Search
from mirada.models.folder import write_file
from mirada.training.preparing import TELL_SECONDS, Say
from mirada.training.report import span
from mirada.translator import Translation, Translator

FOLDER = "synthetic"  # in that of the run
TEXTS = "texts.txt"
CHUNK = 1_024  # texts: enough to sort by length, and some seconds to lose
# What must not be learnt from. A text that was divided is still a translation.
SPOILT = frozenset({Flag.CUT, Flag.REPEATING, Flag.EMPTY, Flag.SYMBOLS})
UNUSABLE = "cut at the length limit, repeating, empty, or with placeholders lost"


@dataclass(frozen=True)
class Plan:
    """A synthetic corpus that is wanted."""

    folder: Path
    ingredients: Mapping[str, object]  # all that it is made from, as JSON can say it
    languages: tuple[str, str]  # that the model reads and writes
    search: Search
    most: int | None = None  # texts, spread evenly over all

    @property
    def path(self) -> Path:
        """The file that it is or will be."""
        return self.folder / f"{fingerprint(self.ingredients)}.tsv"

    @property
    def parts(self) -> Path:
        """The folder of what is there of it while it is being made."""
        return self.path.with_suffix(".parts")


def make(plan: Plan, read: Callable[[], Iterator[str]], load: Callable[[], Translator], say: Say) -> Path:
    """The file of a corpus: as it is there, or made from where it stands. `read` gives the texts, `load` the model."""
    if plan.path.exists():
        say(f"The synthetic pairs were made before: {plan.path}")
    else:
        plan.parts.mkdir(parents=True, exist_ok=True)
        texts = plan.parts / TEXTS
        if not texts.exists():
            _write_texts(texts, read())
        total = _count_lines(texts)
        wanted = min(total, plan.most or total)
        if wanted < total:
            say(f"{wanted:,} of {total:,} texts are used, from all over; data.synthetic.most sets how many.")
        _translate(plan, _spread(texts, total, wanted), wanted, load, say)
        pairs = _join(plan)
        say(f"{pairs:,} synthetic pairs; left out: {wanted - pairs:,} ({UNUSABLE}).")
    shutil.rmtree(plan.parts, ignore_errors=True)
    for left in plan.folder.glob(".*.tsv.*"):  # half-written, by a sudden end
        left.unlink()
    return plan.path


def _write_texts(path: Path, texts: Iterator[str]) -> None:
    count = 0
    with replacing(path) as out:
        for text in texts:
            out.write(f"{text}\n".encode())
            count += 1
        if not count:
            raise CorpusError("no text can be translated: every line is empty, too long or in another language")


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _spread(path: Path, total: int, wanted: int) -> Iterator[str]:
    """As many of the texts as are wanted, spread evenly over all: corpora are often sorted."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file):
            if number * wanted // total != (number + 1) * wanted // total:
                yield line[:-1]


def _translate(plan: Plan, texts: Iterator[str], total: int, load: Callable[[], Translator], say: Say) -> None:
    """Write every chunk that is not there."""
    translator: Translator | None = None
    done = made = 0
    begun = told = time.monotonic()
    for number, chunk in enumerate(_chunks(texts)):
        path = plan.parts / f"{number:06}.tsv"
        done += len(chunk)
        if path.exists():
            continue
        if translator is None:
            translator = load()
            say(_announcement(translator, plan, total, done - len(chunk)))
            begun = told = time.monotonic()
        write_file(path, "".join(_lines(translator.translate_with(chunk, plan.search))).encode())
        made += len(chunk)
        now = time.monotonic()
        if now - told > TELL_SECONDS and done < total:
            told = now
            say(f"  {100 * done // total} % translated, {span((now - begun) / made * (total - done))} left")


def _chunks(texts: Iterator[str]) -> Iterator[list[str]]:
    while chunk := list(islice(texts, CHUNK)):
        yield chunk


def _announcement(translator: Translator, plan: Plan, total: int, before: int) -> str:
    chosen = translator.engine_for(plan.search)
    told = f"Translating {total:,} texts from {translator.source} to {translator.target}, beam {plan.search.beam}"
    again = f"; {before:,} were translated before" if before else ""
    hint = "; an exported model would be faster: `mirada export`" if chosen.engine.name == "torch" else ""
    return f"{told}, with {chosen.engine.name} ({chosen.why}){again}{hint}."


def _lines(translations: Iterable[Translation]) -> Iterator[str]:
    for one in translations:
        if SPOILT.isdisjoint(one.flags):
            yield f"{one.source}\t{' '.join(one.text.split())}\n"


def _join(plan: Plan) -> int:
    """Write the whole file from its parts; return how many pairs it has."""
    pairs = 0
    with replacing(plan.path) as out:
        out.write("\t".join(plan.languages).encode() + b"\n")
        for part in sorted(plan.parts.glob("[0-9]*.tsv")):
            data = part.read_bytes()
            pairs += data.count(b"\n")
            out.write(data)
        if not pairs:
            raise CorpusError(f"no translation can be used: all are {UNUSABLE}")
    return pairs
