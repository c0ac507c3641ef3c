"""Filling files: translations in, everything else as it was, and valid for the tools of each format."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from lxml import etree

from mirada.corpora.filled import Filled
from mirada.corpora.filling import fill
from mirada.corpora.opening import opened
from mirada.corpora.pair import CorpusError, Pair
from mirada.corpora.reading import read
from mirada.text.asking import Asked
from mirada.text.placeholders import SYMBOLS

DATA = Path(os.environ.get("MIRADA_DATA", "absent"))
real = pytest.mark.skipif(not DATA.is_dir(), reason="MIRADA_DATA names no folder with corpora")
asked: list[str] = []
before: list[tuple[str, ...]] = []


def shout(texts: list[Asked]) -> list[str]:
    """A translator for tests: every word in capitals, every protected symbol as it was."""
    asked.extend(one.text for one in texts)
    before.extend(one.context for one in texts)
    done = []
    for text in (one.text for one in texts):
        parts = re.split(f"({SYMBOLS.pattern})", text)
        done.append("".join(part if SYMBOLS.fullmatch(part) else part.upper() for part in parts if part))
    return done


def forget(texts: list[Asked]) -> list[str]:
    """A translator that loses every protected symbol."""
    return ["X" for _ in texts]


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    asked.clear()
    before.clear()


def filled(
    path: Path, content: str | bytes, translate: Callable[[list[Asked]], list[str]] = shout, **more: object
) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    out = path.with_name(f"out.{path.name}")
    result = fill(path, out, "en", "es", translate, **more)  # type: ignore[arg-type]
    assert isinstance(result, Filled)
    results.append(result)
    with opened(out) as stream:
        return stream.read().decode()


results: list[Filled] = []


def test_plain_text_keeps_its_lines(tmp_path: Path) -> None:
    text = filled(tmp_path / "x.en", b"one %s\n\n  two \n123 {0}\nbad\xff\n\xef\xbb\xbflast")
    assert text.split("\n") == ["ONE %s", "", "  TWO ", "123 {0}", "", "\ufeffLAST", ""]
    assert asked == ["one %s", "two", "\ufefflast"]
    assert (results[-1].translated, len(results[-1].review)) == (4, 1)
    assert results[-1].review[0].place.number == 5


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_what_is_written_is_packed_as_it_is_named(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("one\n")
    out = tmp_path / f"y.txt{suffix}"
    fill(tmp_path / "x.txt", out, "en", "es", shout)
    with opened(out) as stream:
        assert stream.read() == b"ONE\n"


def test_many_lines_come_in_batches_and_in_order(tmp_path: Path) -> None:
    sizes: list[int] = []

    def count(texts: list[Asked]) -> list[str]:
        sizes.append(len(texts))
        return shout(texts)

    text = filled(tmp_path / "x.txt", "".join(f"line {n}\n" for n in range(2_503)), count)
    assert text.splitlines() == [f"LINE {n}" for n in range(2_503)]
    assert len(sizes) > 1
    assert max(sizes) <= 1_024


def test_a_translation_never_adds_lines_or_columns(tmp_path: Path) -> None:
    assert filled(tmp_path / "x.txt", "a\nb\n", lambda texts: ["u\nv\tw" for _ in texts]) == "u v w\nu v w\n"


def test_tables(tmp_path: Path) -> None:
    text = filled(tmp_path / "en-es.tsv", 'one\t\tnote\ntwo\tdos\tnote\n"q\t\tn\n\t\t\n')
    assert text == 'one\tONE\tnote\ntwo\tdos\tnote\n"q\t"Q\tn\n\t\t\n'
    assert (results[-1].translated, results[-1].kept) == (2, 1)
    assert filled(tmp_path / "one.tsv", "one\ntwo\n") == "one\tONE\ntwo\tTWO\n"
    assert filled(tmp_path / "h.tsv", "es\ten\n\tone\n") == "es\ten\nONE\tone\n"
    assert filled(tmp_path / "x.csv", 'en;es\n"a; b";\n') == 'en;es\n"a; b";"A; B"\n'
    assert filled(tmp_path / "en-es.tsv", "one\tuno\n", overwrite=True) == "one\tONE\n"


TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header srclang="en"/>
  <body>
    <tu tuid="1">
      <prop type="x">kept</prop>
      <tuv xml:lang="en-US"><seg>The \
<ph x="1">{code}</ph> <bpt i="1">&lt;b&gt;</bpt>red<ept i="1">&lt;/b&gt;</ept> cat</seg></tuv>
    </tu>
    <tu tuid="2">
      <tuv xml:lang="en-US"><seg>dog</seg></tuv>
      <tuv xml:lang="ES"><seg></seg></tuv>
    </tu>
    <tu tuid="3">
      <tuv xml:lang="en-US"><seg>bird</seg></tuv>
      <tuv xml:lang="es-ES"><seg>pájaro</seg></tuv>
    </tu>
  </body>
</tmx>
"""


def test_tmx(tmp_path: Path) -> None:
    text = filled(tmp_path / "x.tmx", TMX)
    assert asked == ["The <1/> <2>red</2> cat", "dog"]
    assert (
        '<tuv xml:lang="es"><seg>THE <ph x="1">{code}</ph> <bpt i="1">&lt;b&gt;</bpt>RED<ept i="1">&lt;/b&gt;</ept> CAT'
        "</seg></tuv>\n    </tu>" in text
    )
    assert '<tuv xml:lang="ES"><seg>DOG</seg></tuv>' in text
    assert "pájaro" in text
    assert text.startswith(TMX[: TMX.index("<tmx")].replace('"1.0" encoding="UTF-8"', "'1.0' encoding='UTF-8'"))
    assert (results[-1].translated, results[-1].kept, results[-1].review) == (2, 1, [])
    found = [unit for unit in read([tmp_path / "out.x.tmx"], "en", "es") if isinstance(unit, Pair)]
    assert [pair.target for pair in found] == ["THE <1/> <2>RED</2> CAT", "DOG", "pájaro"]


def test_tmx_marks_what_lost_its_tags(tmp_path: Path) -> None:
    text = filled(tmp_path / "x.tmx", TMX, forget)
    assert '<prop type="x-needs-review">yes</prop><seg>X<ph x="1">{code}</ph>' in text
    assert text.count("x-needs-review") == 1
    assert [fault.reason for fault in results[-1].review] == ["lost <1/> <2> </2>"]
    again = filled(tmp_path / "y.tmx", text, overwrite=True)
    assert "x-needs-review" not in again


ONE = """<?xml version='1.0' encoding='UTF-8'?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:q="urn:q" version="1.2">
  <file source-language="en" datatype="plaintext" original="f">
    <body>
      <trans-unit id="1" q:kept="yes">
        <source>A <g id="1">big {{ type }}</g> cat</source>
        <note>for the translator</note>
      </trans-unit>
      <trans-unit id="2"><source>dog</source><target state="needs-translation">dog</target></trans-unit>
      <trans-unit id="3"><source>bird</source><target>pájaro</target></trans-unit>
      <trans-unit id="4" translate="no"><source>CONST</source></trans-unit>
      <trans-unit id="5"><source>One. Two.</source>\
<seg-source><mrk mtype="seg" mid="0">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk></seg-source></trans-unit>
    </body>
  </file>
</xliff>
"""


def test_xliff_1_2(tmp_path: Path) -> None:
    text = filled(tmp_path / "x.xlf", ONE)
    assert 'target-language="es"' in text
    assert (
        "cat</source>\n        "
        '<target state="translated">A <g id="1">BIG {{ type }}</g> CAT</target>\n        <note>' in text
    )
    assert '<target state="translated">DOG</target>' in text
    assert "<target>pájaro</target>" in text
    assert "<source>CONST</source></trans-unit>" in text
    assert (
        '</seg-source><target state="translated"><mrk mtype="seg" mid="0">ONE.</mrk> '
        '<mrk mtype="seg" mid="1">TWO.</mrk></target>' in text
    )
    assert "ns0" not in text
    assert asked == ["A <1>big {{ type }}</1> cat", "dog", "One.", "Two."]
    found = [unit for unit in read([tmp_path / "out.x.xlf"], "en", "es") if isinstance(unit, Pair)]
    assert [pair.target for pair in found] == ["A <1>BIG {{ type }}</1> CAT", "DOG", "pájaro", "ONE.", "TWO."]


def test_xliff_1_2_for_review(tmp_path: Path) -> None:
    text = filled(tmp_path / "x.xlf", ONE, forget)
    assert '<target state="needs-review-translation">X<g id="1"/></target>' in text
    assert text.count("needs-review") == 1
    again = filled(tmp_path / "y.xlf", text, overwrite=True)
    assert again.count('state="translated"') == 4
    assert "PÁJARO" not in again
    assert "BIRD" in again


TWO = """<?xml version='1.0' encoding='UTF-8'?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en">
  <file id="f">
    <unit id="1">
      <originalData><data id="d1">&lt;b&gt;</data></originalData>
      <segment>
        <source>A <pc id="1" dataRefStart="d1">big</pc> <ph id="2"/> cat</source>
      </segment>
      <ignorable><source> </source></ignorable>
      <segment state="initial"><source>dog</source></segment>
      <segment state="final"><source>bird</source><target>pájaro</target></segment>
    </unit>
    <unit id="2" translate="no"><segment><source>CONST</source></segment></unit>
  </file>
</xliff>
"""


def test_xliff_2_0(tmp_path: Path) -> None:
    text = filled(tmp_path / "x.xlf", TWO)
    assert 'trgLang="es"' in text
    assert '<segment state="translated">\n        <source>' in text
    assert '<target>A <pc id="1" dataRefStart="d1">BIG</pc> <ph id="2"/> CAT</target>' in text
    assert '<segment state="translated"><source>dog</source><target>DOG</target></segment>' in text
    assert '<segment state="final"><source>bird</source><target>pájaro</target></segment>' in text
    assert "<source>CONST</source></segment>" in text
    review = filled(tmp_path / "y.xlf", TWO, forget)
    assert review.count('state="translated" subState="mirada:needs-review"') == 1


def test_a_document_in_other_languages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.xlf").write_text(ONE.replace('source-language="en"', 'source-language="fr"'))
    with pytest.raises(CorpusError, match="holds the languages fr; en and es were asked for"):
        fill(tmp_path / "x.xlf", tmp_path / "y.xlf", "en", "es", shout)
    assert not (tmp_path / "y.xlf").exists()


PO = """# The catalogue of something.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: x 1\\n"
"PO-Revision-Date: 2024-01-01 00:00+0000\\n"
"Last-Translator: A <a@example.org>\\n"
"Language-Team: es\\n"
"Language: \\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=CHARSET\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#. extracted
#: a.c:1
msgctxt "animal"
msgid "cat"
msgstr ""

#, c-format
msgid "%d file\\n"
msgid_plural "%d files\\n"
msgstr[0] ""
msgstr[1] ""

#, fuzzy, c-format
#| msgid "an old %s"
msgid "a new %s"
msgstr "un viejo %s"

msgid "bird"
msgstr "pájaro"

msgid ""
"First line\\n"
"\\n"
"  Second line\\n"
msgstr ""

#~ msgid "gone"
#~ msgstr "ido"
"""


def msgfmt(path: Path) -> None:
    if shutil.which("msgfmt"):
        done = subprocess.run(
            ["msgfmt", "-c", "-o", "/dev/null", str(path)], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_po(tmp_path: Path) -> None:
    filled(tmp_path / "x.po", PO)
    out = tmp_path / "out.x.po"
    msgfmt(out)
    made = polib.pofile(str(out))
    assert made.metadata["Language"] == "es"
    assert made.metadata["Plural-Forms"] == "nplurals=2; plural=(n != 1);"
    assert not made.metadata_is_fuzzy
    entries = {entry.msgid: entry for entry in made}
    assert (entries["cat"].msgstr, entries["cat"].msgctxt, entries["cat"].occurrences) == (
        "CAT",
        "animal",
        [("a.c", "1")],
    )
    assert entries["%d file\n"].msgstr_plural == {0: "%d FILE\n", 1: "%d FILES\n"}
    assert entries["a new %s"].msgstr == "A NEW %s"
    assert entries["a new %s"].flags == ["c-format"]
    assert entries["a new %s"].previous_msgid is None
    assert entries["bird"].msgstr == "pájaro"
    assert entries["First line\n\n  Second line\n"].msgstr == "FIRST LINE\n\n  SECOND LINE\n"
    assert entries["gone"].obsolete
    assert (results[-1].translated, results[-1].kept) == (5, 2)


def test_po_marks_what_lost_its_symbols_fuzzy(tmp_path: Path) -> None:
    filled(tmp_path / "x.po", PO, forget)
    msgfmt(tmp_path / "out.x.po")
    made = polib.pofile(str(tmp_path / "out.x.po"))
    assert [entry.msgid for entry in made if entry.fuzzy] == ["%d file\n", "a new %s"]


def test_po_knows_what_gettext_takes_for_a_format(tmp_path: Path) -> None:
    """`% o` within "10% of" is a directive where the entry is flagged, and prose elsewhere."""
    header = PO[: PO.index("#. extracted")]
    entries = '#, python-format\nmsgid "10% of it"\nmsgstr ""\n\nmsgid "20% of it"\nmsgstr ""\n'
    entries += '\n#, c-format\nmsgid "%s of %d"\nmsgstr ""\n'

    def translate(texts: list[Asked]) -> list[str]:
        return [one.text.replace("% of it", "% de eso").replace("%s of %d", "%2$d de %1$s") for one in texts]

    filled(tmp_path / "x.po", header + entries, translate)
    msgfmt(tmp_path / "out.x.po")
    made = polib.pofile(str(tmp_path / "out.x.po"))
    assert [entry.fuzzy for entry in made] == [True, False, False]
    assert made[2].msgstr == "%2$d de %1$s"


@pytest.mark.parametrize(("language", "forms"), [("ja", 1), ("pl", 3), ("es", 2), ("ar", 6)])
def test_every_plural_form_is_filled(language: str, forms: int, tmp_path: Path) -> None:
    (tmp_path / "x.po").write_text(PO)
    fill(tmp_path / "x.po", tmp_path / "y.po", "en", language, shout)
    msgfmt(tmp_path / "y.po")
    (entry,) = [entry for entry in polib.pofile(str(tmp_path / "y.po")) if entry.msgid_plural]
    assert sorted(entry.msgstr_plural) == list(range(forms))
    assert all(entry.msgstr_plural.values())
    assert list(entry.msgstr_plural.values()).count("%d FILE\n") == (forms > 1)


def test_what_stands_before_a_text_comes_with_it_translated_or_not(tmp_path: Path) -> None:
    found = {}
    for name, content in (
        ("x.txt", "one\ntwo\n\nthree\n4\nfive\n"),
        ("x.csv", "document,en,es\na,one,\na,two,DOS\na,three,\nb,four,\n"),
        ("x.tmx", TMX),
        ("x.xlf", ONE),
        ("x.po", PO),
    ):
        asked.clear()
        before.clear()
        filled(tmp_path / name, content, context=1)
        found[name] = list(zip(asked, before, strict=True))
    assert found["x.txt"] == [("one", ()), ("two", ("one",)), ("three", ()), ("five", ("4",))]
    assert found["x.csv"] == [("one", ()), ("three", ("two",)), ("four", ())]
    assert found["x.tmx"][1] == ("dog", ("The <1/> <2>red</2> cat",))
    assert [context for _, context in found["x.xlf"]] == [(), ("A <1>big {{ type }}</1> cat",), ("CONST",), ("One.",)]
    assert found["x.po"] == [
        ("cat", ()),
        ("%d file", ("cat",)),
        ("%d files", ("%d file",)),
        ("a new %s", ("%d files",)),
        ("First line", ("bird",)),
        ("Second line", ("First line",)),
    ]
    filled(tmp_path / "x.po", PO)
    assert set(before[-len(found["x.po"]) :]) == {()}


def test_bytes_that_are_no_text_end_a_document_of_po(tmp_path: Path) -> None:
    entries = b"".join(b'msgid "%s"\nmsgstr ""\n\n' % text for text in (b"cat", b"b\xffd", b"dog", b"bird"))
    filled(tmp_path / "x.po", b'msgid ""\nmsgstr "Language: es\\n"\n\n' + entries, context=2)
    assert list(zip(asked, before, strict=True)) == [("cat", ()), ("dog", ()), ("bird", ("dog",))]
    translated = entries.replace(b'\xffd"\nmsgstr ""', b'\xffd"\nmsgstr "ave"')
    asked.clear()
    before.clear()
    filled(tmp_path / "y.po", b'msgid ""\nmsgstr "Language: es\\n"\n\n' + translated, context=2)
    assert list(zip(asked, before, strict=True)) == [("cat", ()), ("dog", ()), ("bird", ("dog",))]


def test_filling_twice_asks_nothing_the_second_time(tmp_path: Path) -> None:
    for name, content in (("x.tmx", TMX), ("x.xlf", ONE), ("y.xlf", TWO), ("x.po", PO)):
        first = filled(tmp_path / name, content)
        asked.clear()
        assert filled(tmp_path / f"again.{name}", first) == first
        assert asked == []


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    def fail(texts: list[Asked]) -> list[str]:
        raise RuntimeError("no model")

    (tmp_path / "x.txt").write_text("one\n")
    (tmp_path / "y.txt").write_text("precious\n")
    with pytest.raises(RuntimeError, match="no model"):
        fill(tmp_path / "x.txt", tmp_path / "y.txt", "en", "es", fail)
    with pytest.raises(ValueError, match="1 texts were given to be translated and 0 came back"):
        fill(tmp_path / "x.txt", tmp_path / "y.txt", "en", "es", lambda texts: [])
    assert (tmp_path / "y.txt").read_text() == "precious\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.txt", "y.txt"]


def test_a_file_can_be_filled_in_place(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    path.write_text(PO)
    path.chmod(0o640)
    fill(path, path, "en", "es", shout)
    assert polib.pofile(str(path)).find("cat", msgctxt="animal")
    assert path.stat().st_mode & 0o777 == 0o640


def test_formats_must_agree_and_places_exist(tmp_path: Path) -> None:
    (tmp_path / "x.po").write_text(PO)
    with pytest.raises(CorpusError, match=r"x\.po is PO and .*y\.tmx is not"):
        fill(tmp_path / "x.po", tmp_path / "y.tmx", "en", "es", shout)
    with pytest.raises(CorpusError, match="cannot be written: No such file or directory"):
        fill(tmp_path / "x.po", tmp_path / "absent" / "y.po", "en", "es", shout)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.txt").write_text("one\n")
    monkeypatch.setattr("tempfile.mkstemp", lambda **_: (os.open("/dev/full", os.O_WRONLY), str(tmp_path / "beside")))
    with pytest.raises(CorpusError, match=r"y\.txt cannot be written: No space left on device; make room"):
        fill(tmp_path / "x.txt", tmp_path / "y.txt", "en", "es", shout)
    assert not (tmp_path / "y.txt").exists()


@pytest.mark.parametrize("text", [TMX, ONE, TWO])
def test_entities_are_refused(text: str, tmp_path: Path) -> None:
    body = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>", "", text).strip()
    root = "tmx" if body.startswith("<tmx") else "xliff"
    path = tmp_path / ("x.tmx" if root == "tmx" else "x.xlf")
    path.write_text(f'<!DOCTYPE {root} [<!ENTITY a SYSTEM "file:///etc/hostname">]>{body}')
    with pytest.raises(CorpusError, match="defines entities"):
        fill(path, path, "en", "es", shout)


@pytest.mark.realdata
@real
def test_real_documents_are_filled(tmp_path: Path) -> None:
    path = DATA / "xliff" / "validators.pt_BR.xlf"
    result = fill(path, tmp_path / "y.xlf", "en", "pt-BR", shout)
    assert (result.translated, result.kept, result.review) == (6, 110, [])
    before, after = (etree.parse(str(file)) for file in (path, tmp_path / "y.xlf"))
    assert len(list(after.iter("{*}target"))) == len(list(before.iter("{*}target")))
    catalogue = DATA / "po" / "howto" / "clinic.po"
    done = fill(catalogue, tmp_path / "y.po", "en", "es", shout)
    assert done.translated > 100
    msgfmt(tmp_path / "y.po")
    assert len(polib.pofile(str(tmp_path / "y.po"))) == len(polib.pofile(str(catalogue)))
