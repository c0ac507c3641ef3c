"""Filling PO: every entry without a translation, plural forms included."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polib

from mirada.corpora.filled import Filled
from mirada.corpora.filling_job import Job
from mirada.corpora.languages import matches, wrong_languages
from mirada.corpora.pair import Fault, Place
from mirada.corpora.pieces import translated
from mirada.corpora.plurals import rule_of
from mirada.corpora.po import HIDE, SHOW, UNESCAPED, language, load, plural_rule, singular_form
from mirada.corpora.writing import Sink
from mirada.text.asking import Asked
from mirada.text.context import Before, Context
from mirada.text.placeholders import symbols

DIRECTIVE = re.compile(r"%(?:\([^()]*\)|\d+\$)?[-+ #0']*[\d*]*(?:\.[\d*]+)?[hlLqjzt]*.?|\{[^{}]*\}|[{}]")


@dataclass(frozen=True, slots=True)
class Form:
    """A text of an entry that wants a translation: its only one (None), or one form of its plural."""

    entry: polib.POEntry
    number: int | None
    text: str
    place: Place
    context: Context = ()  # the entries before it


def fill_po(job: Job, out: Sink) -> None:
    """Translate what is untranslated or fuzzy; fuzzy afterwards is what lost a protected symbol."""
    catalogue = load(job.path)
    given = language(job.path, catalogue)
    if given and not matches(job.asked[1], given):
        raise wrong_languages(job.path, [given], *job.asked)
    _complete_header(catalogue, job.asked[1])
    forms = list(_waiting(job.path, catalogue, job.filled, job.overwrite, Before(job.context)))
    for form in forms:
        _begin(form.entry)
    texts = (Asked(form.text, context=form.context) for form in forms)
    for form, (text, answer) in zip(forms, translated(texts, job.translate, job.context), strict=True):
        _put(form, answer)
        kept = job.filled.judge(text, answer, form.place, not _breaks_format(form.entry, text, answer))
        if not kept and not form.entry.fuzzy:
            form.entry.flags.append("fuzzy")
    out.write((str(catalogue).rstrip("\n") + "\n").translate(SHOW).encode("utf-8", "replace"))


def _waiting(path: Path, catalogue: polib.POFile, filled: Filled, overwrite: bool, before: Before) -> Iterator[Form]:
    for entry in catalogue:
        place = Place(str(path), entry.linenum or 1)
        texts = () if entry.obsolete else (entry.msgid, entry.msgid_plural or "")
        contexts = {text: before.pass_lines(text.translate(SHOW)) for text in dict.fromkeys(texts)}
        unreadable = UNESCAPED.search("".join(texts))
        if unreadable:
            before.end()
        if entry.obsolete or (entry.translated() and not overwrite):
            filled.kept += 1
        elif unreadable:
            filled.review.append(Fault(place, "bytes that are no text in the charset of the file", ""))
        elif entry.msgid_plural:
            yield from _plural(catalogue, entry, place, contexts)
        else:
            yield Form(entry, None, entry.msgid.translate(SHOW), place, contexts[entry.msgid])


def _plural(
    catalogue: polib.POFile, entry: polib.POEntry, place: Place, contexts: dict[str, Context]
) -> Iterator[Form]:
    rule = plural_rule(catalogue)
    singular = singular_form(catalogue)
    for number in range(rule[0] if rule else 2):
        text = entry.msgid if number == singular else entry.msgid_plural
        yield Form(entry, number, text.translate(SHOW), place, contexts[text])


def _begin(entry: polib.POEntry) -> None:
    """What was only a guess goes, with the text that it was guessed from."""
    entry.msgstr_plural = {}
    entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]
    entry.previous_msgid = entry.previous_msgctxt = entry.previous_msgid_plural = None


def _breaks_format(entry: polib.POEntry, text: str, answer: str) -> bool:
    """Whether the program that uses a flagged text would stumble over its translation.

    In a text flagged as a format even "10% of" holds a directive, `% o`, as gettext and printf see it. Where those
    differ and are not symbols that were compared already, a person must look.
    """
    if not any(flag.endswith("-format") and not flag.startswith("no-") for flag in entry.flags):
        return False
    loose = DIRECTIVE.findall(text), DIRECTIVE.findall(answer)
    known = {*symbols(text), *symbols(answer)}
    return Counter(loose[0]) != Counter(loose[1]) and not known.issuperset(loose[0] + loose[1])


def _put(form: Form, answer: str) -> None:
    if form.number is None:
        form.entry.msgstr = answer.translate(HIDE)
    else:
        form.entry.msgstr_plural[form.number] = answer.translate(HIDE)


def _complete_header(catalogue: polib.POFile, target: str) -> None:
    """The language, the charset of what is written, and a rule for plurals where they are needed."""
    header = catalogue.metadata
    header["MIME-Version"] = header.get("MIME-Version", "1.0")
    header["Content-Type"] = "text/plain; charset=UTF-8"
    header["Content-Transfer-Encoding"] = "8bit"
    if not header.get("Language", "").strip():
        header["Language"] = target.replace("-", "_")
    # A template's rule is a form to fill in, "nplurals=INTEGER", which msgfmt refuses.
    wanted = "Plural-Forms" in header or any(entry.msgid_plural for entry in catalogue)
    if wanted and plural_rule(catalogue) is None:
        header["Plural-Forms"] = rule_of(target)
    catalogue.metadata_is_fuzzy = False
