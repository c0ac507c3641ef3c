"""`mirada translate`: lines from standard input or a file, in any format that Mirada can fill."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from mirada.cli.asking import Asking
from mirada.cli.columns import two_columns
from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, detail, print_json, say

if TYPE_CHECKING:
    from mirada.corpora.pair import Fault
    from mirada.corpora.writing import Sink
    from mirada.decoding.options import Search
    from mirada.translator import FileSummary, Tally, Translation, Translator

LONGEST_LINE = 10_000_000  # bytes of a line of plain text: a book; it is translated sentence by sentence
REVIEWS_TOLD = 20  # more are told with -v, and all in the JSON


class EngineChoice(StrEnum):
    """What may compute."""

    AUTO = "auto"
    NATIVE = "native"
    TORCH = "torch"
    CTRANSLATE2 = "ctranslate2"


class MeanChoice(StrEnum):
    """What models that translate together take the mean of."""

    PROBABILITIES = "probabilities"
    LOGS = "logs"


def translate(
    model: Annotated[Path, typer.Argument(help="The folder of a trained or exported model.", show_default=False)],
    input_file: Annotated[
        Path | None,
        typer.Option("--input", "-i", help="A .txt, .tsv, .csv, .tmx, .xlf or .po file instead of standard input."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write here instead of standard output; the format is that of the input."),
    ] = None,
    beam: Annotated[int, typer.Option(help="Candidates of beam search; 1 is greedy.")] = 5,
    n_best: Annotated[
        int,
        typer.Option(
            help="Translations of each line. With 2 or more: N lines each, as rank, score and text with tabs."
        ),
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")] = False,
    sampling: Annotated[bool, typer.Option("--sample", help="Draw translations by chance.")] = False,
    temperature: Annotated[
        float | None, typer.Option(help="With --sample: below 1 more likely tokens, above 1 more various ones. [1.0]")
    ] = None,
    top_k: Annotated[int | None, typer.Option(help="With --sample: only so many of the likeliest tokens.")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="With --sample: only the likeliest tokens that reach this share. [1.0]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="With --sample: another seed, another draw. [0]")] = None,
    length_penalty: Annotated[float, typer.Option(help="0 prefers short translations, 1 the best mean.")] = 1.0,
    align: Annotated[
        bool,
        typer.Option(help="Say which source token each token came from: 0-0 1-2 behind a tab, or in the JSON."),
    ] = False,
    prefix: Annotated[str, typer.Option(help="What every translation begins with.", show_default=False)] = "",
    must: Annotated[
        list[str] | None, typer.Option(help="A phrase that every translation contains; may be given again.")
    ] = None,
    json_lines: Annotated[
        bool,
        typer.Option("--json-lines", help='Each line is {"text": "…"}, with its own "prefix" or "must": ["…"].'),
    ] = False,
    others: Annotated[
        list[Path] | None,
        typer.Option("--with", help="A model that translates together with the first; may be given again."),
    ] = None,
    mean: Annotated[MeanChoice, typer.Option(help="With --with: the mean of what.")] = MeanChoice.PROBABILITIES,
    columns: Annotated[str | None, typer.Option(help="The columns of a table: names or numbers, such as 1,3.")] = None,
    engine: Annotated[EngineChoice, typer.Option(help="What computes; auto is the fastest.")] = EngineChoice.AUTO,
    overwrite: Annotated[bool, typer.Option(help="Translate again what the file has translations for.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Translate: a line out for every line in, or a file in its own format with its translations put in.

    Translations that may be wrong (cut off, repeating, empty, with placeholders lost) are counted at the end.
    """
    begin(quiet, verbose)
    drawing = {"--temperature": temperature, "--top-k": top_k, "--top-p": top_p, "--seed": seed}
    _require_sampling(sampling, drawing)
    named = two_columns(columns)
    if align and n_best > 1:
        fail("--align and --n-best were both given; alignments are made for the best translation only, use one of them")
    if must and sampling:
        fail("--must and --sample were both given; phrases are found by beam search, use one of them")
    asking = Asking(prefix, tuple(must or ()), json_lines)
    with failing():
        from mirada.decoding.options import Search
        from mirada.text.asking import Asked

        try:
            Asked("", asking.prefix, asking.must)  # what cannot be asked of any line is a wrong use
            search = Search(
                beam=beam,
                n_best=n_best,
                length_penalty=length_penalty,
                sampling=sampling,
                temperature=1.0 if temperature is None else temperature,
                top_k=top_k,
                top_p=1.0 if top_p is None else top_p,
                seed=seed or 0,
            )
        except ValueError as error:
            fail(_as_options(str(error)))
        translator = _loaded(model, engine, others or [], mean)
        _tell_engine(translator, search, asking)
        by_line = _is_by_line(input_file, output, translator, search, align, asking)
        run = _Run(as_json, time.monotonic())
        if by_line or input_file is None or output is None:
            _translate_lines(translator, input_file, output, search, align, asking, run)
        else:
            summary = translator.translate_file(
                input_file,
                output,
                search,
                columns=named,
                overwrite=overwrite,
                listen=run.take,
                prefix=asking.prefix,
                must=asking.must,
            )
            say(f"{output} written")
            run.finish(translator, summary)


class _Run:
    """What is told when the translating is done."""

    def __init__(self, as_json: bool, begun: float) -> None:
        from mirada.translator import Tally

        self.as_json = as_json
        self.begun = begun
        self.tally: Tally = Tally()
        self.kept: list[dict[str, object]] = []

    def take(self, translation: "Translation") -> None:
        """Count a translation, and keep it where the JSON will show it."""
        self.tally.add(translation)
        if translation.flags:
            reasons = ", ".join(flag.meaning for flag in translation.flags)
            detail(f"translation {self.tally.translations:,} is {reasons}: {translation.text[:200]}")
        if self.as_json:
            self.kept.append(_as_json(translation))

    def finish(self, translator: "Translator", summary: "FileSummary | None" = None) -> None:
        """Say how it went."""
        seconds = time.monotonic() - self.begun
        if summary is not None:
            _tell_file(summary)
        say(f"{self.tally} ({seconds:.1f} s)")
        if self.as_json:
            told = _summary(translator, self.tally, seconds) | ({} if summary is None else _file_summary(summary))
            print_json({"translations": self.kept, "summary": told})


def _require_sampling(sampling: bool, drawing: dict[str, int | float | None]) -> None:
    given = [name for name, value in drawing.items() if value is not None]
    if given and not sampling:
        fail(f"{given[0]} was given without --sample; add --sample, or leave {given[0]} out")


def _as_options(sentence: str) -> str:
    """A sentence about the fields of a search, about the options of the verb."""
    for name in ("n_best", "length_penalty", "temperature", "top_k", "top_p", "beam"):
        sentence = sentence.replace(f"{name} = ", f"--{name.replace('_', '-')} ")
    return sentence


def _is_by_line(
    input_file: Path | None,
    output: Path | None,
    translator: "Translator",
    search: "Search",
    align: bool,
    asking: Asking,
) -> bool:
    """Whether lines are translated, and not a file filled; what cannot be done is a wrong use."""
    if input_file is None:
        return True
    from mirada.corpora.reading import format_of

    if output is not None and output.exists() and input_file.exists() and output.samefile(input_file):
        fail(f"--input and --output are both {input_file}; name another output, so that the source stays")
    if asking.json_lines:
        return True
    kind = format_of(input_file, (translator.source, translator.target))
    if kind == "plain":
        return output is None or search.n_best > 1 or align
    if output is None:
        fail(f"{input_file} is filled in its own format ({kind}); say where to with --output")
    if search.n_best > 1 or align:
        option = "--n-best" if search.n_best > 1 else "--align"
        fail(f"{option} works with lines of plain text, and {input_file} is {kind}; leave {option} out")
    return False


def _loaded(folder: Path, engine: EngineChoice, others: list[Path], mean: MeanChoice) -> "Translator":
    from mirada.translator import Translator

    begun = time.monotonic()
    if others:
        translator = Translator.load(folder, engine.value, others, mean.value)
    else:
        translator = Translator.load(folder, engine.value)
    detail(
        f"{', '.join(map(str, (folder, *others)))}: {translator.source} to {translator.target}, "
        f"{translator.subwords.size:,} subwords, loaded in {time.monotonic() - begun:.1f} s"
    )
    return translator


def _tell_engine(translator: "Translator", search: "Search", asking: Asking) -> None:
    chosen = translator.engine_for(search, phrased=bool(asking.must))
    detail(f"engine: {chosen.engine.name} ({chosen.why})")


def _translate_lines(
    translator: "Translator",
    input_file: Path | None,
    output: Path | None,
    search: "Search",
    align: bool,
    asking: Asking,
    run: _Run,
) -> None:
    """A line, or N lines, for every line."""
    from mirada.translator import CHUNK_LINES

    faults: list[Fault] = []
    at_keyboard = input_file is None and sys.stdin.isatty()
    if at_keyboard:
        say("Type a line to have it translated; end with Ctrl-D.")
    lines = _standard_input(faults) if input_file is None else _file_lines(input_file, faults)
    asked = asking.read(lines, "standard input" if input_file is None else str(input_file), faults)
    with _written(output, run.as_json) as out:
        for translation in translator.translate_lines(
            asked, search, align=align, most=1 if at_keyboard else CHUNK_LINES
        ):
            run.take(translation)
            if out is not None:
                out.write(_as_text(translation, search.n_best, align).encode("utf-8", "replace"))
                if output is None:
                    sys.stdout.flush()
    for fault in faults[:REVIEWS_TOLD]:
        say(f"{fault.place}: {fault.reason}")
    run.finish(translator)


def _standard_input(faults: "list[Fault]") -> Iterator[str]:
    """The lines of standard input; bytes that are no UTF-8 become �, and are told."""
    from mirada.corpora.pair import Fault, Place

    stream: BinaryIO = sys.stdin.buffer
    for number, raw in enumerate(stream, start=1):
        line = (raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw).removesuffix(b"\n")
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as problem:
            reason = f"byte {problem.start + 1} is 0x{line[problem.start]:02x}, which is not UTF-8; convert the text"
            faults.append(Fault(Place("standard input", number), reason, ""))
            yield line.decode("utf-8", "replace")


def _file_lines(path: Path, faults: "list[Fault]") -> Iterator[str]:
    """The lines of a file; one that is no text is told, and becomes an empty one, so that the lines still match."""
    from mirada.corpora.lines import lines
    from mirada.corpora.pair import Fault

    for line in lines(path, limit=LONGEST_LINE):
        if isinstance(line, Fault):
            faults.append(line)
        yield "" if isinstance(line, Fault) else line


@contextlib.contextmanager
def _written(output: Path | None, as_json: bool) -> "Iterator[Sink | None]":
    """Where lines go: to the file, or to standard output unless the JSON goes there."""
    from mirada.corpora.writing import replacing

    if output is not None:
        with replacing(output) as sink:
            yield sink
    else:
        # Bytes, for the output is UTF-8 whatever the terminal speaks, and has \n on every system.
        yield None if as_json else sys.stdout.buffer


def _as_text(translation: "Translation", n_best: int, align: bool) -> str:
    """The lines of one translation."""
    if align:
        links = " ".join(f"{source}-{target}" for source, target in translation.alignment or ())
        return f"{_one_line(translation.text)}\t{links}\n"
    if n_best == 1:
        return translation.text.replace("\n", " ") + "\n"
    found: list[tuple[str, str]] = [(f"{translation.score:.4f}", _one_line(translation.text))]
    found += [(f"{other.score:.4f}", _one_line(other.text)) for other in translation.alternatives]
    # Always N lines, so that they can be counted: a rank that was not found has neither score nor text.
    found += [("", "")] * (n_best - len(found))
    return "".join(f"{rank}\t{score}\t{text}\n" for rank, (score, text) in enumerate(found, start=1))


def _one_line(text: str) -> str:
    """A text without the tabs and line breaks that would break columns."""
    return " ".join(text.split())


def _as_json(translation: "Translation") -> dict[str, object]:
    told: dict[str, object] = {
        "source": translation.source,
        "text": translation.text,
        "score": translation.score,
        "flags": [str(flag) for flag in translation.flags],
        "alternatives": [{"text": one.text, "score": one.score} for one in translation.alternatives],
    }
    if translation.alignment is not None:
        told["source_tokens"] = list(translation.source_tokens)
        told["tokens"] = list(translation.tokens)
        told["alignment"] = [list(link) for link in translation.alignment]
    return told


def _summary(translator: "Translator", tally: "Tally", seconds: float) -> dict[str, object]:
    return {
        "source": translator.source,
        "target": translator.target,
        "translations": tally.translations,
        "flagged": tally.flagged,
        "flags": {str(flag): count for flag, count in tally.flags.items()},
        "seconds": round(seconds, 3),
    }


def _file_summary(summary: "FileSummary") -> dict[str, object]:
    return {
        "units_translated": summary.translated,
        "units_kept": summary.kept,
        "review": [{"place": str(one.place), "reason": one.reason, "text": one.text} for one in summary.review],
    }


def _tell_file(summary: "FileSummary") -> None:
    for tell, faults in ((say, summary.review[:REVIEWS_TOLD]), (detail, summary.review[REVIEWS_TOLD:])):
        _tell_all(tell, faults)
    say(
        f"{summary.translated:,} units translated, {summary.kept:,} left as they were, "
        f"{len(summary.review):,} to be reviewed"
    )


def _tell_all(tell: "Callable[[str], None]", faults: "Iterable[Fault]") -> None:
    for fault in faults:
        tell(f"{fault.place}: {fault.reason}: {fault.text}")
