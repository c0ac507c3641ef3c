"""Filling plain text and tables: a line for a line, a row for a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from mirada.corpora.filled import Filled
from mirada.corpora.filling_job import Job
from mirada.corpora.lines import lines, shown
from mirada.corpora.pair import Fault, Place
from mirada.corpora.pieces import BATCH, translated
from mirada.corpora.tsv import Layout, Row, delimiter, find_layout, is_csv, read_rows
from mirada.corpora.writing import Sink
from mirada.text.asking import Asked, in_documents
from mirada.text.context import Before, Context


class BeforeRows:
    """What stands before the rows of a table, document by document."""

    def __init__(self, count: int) -> None:
        self._before = Before(count)
        self._document = ""

    def pass_by(self, row: Row, layout: Layout | None) -> Context:
        """What stands before the source of a row; a row without one ends a document."""
        if layout is None or len(row) <= layout.source:
            self._before.end()
            return ()
        document = layout.document_of(row)
        if document != self._document:
            self._before.end()
        self._document = document
        return self._before.pass_by(row[layout.source])


def fill_plain(job: Job, out: Sink) -> None:
    """One line for each line; a line at fault becomes an empty one, so that the lines still match."""
    texts = in_documents(_texts(job.path, job.filled), job.context)
    for number, (text, answer) in enumerate(translated(texts, job.translate, job.context), start=1):
        if text.strip():
            job.filled.judge(text, answer, Place(str(job.path), number))
        out.write(answer.encode("utf-8", "replace") + b"\n")


def _texts(path: Path, filled: Filled) -> Iterator[str]:
    for line in lines(path):
        if isinstance(line, Fault):
            filled.review.append(line)
            yield ""
        else:
            yield line


def fill_table(job: Job, out: Sink, columns: Sequence[str] | None) -> None:
    """A row for each row, with the target's column filled and the others untouched."""
    path, rows = job.path, read_rows(job.path)
    layout: Layout | None = None
    before = BeforeRows(job.context)
    while batch := list(islice(rows, BATCH)):
        if layout is None:
            first = next((row for _, row in batch if not isinstance(row, Fault)), None)
            layout = find_layout(path, first, *job.asked, columns) if first else None
            if layout is not None and layout.header and first:
                batch = [(number, row) for number, row in batch if row is not first]
                out.write(_written(first, path))
        done = [_row(job, number, row, layout) for number, row in batch]
        contexts = [before.pass_by(row, layout) for row, _, _ in done]
        texts = (Asked(text, context=own) for (_, text, _), own in zip(done, contexts, strict=True))
        answers = translated(texts, job.translate, job.context)
        for (row, text, place), (_, answer) in zip(done, answers, strict=True):
            if text and layout is not None:
                job.filled.judge(text, answer, place)
                row[layout.target] = answer
            out.write(_written(row, path))


def _row(job: Job, number: int, row: Row | Fault, layout: Layout | None) -> tuple[Row, str, Place]:
    """A row, the text in it that is to be translated (none if it is to be left alone), and its place."""
    place = Place(str(job.path), number)
    if isinstance(row, Fault) or layout is None or len(row) <= layout.source:
        fault = row if isinstance(row, Fault) else Fault(place, f"{len(row)} columns", shown("\t".join(row)))
        job.filled.review.append(fault)
        return ([""] if isinstance(row, Fault) else row), "", place
    row = row + [""] * (layout.width - len(row))
    if row[layout.target].strip() and not job.overwrite:
        job.filled.kept += 1
        return row, "", place
    return row, row[layout.source] if row[layout.source].strip() else "", place


def _written(row: Row, path: Path) -> bytes:
    if not is_csv(path):
        return ("\t".join(row) + "\n").encode("utf-8", "replace")
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter(path), lineterminator="\n").writerow(row)
    return text.getvalue().encode("utf-8", "replace")
