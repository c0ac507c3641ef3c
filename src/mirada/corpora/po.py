"""PO: gettext catalogues, with their plural forms."""

from __future__ import annotations

import codecs
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import polib

from mirada.corpora.languages import in_name, is_tag, matches, wrong_languages
from mirada.corpora.lines import shown
from mirada.corpora.opening import Meter, opened, unpacked_name
from mirada.corpora.pair import CorpusError, Fault, Passed, Place, Said, Unit
from mirada.corpora.pieces import lines_of
from mirada.corpora.tmx import pair_texts

CATALOGUE_BYTES = 1 << 26  # polib holds a catalogue whole
PLURALS = 10  # forms of the plural; Arabic has 6
CHARSET = re.compile(rb'"Content-Type:[^"]*charset=([A-Za-z0-9._\-]+)', re.IGNORECASE)
OPEN_QUOTE = re.compile(r'\s*(?:#~\s*)?(?:msg[a-z_]+(?:\[\d+\])?\s*)?"(?!.*"\s*$)')
UNESCAPED = re.compile("[\udc80-\udcff]")  # what surrogateescape makes of bytes that are no text

# polib takes these for ends of lines, and a text may hold them: they travel as signs of a private plane.
SEPARATORS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
HIDE = {ord(sign): 0xF0000 + ord(sign) for sign in SEPARATORS}
SHOW = {hidden: sign for sign, hidden in HIDE.items()}


def read_po(path: Path, source: str, target: str, meter: Meter | None = None) -> Iterator[Unit]:
    """The pairs of a catalogue. Its source has no named language: it is --from (or --to, read backward)."""
    catalogue = load(path, meter)
    backward = _is_backward(path, catalogue, source, target)
    for entry in catalogue:
        place = Place(str(path), entry.linenum or 1)
        fault = _fault(entry, place, backward)
        if fault is not None:
            yield fault
            continue
        said, firsts = _said(entry)
        for one, other in _texts(catalogue, entry):
            left, right = (text.translate(SHOW) for text in ((other, one) if backward else (one, other)))
            if backward:
                yield from pair_texts(left, right, place, Said(lines_of(left)))
            else:
                yield from pair_texts(left, right, place, said, firsts[one])


def load(path: Path, meter: Meter | None = None) -> polib.POFile:
    """A catalogue; bytes that are no text in its charset become lone surrogates."""
    with opened(path, meter) as stream:
        data = stream.read(CATALOGUE_BYTES + 1)
    if len(data) > CATALOGUE_BYTES:
        raise CorpusError(f"{path} has more than {CATALOGUE_BYTES:,} bytes, the most of a catalogue; split it")
    text = _decoded(path, data).translate(HIDE)
    if "msgid" not in text:  # polib would take such a text for the name of a file
        raise CorpusError(f"{path} has no msgid; a catalogue of gettext is expected")
    _require_closed_quotes(path, text)
    try:
        return polib.pofile(text + "\n", wrapwidth=78)
    except (OSError, ValueError, IndexError, KeyError, AttributeError, TypeError) as problem:
        told = re.sub(r"Syntax error in po file\s*", "", str(problem)).strip()
        raise CorpusError(f"{path} cannot be parsed as PO: {told}; msgfmt -c says more") from problem


def _require_closed_quotes(path: Path, text: str) -> None:
    """polib drops the last sign of a line without asking whether it is a quotation mark."""
    for number, line in enumerate(text.split("\n"), start=1):
        if OPEN_QUOTE.match(line):
            raise CorpusError(f"{path} cannot be parsed as PO: line {number} does not end with a quotation mark")


def _decoded(path: Path, data: bytes) -> str:
    named = CHARSET.search(data)
    charset = named[1].decode("ascii") if named else "utf-8"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = "utf-16"
    try:
        codecs.lookup(charset)
        return data.removeprefix(codecs.BOM_UTF8).decode(charset, "surrogateescape")
    except (LookupError, UnicodeError) as problem:
        if charset.upper() == "CHARSET":  # as a template leaves it
            return data.decode("utf-8", "surrogateescape")
        raise CorpusError(f"{path} names the charset {charset}, which does not fit; convert it to UTF-8") from problem


def language(path: Path, catalogue: polib.POFile) -> str:
    """The language of the translations, from the header or else the name of the file; may be empty."""
    header = catalogue.metadata.get("Language", "").strip()
    if header and is_tag(header):
        return header
    named = in_name(unpacked_name(path).rpartition(".")[0])
    return named[1] if named else ""


def _is_backward(path: Path, catalogue: polib.POFile, source: str, target: str) -> bool:
    given = language(path, catalogue)
    if not given or matches(target, given):
        return False
    if matches(source, given):
        return True
    raise wrong_languages(path, [given], source, target)


def _fault(entry: polib.POEntry, place: Place, backward: bool) -> Fault | None:
    """Why an entry cannot be used, if so; what it says in the source's language is passed on, if that can be read."""
    text = shown(entry.msgid.translate(SHOW))
    if entry.obsolete:
        return Passed(place, "obsolete", text)
    reason = _reason(entry)
    if reason is None:
        return None
    readable = not backward and not UNESCAPED.search(entry.msgid + (entry.msgid_plural or ""))
    return Passed(place, reason, text, _said(entry)[0]) if readable else Fault(place, reason, text)


def _reason(entry: polib.POEntry) -> str | None:
    if entry.fuzzy:
        return "fuzzy: a guess that nobody confirmed"
    texts = [entry.msgid, entry.msgid_plural or "", entry.msgstr, *entry.msgstr_plural.values()]
    if UNESCAPED.search("".join(texts)):
        return "bytes that are no text in the charset of the file; convert it to UTF-8"
    return None if entry.translated() else "no target"


def _said(entry: polib.POEntry) -> tuple[Said, dict[str, int]]:
    """What an entry says in the language of its msgid, the singular first, and the line that each text begins with."""
    lines: list[str] = []
    firsts: dict[str, int] = {}
    for text in dict.fromkeys((entry.msgid, entry.msgid_plural or "")):
        firsts[text] = len(lines)
        lines.extend(lines_of(text.translate(SHOW)))
    return Said(tuple(lines)), firsts


def _texts(catalogue: polib.POFile, entry: polib.POEntry) -> Iterator[tuple[str, str]]:
    if not entry.msgid_plural:
        yield entry.msgid, entry.msgstr
        return
    singular = singular_form(catalogue)
    for form, text in sorted(entry.msgstr_plural.items()):
        yield (entry.msgid if form == singular else entry.msgid_plural), text


def plural_rule(catalogue: polib.POFile) -> tuple[int, str] | None:
    """The number of forms and the expression that chooses among them, from the header."""
    header = catalogue.metadata.get("Plural-Forms", "")
    found = re.search(r"nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]{1,500})", header)
    return (min(int(found[1]), PLURALS), found[2].strip()) if found else None


def singular_form(catalogue: polib.POFile) -> int | None:
    """The form that is used for 1 and not for others; None where a language has one form for all."""
    rule = plural_rule(catalogue)
    if rule is None:
        return 0
    forms, expression = rule
    if forms < 2:
        return None
    try:
        return gettext.c2py(expression)(1)
    except (ValueError, RecursionError):
        return 0
