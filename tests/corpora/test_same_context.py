"""The sentences before a text are the same where it is translated and where it is learnt from.

Each file is filled; then the filled file is read. What was asked for stood behind the same sentences both times.
"""

from pathlib import Path

import pytest

from mirada.corpora.filling import fill
from mirada.corpora.pair import Pair
from mirada.corpora.preceding import Documents, preceded
from mirada.corpora.reading import read
from mirada.text.asking import Asked
from mirada.text.normalise import normalise

COUNT = 2
DOCTYPE = '<!DOCTYPE %s SYSTEM "x.dtd">'  # with it, an entity may be unknown


def unit(source: str, more: str = "", attributes: str = "") -> str:
    return f'<trans-unit id="x" {attributes}><source>{source}</source>{more}</trans-unit>'


def file(name: str, *units: str) -> str:
    languages = 'source-language="en" target-language="es"'
    return f'<file original="{name}" {languages} datatype="x" xml:space="preserve"><body>{"".join(units)}</body></file>'


MARKED = '<seg-source><mrk mtype="seg" mid="1">Wait.</mrk> <mrk mtype="seg" mid="2">Go.</mrk></seg-source>'
ONE = "".join(
    [
        file("kept", unit("cat"), unit("CODE", attributes='translate="no"'), unit("dog")),
        file("target", unit("CODE", "<target>CÓDIGO</target>", 'translate="no"'), unit("dog")),
        file("group", unit("one"), f'<group translate="no">{unit("A")}{unit("B")}</group>', unit("two")),
        file("marked", unit("Wait. Go.", MARKED), unit("Stop.")),
        file("marked and kept", unit("Wait. Go.", MARKED, 'translate="no"'), unit("Stop.")),
        file("marked and translated", unit("Wait. Go.", f"{MARKED}<target>Espera. Ve.</target>"), unit("Stop.")),
        file("lines", unit("horse\nfoal", "<target>caballo y potro</target>"), unit("pig"), unit("a\n\nb"), unit("c")),
        file("empty", unit("cow"), unit("", "<target>x</target>"), unit(""), unit("hen")),
        file("code", unit("cow"), unit('<x id="1"/>'), unit("hen")),
        file("entity", unit("cow"), unit("ox", "<target>&unknown;</target>"), unit("hen")),
        file("no text", unit("cow"), unit("&unknown;", "<target>x</target>"), unit("hen")),
    ]
)
TWO = """<xliff version="2.0" srcLang="en" trgLang="es"><file id="a">
<unit id="1"><segment><source>Yes.</source></segment><segment><source>No.</source></segment>
<segment><source>Yes.</source></segment></unit>
<unit id="2" translate="no"><segment><source>A</source></segment><segment><source>B</source></segment></unit>
<unit id="3"><segment><source>So.</source></segment></unit></file>
<file id="b"><unit id="1"><segment><source>Then.</source></segment></unit></file></xliff>"""


def memory(units: str) -> str:
    """A memory of units between semicolons: English, two translations and French, "-" for none, "~" for a new line."""
    made = ""
    for one in units.split("; "):
        variants = zip(("en", "es", "es", "fr"), one.replace("~", "\n").split("|"), strict=False)
        made += "<tu>" + "".join(
            f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language, text in variants if text != "-"
        )
        made += "</tu>"
    return f'{DOCTYPE % "tmx"}<tmx version="1.4"><header srclang="en"/><body>{made}</body></tmx>'


TMX = memory(
    "cat; dog|perro|can; bird; horse~foal|caballo y potro; pig; cow~calf|vaca~ternera|vaca y ternera; fox; "
    "hen~chick|gallina y pollo|gallina~pollo; owl; |x; elk; -|-|-|chat; bear; wolf|lobo|; ant; fly|&unknown;; gnat; "
    "&unknown;|x; moth~MOTH~moth; wasp; <ph x='1'/>; bee"
)
PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: %s\\n"

msgid "cat"
msgstr ""

msgid "one dog"
msgid_plural "%%d dogs"
msgstr[0] ""

msgid "bird"
msgstr ""

msgid "a pig\\nhere"
msgid_plural "pigs\\nhere"
msgstr[0] "x"
msgstr[1] "y"
msgstr[2] "z"

msgid "fox"
msgstr ""

msgid "fish"
msgid_plural "fish"
msgstr[0] ""

msgid "cow"
msgstr ""

"""
SLOVENIAN = "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);"


@pytest.mark.parametrize(
    ("name", "content", "language"),
    [
        pytest.param("1.xlf", f'{DOCTYPE % "xliff"}<xliff version="1.2">{ONE}</xliff>', "es", id="XLIFF 1.2"),
        pytest.param("2.xlf", TWO, "es", id="XLIFF 2.0"),
        pytest.param("x.tmx", TMX, "es", id="TMX"),
        pytest.param("x.po", PO % "nplurals=1; plural=0;", "ja", id="PO, one form for all"),
        pytest.param("x.po", PO % SLOVENIAN, "sl", id="PO, the singular is not the first"),
    ],
)
def test_what_was_asked_for_is_read_behind_the_same(name: str, content: str, language: str, tmp_path: Path) -> None:
    given, done = tmp_path / name, tmp_path / f"done.{name}"
    given.write_text(content, encoding="utf-8")
    asked: list[Asked] = []

    def translate(texts: list[Asked]) -> list[str]:
        asked.extend(texts)
        return [f"[{one.text}]" for one in texts]

    fill(given, done, "en", language, translate, context=COUNT)
    wanted = [(one.text, tuple(map(normalise, one.context))) for one in asked]
    units = list(preceded(read([done], "en", language), COUNT, Documents()))
    pairs = [one for one in units if isinstance(one, Pair) and one.target == f"[{one.source}]"]
    assert [(one.source, one.context) for one in pairs] == wanted
    assert len(wanted) >= 5
