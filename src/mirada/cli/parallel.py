"""Two plain files, line for line: sentences and their translations, or no run at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mirada.cli.failure import FAILED, fail


@dataclass(frozen=True)
class Pairs:
    """Sentences and what a person made of them, line by line."""

    sources: list[str]
    targets: list[str]


def read_pairs(source: Path, target: Path) -> Pairs:
    """Both files, which must have the same number of lines, and one at least."""
    texts = Pairs(list(lines_of(source)), list(lines_of(target)))
    for path, read in ((source, texts.sources), (target, texts.targets)):
        if not read:
            fail(f"{path} is empty; it must hold a sentence on each line", FAILED)
    require_as_many(source, len(texts.sources), target, len(texts.targets))
    return texts


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file; one that is no text ends the run, since leaving it out would shift or flatter the rest."""
    from mirada.corpora.lines import lines
    from mirada.corpora.pair import Fault

    for line in lines(path):
        if isinstance(line, Fault):
            fail(f"{line.place}: {line.reason}", FAILED)
        yield line


def require_as_many(one: Path, count: int, other: Path, others: int) -> None:
    """Refuse files that differ in their number of lines."""
    if count != others:
        fail(
            f"{one} has {count:,} lines and {other} has {others:,}; they must have the same number, line for line",
            FAILED,
        )


def require_place(option: str, place: Path | None, files: Sequence[Path]) -> None:
    """Refuse a place that cannot be written, or is one of the files to read, before an hour is spent."""
    if place is None:
        return
    if place.is_dir() or not place.parent.is_dir():
        fail(f"{option} {place} cannot be written; name a file in a directory that exists")
    if place.exists() and any(file.exists() and place.samefile(file) for file in files):
        fail(f"{option} {place} is one of the files to read and would be overwritten; give another name")
