"""Catalogues: plural forms, what is not confirmed, and the language of the translations."""

import os
from pathlib import Path

import pytest

from mirada.corpora.pair import CorpusError, Fault, Pair
from mirada.corpora.plurals import rule_of
from mirada.corpora.po import read_po

DATA = Path(os.environ.get("MIRADA_DATA", "absent"))
HEADER = """msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset={charset}\\n"
"Plural-Forms: {plurals}\\n"

"""


def catalogue(
    folder: Path,
    body: str,
    language: str = "es",
    charset: str = "UTF-8",
    plurals: str = "nplurals=2; plural=(n != 1);",
    name: str = "x.po",
) -> Path:
    path = folder / name
    text = HEADER.format(language=language, charset=charset, plurals=plurals) + body
    path.write_bytes(text.encode(charset if charset != "CHARSET" else "UTF-8"))
    return path


def pairs(path: Path, source: str = "en", target: str = "es") -> list[tuple[str, str]]:
    return [(unit.source, unit.target) for unit in read_po(path, source, target) if isinstance(unit, Pair)]


CAT = 'msgctxt "animal"\nmsgid "cat"\nmsgstr "gato"\n'


def test_entries_are_pairs_with_the_number_of_their_line(tmp_path: Path) -> None:
    (unit,) = read_po(catalogue(tmp_path, CAT), "en", "es")
    assert isinstance(unit, Pair)
    assert (unit.source, unit.target, unit.place.number) == ("cat", "gato", 7)
    assert pairs(catalogue(tmp_path, CAT), "es", "en") == [("gato", "cat")]


def test_lines_are_paired_where_they_match(tmp_path: Path) -> None:
    body = 'msgid "one\\n"\n"two\\n"\nmsgstr "uno\\n"\n"dos\\n"\n\nmsgid "a\\nb"\nmsgstr "x y"\n'
    assert pairs(catalogue(tmp_path, body)) == [("one", "uno"), ("two", "dos"), ("a b", "x y")]


PLURAL = 'msgid "%d file"\nmsgid_plural "%d files"\n'


@pytest.mark.parametrize(
    ("plurals", "forms", "sources"),
    [
        ("nplurals=2; plural=(n != 1);", 2, ["%d file", "%d files"]),
        ("nplurals=1; plural=0;", 1, ["%d files"]),
        ("nplurals=3; plural=(n==0 ? 0 : n==1 ? 1 : 2);", 3, ["%d files", "%d file", "%d files"]),
        ("nplurals=2; plural=__import__('os');", 2, ["%d file", "%d files"]),
        ("", 2, ["%d file", "%d files"]),
    ],
)
def test_plural_forms(plurals: str, forms: int, sources: list[str], tmp_path: Path) -> None:
    body = PLURAL + "".join(f'msgstr[{n}] "form {n} %d"\n' for n in range(forms))
    found = pairs(catalogue(tmp_path, body, plurals=plurals))
    assert found == [(source, f"form {n} %d") for n, source in enumerate(sources)]


def test_what_nobody_confirmed_is_a_fault(tmp_path: Path) -> None:
    body = '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr ""\n\n#~ msgid "d"\n#~ msgstr "e"\n'
    reasons = [unit.reason for unit in read_po(catalogue(tmp_path, body), "en", "es") if isinstance(unit, Fault)]
    assert reasons == ["fuzzy: a guess that nobody confirmed", "no target", "obsolete"]


def test_the_charset_of_the_header_counts(tmp_path: Path) -> None:
    body = 'msgid "year"\nmsgstr "año"\n'
    assert pairs(catalogue(tmp_path, body, charset="ISO-8859-1")) == [("year", "año")]
    assert pairs(catalogue(tmp_path, body, charset="CHARSET")) == [("year", "año")]


def test_bytes_that_are_no_text_are_a_fault_of_their_entry(tmp_path: Path) -> None:
    path = catalogue(tmp_path, CAT)
    path.write_bytes(path.read_bytes() + b'\nmsgid "year"\nmsgstr "a\xf1o"\n')
    first, second = read_po(path, "en", "es")
    assert isinstance(first, Pair)
    assert isinstance(second, Fault)
    assert "convert it to UTF-8" in second.reason


def test_separators_within_a_text_are_text(tmp_path: Path) -> None:
    body = 'msgid "a\u2028b"\nmsgstr "c\x85d"\n'
    (pair,) = read_po(catalogue(tmp_path, body), "en", "es")
    assert isinstance(pair, Pair)
    assert (pair.source, pair.target) == ("a\u2028b", "c\x85d")


def test_the_language_is_in_the_header_or_the_name(tmp_path: Path) -> None:
    assert pairs(catalogue(tmp_path, CAT, language="es_MX")) == [("cat", "gato")]
    assert pairs(catalogue(tmp_path, CAT, language="", name="messages.po")) == [("cat", "gato")]
    with pytest.raises(CorpusError, match="holds the languages fr; en and es were asked for"):
        pairs(catalogue(tmp_path, CAT, language="fr"))
    with pytest.raises(CorpusError, match="holds the languages de;"):
        pairs(catalogue(tmp_path, CAT, language="", name="messages.de.po"))


@pytest.mark.parametrize("content", [b"", b"/etc/hostname", b"garbage\n", b'msgid "a\nmsgstr "b"\n', b'msgid ""x"\n'])
def test_what_is_no_catalogue_is_an_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=r"x\.po (has no msgid|cannot be parsed)"):
        list(read_po(path, "en", "es"))


def test_rules_of_languages() -> None:
    assert "nplurals=2; plural=(n != 1)" in rule_of("es")
    assert "(n > 1)" in rule_of("pt-BR")
    assert "(n != 1)" in rule_of("pt")
    assert "nplurals=1" in rule_of("zh-Hant-TW")
    assert "nplurals=3" in rule_of("pl")


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="MIRADA_DATA names no folder with corpora")
def test_real_catalogues() -> None:
    found = [unit for path in sorted(DATA.glob("po/tutorial/*.po")) for unit in read_po(path, "en", "es")]
    assert sum(isinstance(unit, Pair) for unit in found) > 900
    assert {unit.reason for unit in found if isinstance(unit, Fault)} <= {
        "obsolete",
        "no target",
        "fuzzy: a guess that nobody confirmed",
    }
