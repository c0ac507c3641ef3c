"""The sentences before a pair: of its own document, whatever the format, and of nothing else."""

from pathlib import Path

import pytest

from mirada.corpora.findings import DropsFile
from mirada.corpora.pair import Pair, Place
from mirada.corpora.preceding import Documents, preceded
from mirada.corpora.prepare import Settings, gather
from mirada.corpora.reading import read

XLIFF = """<xliff version="1.2">
<file original="a" source-language="en" target-language="es" datatype="x"><body>
<trans-unit id="1"><source>cat</source><target>gato</target></trans-unit>
<trans-unit id="2"><source>dog</source><target>perro</target></trans-unit></body></file>
<file original="b" source-language="en" target-language="es" datatype="x"><body>
<trans-unit id="1"><source>bird</source><target>pájaro</target></trans-unit>
<trans-unit id="2"><source>cow</source></trans-unit>
<trans-unit id="3"><source>horse</source><target>caballo</target></trans-unit>
<trans-unit id="4"><source>fox</source><target>zorro</target></trans-unit></body></file></xliff>"""
TMX = """<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>cat</seg></tuv><tuv xml:lang="es"><seg>gato</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>dog</seg></tuv><tuv xml:lang="es"><seg>perro</seg></tuv>
<tuv xml:lang="es"><seg>can</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>pig</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>bird\ncow</seg></tuv><tuv xml:lang="es"><seg>pájaro\nvaca</seg></tuv>
<tuv xml:lang="es"><seg>ave\nres</seg></tuv></tu></body></tmx>"""
PO = """msgid ""
msgstr "Language: es\\nContent-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "cat"
msgstr "gato"

msgid "one dog"
msgid_plural "%d dogs"
msgstr[0] "un perro"
msgstr[1] "%d perros"

msgid "bird"
msgstr "pájaro"

msgid "a pig"
msgid_plural "pigs"
msgstr[0] ""
msgstr[1] ""

#, fuzzy
msgid "cow"
msgstr "buey"

msgid "horse"
msgstr "caballo"

#~ msgid "hen"
#~ msgstr "gallina"

msgid "fox"
msgstr "zorro"
"""


def found(files: list[Path], count: int) -> tuple[list[tuple[str, tuple[str, ...]]], int]:
    documents = Documents()
    units = list(preceded(read(files, "en", "es"), count, documents))
    return [(unit.source, unit.context) for unit in units if isinstance(unit, Pair)], documents.count


@pytest.mark.parametrize(
    ("name", "content", "documents", "wanted"),
    [
        (
            "x.tsv",
            "cat\tgato\ndog\tperro\n\nbird\tpájaro\n\t\ncow\tvaca\nalone\nfox\tzorro\n",
            3,
            [("cat", ()), ("dog", ("cat",)), ("bird", ()), ("cow", ()), ("fox", ())],
        ),
        (
            "x.csv",
            "document,en,es\n1,cat,gato\n1,dog,perro\n2,bird,pájaro\n2,cow,vaca\n",
            2,
            [("cat", ()), ("dog", ("cat",)), ("bird", ()), ("cow", ("bird",))],
        ),
        (
            "y.csv",
            "en,es\ncat,gato\n\ndog,perro\n,\nbird,pájaro\n",  # an empty line is no row
            2,
            [("cat", ()), ("dog", ("cat",)), ("bird", ())],
        ),
        (
            "x.xlf",
            XLIFF,
            2,
            [("cat", ()), ("dog", ("cat",)), ("bird", ()), ("horse", ("cow",)), ("fox", ("horse",))],
        ),
        (
            "x.tmx",
            TMX,
            1,
            [
                *[("cat", ()), ("dog", ("cat",)), ("dog", ("cat",))],
                *[("bird", ("pig",)), ("cow", ("bird",)), ("bird", ("pig",)), ("cow", ("bird",))],
            ],
        ),
        (
            "x.po",
            PO,
            1,
            [
                *[("cat", ()), ("one dog", ("cat",)), ("%d dogs", ("one dog",)), ("bird", ("%d dogs",))],
                *[("horse", ("cow",)), ("fox", ("horse",))],
            ],
        ),
    ],
)
def test_documents_are_never_crossed(name: str, content: str, documents: int, wanted: list[object], tmp_path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert found([tmp_path / name], 1) == (wanted, documents)


def test_another_translation_with_other_lines_changes_nothing_for_what_stands_behind(tmp_path: Path) -> None:
    def segments(*texts: str) -> str:
        tags = zip(("en", "es", "es"), texts, strict=False)
        return "".join(f'<tuv xml:lang="{tag}"><seg>{text}</seg></tuv>' for tag, text in tags)

    units = [
        segments("cat", "gato"),
        segments("bird\ncow", "pájaro\nvaca", "un ave, una vaca"),
        segments("fox", "zorro"),
    ]
    wanted = [
        ("cat", ()),
        ("bird", ("cat",)),
        ("cow", ("cat", "bird")),
        ("bird cow", ("cat",)),
        ("fox", ("bird", "cow")),
    ]
    for order in (wanted, [wanted[0], wanted[3], wanted[1], wanted[2], wanted[4]]):
        body = "".join(f"<tu>{one}</tu>" for one in units)
        (tmp_path / "x.tmx").write_text(f'<tmx version="1.4"><header srclang="en"/><body>{body}</body></tmx>')
        assert found([tmp_path / "x.tmx"], 2) == (order, 1)
        units[1] = segments("bird\ncow", "un ave, una vaca", "pájaro\nvaca")


def test_bytes_that_are_no_text_end_a_document_of_po_if_they_stand_in_its_source(tmp_path: Path) -> None:
    entries = [(b"cat", b"gato"), (b"ox", b"b\xffd"), (b"dog", b"perro"), (b"b\xffd", b"ave"), (b"fox", b"zorro")]
    texts = b"".join(b'msgid "%s"\nmsgstr "%s"\n\n' % entry for entry in entries)
    (tmp_path / "x.po").write_bytes(b'msgid ""\nmsgstr "Language: es\\n"\n\n' + texts)
    assert found([tmp_path / "x.po"], 2)[0] == [("cat", ()), ("dog", ("cat", "ox")), ("fox", ())]


def test_what_is_not_translated_stands_in_its_own_document(tmp_path: Path) -> None:
    (tmp_path / "x.xlf").write_text(XLIFF.replace("<target>pájaro</target>", ""), encoding="utf-8")
    pairs, documents = found([tmp_path / "x.xlf"], 2)
    assert pairs[2:] == [("horse", ("bird", "cow")), ("fox", ("cow", "horse"))]
    assert documents == 2


def test_a_line_of_invisible_signs_ends_a_document() -> None:
    places = [Place("x", number) for number in range(3)]
    units = [Pair("one", "uno", places[0]), Pair("\u200b", "\ufeff", places[1]), Pair("two", "dos", places[2])]
    assert list(preceded(units, 1, found := Documents())) == [units[0], units[2]]
    assert found.count == 2


def test_a_file_ends_a_document_and_the_oldest_sentence_goes(tmp_path: Path) -> None:
    for stem, lines in (("a", "one\ntwo\nthree\n"), ("b", "four\n \nfive\n")):
        (tmp_path / f"{stem}.en").write_text(lines)
        (tmp_path / f"{stem}.es").write_text(lines.upper())
    files = [tmp_path / f"{stem}.{language}" for stem in "ab" for language in ("en", "es")]
    pairs, documents = found(files, 2)
    assert pairs == [("one", ()), ("two", ("one",)), ("three", ("one", "two")), ("four", ()), ("five", ())]
    assert documents == 3
    assert [context for _, context in found(files, 1)[0]] == [(), ("one",), ("two",), (), ()]


def test_what_is_dropped_was_said_and_a_pair_after_another_sentence_is_another_pair(tmp_path: Path) -> None:
    english = ["The dog slept.", "It was  tired.", "", "The cow slept.", "It was tired.", "", "The cow slept.", "Yes."]
    spanish = ["El perro dormía.", "Estaba así.", "", "La vaca dormía.", "Estaba así.", "", "La vaca dormía.", "Sí."]
    for language, lines in (("en", english), ("es", spanish)):
        (tmp_path / f"x.{language}").write_text("".join(f"{line}\n" for line in lines))
    files = [tmp_path / "x.en", tmp_path / "x.es"]
    with DropsFile(tmp_path / "drops.tsv") as drops:
        gathered = gather(read(files, "en", "es"), Settings("en", "es", context=1), tmp_path / "spool", drops)
    assert (gathered.documents, gathered.report.read, gathered.report.kept) == (3, 6, 5)
    kept = [(pair.source, pair.context) for pair in gathered.spool]
    assert kept == [
        ("The dog slept.", ()),
        ("It was tired.", ("The dog slept.",)),
        ("The cow slept.", ()),
        ("It was tired.", ("The cow slept.",)),
        ("Yes.", ("The cow slept.",)),  # after a duplicate, which is dropped
    ]
    assert len(set(gathered.spool.keys.source.tolist())) == 5
    alone = gather(read(files, "en", "es"), Settings("en", "es"), tmp_path / "alone")
    assert (alone.documents, alone.report.read, alone.report.kept) == (0, 8, 4)
