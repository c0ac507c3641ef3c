"""Filling: a file with its translations put in, in the format that it had."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mirada.corpora.filled import Filled
from mirada.corpora.filling_job import Job
from mirada.corpora.filling_lines import fill_plain, fill_table
from mirada.corpora.filling_po import fill_po
from mirada.corpora.filling_tmx import fill_tmx
from mirada.corpora.filling_xliff import fill_xliff
from mirada.corpora.languages import normalise
from mirada.corpora.opening import require_file
from mirada.corpora.pair import CorpusError
from mirada.corpora.pieces import Translate
from mirada.corpora.reading import format_of
from mirada.corpora.writing import replacing


def fill(
    path_in: Path,
    path_out: Path,
    source: str,
    target: str,
    translate: Translate,
    columns: Sequence[str] | None = None,
    overwrite: bool = False,
    context: int = 0,
) -> Filled:
    """Translate what a file has not yet translated, or with `overwrite` everything, into a file of its format.

    Each text comes with up to `context` others that stand before it in its document, translated or not.

    States are set and tags kept. A translation that lost or added a protected symbol is marked for review where
    the format can say so (XLIFF's state, PO's fuzzy, a TMX prop), and listed in the result.
    """
    asked = normalise(source), normalise(target)
    require_file(path_in)
    kind = format_of(path_in, asked)
    if format_of(path_out, asked) != kind:
        raise CorpusError(f"{path_in} is {kind} and {path_out} is not; give both the same suffix")
    job = Job(path_in, asked, translate, overwrite, context)
    with replacing(path_out) as out:
        match kind:
            case "plain":
                fill_plain(job, out)
            case "table":
                fill_table(job, out, columns)
            case "TMX":
                fill_tmx(job, out)
            case "XLIFF":
                fill_xliff(job, out)
            case _:
                fill_po(job, out)
    return job.filled
