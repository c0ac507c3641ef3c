"""The texts that a model is given to translate: the sources of pairs, or lines of one language; each only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from pathlib import Path

from mirada.corpora.check import Limits, check
from mirada.corpora.findings import Kept
from mirada.corpora.lines import lines
from mirada.corpora.pair import CorpusError
from mirada.corpora.reading import format_of, meter_of, read
from mirada.text.hashes import Seen, hash_texts
from mirada.text.identify import LETTERS, Guard, can_judge
from mirada.text.normalise import control_in, normalise
from mirada.text.scripts import count_letters, expected_scripts
from mirada.training.preparing import Files, Say, telling

CHUNK = 4_096
FOREIGN_SHARE = 0.5  # of the lines in another language: then the file is the wrong one
ENOUGH = 1_000  # lines to say so


def sources_of(files: Files, longest: int, say: Say) -> Iterator[str]:
    """The sources of all pairs of the training files that can be used.

    Those that dev and test will hold are among them: which these are is for the split to say, and there what was made
    from them is left out.
    """
    meter = meter_of(files.train)
    units = telling(read(files.train, files.source, files.target, files.columns or None, meter), meter, say)
    outcomes = check(units, files.source, files.target, None, Limits(longest=longest))
    return distinct(outcome.pair.source for outcome in outcomes if isinstance(outcome, Kept))


def lines_of(paths: Sequence[Path], language: str, longest: int) -> Iterator[str]:
    """The lines of monolingual text that can be used: of at most `longest` characters, in this language."""
    for path in paths:
        kind = format_of(path, (language,))
        if kind != "plain":
            raise CorpusError(
                f"--monolingual {path} is no plain text but {kind}; use a file with a sentence on each line"
            )
    return distinct(text for path in paths for text in _in_language(path, _texts(path, longest), language))


def _texts(path: Path, longest: int) -> Iterator[str]:
    """The lines of a file that are text, normalised."""
    for line in lines(path):
        if isinstance(line, str) and len(line) <= 4 * longest and control_in(line) is None:
            text = normalise(line)
            if text and len(text) <= longest:
                yield text


def _in_language(path: Path, texts: Iterator[str], language: str) -> Iterator[str]:
    """The texts that are not surely in another language; a file most of which is in one is refused."""
    scripts, limits = expected_scripts(language), Limits()
    guard = Guard(language) if can_judge(language) else None
    read_so_far = foreign = 0
    while chunk := list(islice(texts, ENOUGH)):
        count = count_letters(chunk, scripts)
        for text, letters, expected in zip(chunk, count.letters.tolist(), count.expected.tolist(), strict=True):
            wrong = bool(scripts) and letters >= limits.script_letters and expected < limits.script_share * letters
            if not wrong and guard is not None and letters >= LETTERS:
                wrong = guard.surely_other(text) is not None
            foreign += wrong
            if not wrong:
                yield text
        read_so_far += len(chunk)
        if foreign > FOREIGN_SHARE * read_so_far:
            raise CorpusError(
                f"{foreign:,} of the first {read_so_far:,} lines of --monolingual {path} are not in {language}; "
                "give text in the language of --to"
            )


def distinct(texts: Iterable[str]) -> Iterator[str]:
    """The texts, each where it stands first."""
    seen, waiting = Seen(), iter(texts)
    while chunk := list(islice(waiting, CHUNK)):
        yield from compress(chunk, seen.add(hash_texts(chunk)).tolist())
