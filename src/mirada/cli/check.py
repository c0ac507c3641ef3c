"""`mirada check`: what a corpus is worth, before a minute is spent on training."""

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.columns import two_columns
from mirada.cli.failure import FAILED, fail, failing
from mirada.cli.saying import Quiet, Verbose, bar, begin, detail, is_quiet, is_verbose, print_json, say

if TYPE_CHECKING:
    from mirada.corpora.findings import CheckReport, DropsFile
    from mirada.corpora.opening import Meter
    from mirada.corpora.pair import Unit
    from mirada.corpora.prepare import Divided, Gathered, Settings
    from mirada.corpora.verdict import Verdict

LENGTHS = (5, 10, 20, 30, 50, 100)  # most words in each row of the histogram but the last
BAR = 20  # columns of its longest bar
EVERY = 256  # units between two looks at the meter


@dataclass(frozen=True)
class Leak:
    """How many pairs of one of the user's own parts have a text that stands in another of them."""

    part: str
    other: str
    pairs: int
    total: int

    def __str__(self) -> str:
        found = f"{self.pairs:,} of {self.total:,} pairs of {self.part} stand, exactly or nearly, in {self.other} too"
        if self.other == "train":
            return f"{found}; there they are left out."
        return f"{found}; scores on {self.other} would flatter: take them out of {self.part}."

    def as_json(self) -> dict[str, object]:
        """The leak for programs."""
        return {"part": self.part, "other": self.other, "pairs": self.pairs, "total": self.total}


@dataclass(frozen=True)
class Row:
    """A row of the histogram: how many texts of either side have `shortest` to `longest` words."""

    shortest: int
    longest: int | None
    source: int
    target: int

    def __str__(self) -> str:
        return f"{self.shortest}–{self.longest}" if self.longest is not None else f"{self.shortest} or more"

    def as_json(self) -> dict[str, object]:
        """The row for programs."""
        return {"shortest": self.shortest, "longest": self.longest, "source": self.source, "target": self.target}


@dataclass(frozen=True)
class Findings:
    """All that is known of a corpus: how it was understood, what became of it, and what can be made of it."""

    settings: "Settings"
    inputs: Mapping[str, Sequence[str]]  # of train, and of dev and test where the user has his own
    gathered: Mapping[str, "Gathered"]
    divided: "Divided"
    leaks: Sequence[Leak]
    rows: Sequence[Row]
    verdict: "Verdict"

    @property
    def report(self) -> "CheckReport":
        """The account of the corpus."""
        return self.divided.gathered.report

    @property
    def split(self) -> dict[str, int]:
        """The pairs of each part; what is left out of train stands in dev or test, exactly or nearly."""
        from mirada.corpora.prepare import LEFT_OUT
        from mirada.corpora.split import Side

        counts = {part: self.divided.count(Side[part.upper()]) for part in ("train", "dev", "test")}
        counts |= {part: len(self.gathered[part].spool) for part in ("dev", "test") if part in self.gathered}
        return counts | {"left_out": sum(self.divided.count(side) for side in LEFT_OUT)}

    @property
    def usable(self) -> bool:
        """Whether something is left to train on."""
        return self.verdict.usable and self.split["train"] > 0

    def as_json(self) -> dict[str, object]:
        """The findings for programs."""
        return {
            "usable": self.usable,
            "from": self.settings.source,
            "to": self.settings.target,
            "inputs": {part: list(lines) for part, lines in self.inputs.items()},
            "accounts": {part: one.report.as_json() for part, one in self.gathered.items()},
            "split": self.split,
            "leaks": [leak.as_json() for leak in self.leaks],
            "lengths": [row.as_json() for row in self.rows],
            "verdict": self.verdict.as_json(),
            **({"context": self._context_as_json()} if self.settings.context else {}),
        }

    def _context_as_json(self) -> dict[str, object]:
        parts = {
            part: {"documents": one.documents, "pairs": len(one.spool), "behind": one.behind}
            for part, one in self.gathered.items()
        }
        return {"sentences": self.settings.context, "parts": parts}


@failing()
def check(
    data: Annotated[list[Path], typer.Argument(help="TMX, XLIFF, PO, TSV or CSV files, or pairs of plain files.")],
    source: Annotated[str, typer.Option("--from", help="The language to translate from, such as en.")],
    target: Annotated[str, typer.Option("--to", help="The language to translate to, such as de.")],
    columns: Annotated[str | None, typer.Option(help="The columns of tables: names or numbers, such as 1,3.")] = None,
    dev: Annotated[list[Path] | None, typer.Option(help="A development file of your own; may be repeated.")] = None,
    test: Annotated[list[Path] | None, typer.Option(help="A test file of your own; may be repeated.")] = None,
    context: Annotated[
        int, typer.Option(min=0, help="Sentences before it that a source is to be read with, as `train` would.")
    ] = 0,
    report: Annotated[Path | None, typer.Option(help="List every dropped pair and its reason in this .tsv.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Check whether files can train a translator, and what to expect of it."""
    from mirada.corpora.languages import normalise
    from mirada.corpora.prepare import Settings
    from mirada.text.context import MOST

    begin(quiet, verbose)
    parts = {part: files for part, files in (("train", data), ("dev", dev), ("test", test)) if files}
    _require_new(report, [file for files in parts.values() for file in files])
    if context > MOST:
        fail(f"--context {context} is too many sentences; use 0 to {MOST}")
    settings = Settings(normalise(source), normalise(target), context=context)
    with tempfile.TemporaryDirectory(prefix="mirada-check-") as folder, _drops(report) as drops:
        findings = _study(parts, settings, two_columns(columns), Path(folder), drops)
        if as_json:
            print_json(findings.as_json())
        else:
            typer.echo("\n".join(_lines(findings)))
    _say_more(findings, report)  # now that the report is closed, and so on the disk
    if not findings.usable:
        fail(_why_nothing(findings, data), FAILED)


def _require_new(report: Path | None, files: Sequence[Path]) -> None:
    """Refuse to write the report over a file that is to be checked."""
    if report is not None and any(file.exists() and report.exists() and report.samefile(file) for file in files):
        fail(f"--report {report} is one of the files to check and would be overwritten; give it another name")


def _drops(report: Path | None) -> "contextlib.AbstractContextManager[DropsFile | None]":
    from mirada.corpora.findings import DropsFile

    return contextlib.nullcontext() if report is None else DropsFile(report)


def _study(
    parts: Mapping[str, list[Path]],
    settings: "Settings",
    columns: list[str] | None,
    folder: Path,
    drops: "DropsFile | None",
) -> Findings:
    """Read, check and divide; how all files are understood is settled before the first is read through."""
    from mirada.corpora.prepare import divide, gather
    from mirada.corpora.reading import meter_of, read, sources
    from mirada.corpora.verdict import judge

    languages = settings.source, settings.target
    inputs = {part: sources(files, *languages, columns) for part, files in parts.items()}
    gathered = {}
    for part, files in parts.items():
        meter = meter_of(files)
        units = _watched(read(files, *languages, columns, meter), meter, f"checking {part}")
        gathered[part] = gather(units, settings, folder / part, drops)
    leaks = _leaks(gathered)
    divided = divide(gathered["train"], settings, gathered.get("dev"), gathered.get("test"), drops)
    return Findings(settings, inputs, gathered, divided, leaks, _histogram(divided), judge(gathered["train"].report))


def _watched(units: "Iterator[Unit]", meter: "Meter", what: str) -> "Iterator[Unit]":
    """The units as they come, with a bar that follows the meter."""
    with bar(what, meter.total) as show:
        for number, unit in enumerate(units):
            if number % EVERY == 0:
                show(meter.done)
            yield unit


def _leaks(gathered: "Mapping[str, Gathered]") -> list[Leak]:
    """What the user's own parts share, before the split takes it out of train."""
    from mirada.corpora.prepare import leak

    pairs = (("dev", "train"), ("test", "train"), ("dev", "test"))
    return [
        Leak(part, other, leak(gathered[part], gathered[other]), len(gathered[part].spool))
        for part, other in pairs
        if part in gathered and other in gathered
    ]


def _histogram(divided: "Divided") -> list[Row]:
    """The lengths of the pairs that are used, in words of either side."""
    import numpy as np

    from mirada.corpora.split import Side
    from mirada.corpora.spool import in_chunks
    from mirada.evaluation.translation import count_words

    counts = np.zeros((2, len(LENGTHS) + 1), dtype=np.int64)
    rows = divided.sides <= Side.TEST
    with bar("measuring", int(np.count_nonzero(rows))) as show:
        for pairs in in_chunks(divided.gathered.spool.chosen(rows)):
            for side in (0, 1):
                places = np.searchsorted(LENGTHS, count_words([pair[side] for pair in pairs]))
                counts[side] += np.bincount(places, minlength=len(LENGTHS) + 1)
            show(int(counts[0].sum()))
    bounds = zip((0, *LENGTHS), (*LENGTHS, None), *counts.tolist(), strict=True)
    return [Row(below + 1, longest, *both) for below, longest, *both in bounds if any(both)]


def _lines(findings: Findings) -> Iterator[str]:
    """The findings for people."""
    if not is_quiet():
        for part, inputs in findings.inputs.items():
            yield from (f"{part}: {one}" for one in inputs)
        yield ""
    for part, gathered in findings.gathered.items():
        lines = gathered.report.lines()
        yield f"{part}: {next(lines)}" if len(findings.gathered) > 1 else next(lines)
        yield from lines
        if findings.settings.context:
            yield gathered.told(part, findings.settings.context)
    split = findings.split
    yield (
        f"Divided: {split['train']:,} pairs to train on, {split['dev']:,} for dev, {split['test']:,} for test; "
        f"{split['left_out']:,} left out, since dev or test hold nearly the same."
    )
    yield from (str(leak) for leak in findings.leaks if leak.pairs)
    if findings.rows and not is_quiet():
        yield from ("", *_drawn(findings))
    yield from ("", str(findings.verdict))


def _drawn(findings: Findings) -> Iterator[str]:
    """The histogram as text, the source left and the target right."""
    glyph = _bar_glyph(sys.stdout.encoding)
    most = max(max(row.source, row.target) for row in findings.rows)
    yield f"{'words':>11}  {findings.settings.source:<{BAR + 10}}  {findings.settings.target}"
    for row in findings.rows:
        # Rounded up, so that one sentence is seen beside a million.
        source, target = (f"{glyph * -(-count * BAR // most)} {count:,}" for count in (row.source, row.target))
        yield f"{row!s:>11}  {source:<{BAR + 10}}  {target}"


def _bar_glyph(encoding: str | None) -> str:
    """What bars are made of, in a sign that an encoding can print."""
    try:
        "█".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "#"
    return "█"


def _say_more(findings: Findings, report: Path | None) -> None:
    """What is said about the findings: where the drops are listed, and with -v all examples of them."""
    if is_verbose():
        for part, gathered in findings.gathered.items():
            for reason, drops in gathered.report.examples.items():
                for drop in drops:
                    detail(f"{part}: {drop.place}: {reason}: {drop.detail}")
    if report is not None:
        dropped = sum(one.report.dropped.total() for one in findings.gathered.values())
        say(f"{report} written: {dropped:,} dropped")


def _why_nothing(findings: Findings, data: Sequence[Path]) -> str:
    """Why no pair is left to train on, and what to do about it."""
    account, names = findings.report, ", ".join(map(str, data[:3])) + (", …" if len(data) > 3 else "")
    if account.read == 0:
        return f"{names}: there is no pair of sentences; name files with text in {_languages(findings)}"
    if account.kept == 0:
        reason, count = account.dropped.most_common(1)[0]
        return (
            f"{names}: none of {account.read:,} pairs can be used; {count:,} were dropped for: {reason}; "
            "look at --from and --to, and list all with --report drops.tsv"
        )
    return f"{names}: all {account.kept:,} usable pairs went to dev and test, none is left to train on; add data"


def _languages(findings: Findings) -> str:
    return f"{findings.settings.source} and {findings.settings.target}"
