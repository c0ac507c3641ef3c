"""Translation memories: languages, variants, tags, and files that mean harm."""

import os
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest

from mirada.corpora.pair import CorpusError, Fault, Pair
from mirada.corpora.tmx import read_tmx

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
DATA = Path(os.environ.get("MIRADA_DATA", "absent"))


def memory(folder: Path, body: str, head: str = HEAD) -> Path:
    path = folder / "x.tmx"
    path.write_text(f'{head}<tmx version="1.4"><header srclang="en"/><body>{body}</body></tmx>', encoding="utf-8")
    return path


def unit(**languages: str) -> str:
    variants = (f'<tuv xml:lang="{tag.replace("_", "-")}"><seg>{text}</seg></tuv>' for tag, text in languages.items())
    return f"<tu><prop type='x'>p</prop><note>n</note>{''.join(variants)}</tu>"


def pairs(path: Path, source: str = "en", target: str = "es") -> list[tuple[str, str]]:
    return [(unit.source, unit.target) for unit in read_tmx(path, source, target) if isinstance(unit, Pair)]


def test_both_directions_and_any_form_of_a_tag(tmp_path: Path) -> None:
    path = memory(tmp_path, unit(en_US="a cat", ES="un gato", x_none="?") + unit(es_MX="perro", en_gb="dog"))
    assert pairs(path) == [("a cat", "un gato"), ("dog", "perro")]
    assert pairs(path, "es", "en") == [("un gato", "a cat"), ("perro", "dog")]


def test_the_older_attribute_and_the_nearest_tag(tmp_path: Path) -> None:
    body = '<tu><tuv lang="EN-US"><seg>color</seg></tuv><tuv lang="pt"><seg>cor</seg></tuv></tu>'
    assert pairs(memory(tmp_path, body), "en", "pt-BR") == [("color", "cor")]


def test_several_translations_are_several_pairs(tmp_path: Path) -> None:
    path = memory(tmp_path, unit(en="bus", es_ES="autobús", es_MX="camión"))
    assert pairs(path) == [("bus", "autobús"), ("bus", "camión")]
    assert pairs(path, "en", "es-MX") == [("bus", "camión")]


def test_tags_are_numbered_alike_on_both_sides(tmp_path: Path) -> None:
    english = 'The <ph x="1">{\\b}</ph> <bpt i="1">&lt;b&gt;</bpt>red<ept i="1">&lt;/b&gt;</ept> <hi>one</hi> &amp; %s'
    spanish = '<bpt i="1">&lt;b&gt;</bpt>rojo<ept i="1">&lt;/b&gt;</ept> el <ph x="1">{\\b}</ph> <hi>uno</hi> &amp; %s'
    assert pairs(memory(tmp_path, unit(en=english, es=spanish))) == [
        ("The <1/> <2>red</2> <3>one</3> & %s", "<2>rojo</2> el <1/> <3>uno</3> & %s")
    ]


def test_layout_is_no_text_and_lines_are(tmp_path: Path) -> None:
    path = memory(tmp_path, unit(en="\n    one\n    two\n  ", es="uno dos") + unit(en="a\nb", es="x\ny"))
    assert pairs(path) == [("one two", "uno dos"), ("a", "x"), ("b", "y")]


def test_units_that_cannot_be_used_are_faults_with_their_number(tmp_path: Path) -> None:
    body = unit(en="a", es="b") + unit(en="a", es="") + unit(en="a") + unit(es="b") + "<tu/>"
    body += unit(en="a&nbsp;b", es="c") + unit(en="a" * 100_000, es="b")
    found = list(read_tmx(memory(tmp_path, body), "en", "es"))
    assert [unit.place.number for unit in found] == [1, 2, 3, 4, 5, 6, 7]
    reasons = [unit.reason if isinstance(unit, Fault) else "" for unit in found]
    assert reasons[:4] == [
        "",
        "no target",
        "no target: the unit has no es",
        "no source: the unit has no en",
    ]
    assert "&nbsp; is not defined" in reasons[5]
    assert "100,000 characters long" in reasons[6]


def test_other_languages_are_listed(tmp_path: Path) -> None:
    path = memory(tmp_path, unit(en_US="a", fr="b"))
    with pytest.raises(CorpusError, match=r"x\.tmx holds the languages en-US, fr; en and de were asked for"):
        list(read_tmx(path, "en", "de"))


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "subset",
    [
        f'<!ENTITY l0 "ha">{LAUGHS}',
        '<!ENTITY l11 SYSTEM "file:///etc/hostname">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p; <!ENTITY l11 "x">',
        '<!ENTITY l11 "harmless">',
    ],
)
@pytest.mark.parametrize("place", ["text", "attribute"])
def test_entities_are_refused(subset: str, place: str, tmp_path: Path) -> None:
    body = unit(en="&l11;", es="b") if place == "text" else '<tu tuid="&l11;"/>'
    path = memory(tmp_path, body, f"<!DOCTYPE tmx [{subset}]>")
    tracemalloc.start()
    with pytest.raises(CorpusError, match=r"defines entities of its own|the XML is broken"):
        list(read_tmx(path, "en", "es"))
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_a_doctype_is_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "tmx14.dtd").write_text('<!ENTITY secret "read">')
    path = memory(tmp_path, unit(en="&secret;", es="b") + unit(en="a", es="b"))
    first, second = read_tmx(path, "en", "es")
    assert isinstance(first, Fault)
    assert isinstance(second, Pair)


def test_what_was_read_before_the_xml_breaks_is_given_and_the_line_is_told(tmp_path: Path) -> None:
    path = memory(tmp_path, unit(en="a", es="b") + "\n<tu><broken</tu>")
    units = read_tmx(path, "en", "es")
    assert isinstance(next(units), Pair)
    with pytest.raises(CorpusError, match=r"x\.tmx, line 4: the XML is broken or cut off there"):
        next(units)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "broken or cut off"),
        (b"<html><body/></html>", "begins with <html>, where <tmx> is expected"),
        (b"not XML at all", "broken or cut off"),
        (b"<tmx><body><tu>", "broken or cut off"),
        (b"<tmx>" + b"<a>" * 400, "broken or cut off"),
    ],
)
def test_foreign_and_torn_files_are_errors(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=told):
        list(read_tmx(path, "en", "es"))


def test_a_unit_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    with path.open("wb") as out:
        out.write(b"<tmx><body><tu>")
        for _ in range(20):
            out.write(b"<note>" + b"n" * 1_000_000 + b"</note>")
    with pytest.raises(CorpusError, match="a unit or a header of more than 16,777,216 bytes"):
        list(read_tmx(path, "en", "es"))


def test_utf_16_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    body = f"<tmx><body>{unit(en='a', es='ñ')}</body></tmx>"
    path.write_bytes(f'\ufeff<?xml version="1.0" encoding="UTF-16"?>{body}'.encode("utf-16-le"))
    assert pairs(path) == [("a", "ñ")]


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="MIRADA_DATA names no folder with corpora")
def test_a_real_memory() -> None:
    found = list(islice(read_tmx(DATA / "tmx" / "docs.en-es.tmx", "en", "es"), 2_003))
    faults = [unit for unit in found if isinstance(unit, Fault)]
    assert {fault.reason for fault in faults} == {"no target"}
    assert len(faults) == 3
    tagged = [unit for unit in found if isinstance(unit, Pair) and "<1" in unit.source]
    assert len(tagged) > 500
    assert sum("<1" in pair.target for pair in tagged) > 0.9 * len(tagged)
