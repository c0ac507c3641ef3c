"""XLIFF of both versions: languages, states, segments."""

import os
from pathlib import Path

import pytest

from mirada.corpora.pair import CorpusError, Fault, Pair
from mirada.corpora.xliff import read_xliff

DATA = Path(os.environ.get("MIRADA_DATA", "absent"))
ONE = 'xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"'
TWO = 'xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0"'


def one(folder: Path, body: str, languages: str = 'source-language="en" target-language="es"', name: str = "x") -> Path:
    path = folder / f"{name}.xlf"
    path.write_text(f'<xliff {ONE}><file {languages} original="f"><body>{body}</body></file></xliff>', "utf-8")
    return path


def two(folder: Path, body: str, languages: str = 'srcLang="en" trgLang="es"') -> Path:
    path = folder / "x.xliff"
    path.write_text(f'<xliff {TWO} {languages}><file id="f">{body}</file></xliff>', "utf-8")
    return path


def pairs(path: Path, source: str = "en", target: str = "es") -> list[tuple[str, str]]:
    return [(unit.source, unit.target) for unit in read_xliff(path, source, target) if isinstance(unit, Pair)]


def reasons(path: Path) -> list[str]:
    return [unit.reason if isinstance(unit, Fault) else "" for unit in read_xliff(path, "en", "es")]


CAT = '<trans-unit id="1"><source>cat</source><target>gato</target></trans-unit>'


def test_units_in_groups(tmp_path: Path) -> None:
    path = one(tmp_path, f'{CAT}<group id="g"><group id="h">{CAT}</group></group>{CAT}')
    assert pairs(path) == [("cat", "gato")] * 3
    assert pairs(path, "es", "en") == [("gato", "cat")] * 3


def test_tags_of_1_2(tmp_path: Path) -> None:
    source = 'See <g id="a">the <x id="b"/></g> {{ type }}'
    target = '{{ type }}: <x id="b"/> <g id="a">vea</g>'
    path = one(tmp_path, f"<trans-unit id='1'><source>{source}</source><target>{target}</target></trans-unit>")
    assert pairs(path) == [("See <1>the <2/></1> {{ type }}", "{{ type }}: <2/> <1>vea</1>")]


def test_segments_of_2_0(tmp_path: Path) -> None:
    body = (
        '<unit id="u"><originalData><data id="d">&lt;b&gt;</data></originalData>'
        '<segment><source>A <pc id="1">cat</pc>.</source><target>Un <pc id="1">gato</pc>.</target></segment>'
        "<ignorable><source> </source></ignorable>"
        '<segment state="final"><source>Yes</source><target>Sí</target></segment>'
        '<segment state="initial"><source>No</source><target>No</target></segment>'
        "<segment><source>None</source></segment></unit>"
    )
    path = two(tmp_path, body)
    assert pairs(path) == [("A <1>cat</1>.", "Un <1>gato</1>."), ("Yes", "Sí")]
    assert reasons(path) == ["", "", "no target (state initial)", "no target"]


def test_marked_segments_of_1_2_are_paired_by_their_mid(tmp_path: Path) -> None:
    body = (
        "<trans-unit id='1'><source>One. Two.</source>"
        '<seg-source><mrk mtype="seg" mid="0">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk></seg-source>'
        '<target><mrk mtype="seg" mid="1">Dos.</mrk> <mrk mtype="seg" mid="0">Uno.</mrk></target></trans-unit>'
    )
    assert pairs(one(tmp_path, body)) == [("One.", "Uno."), ("Two.", "Dos.")]
    whole = body.replace('mid="1">Dos', 'mid="7">Dos')
    assert pairs(one(tmp_path, whole)) == [("One. Two.", "Dos. Uno.")]


def test_what_is_not_translated_is_a_fault(tmp_path: Path) -> None:
    body = (
        "<trans-unit id='1'><source>a</source></trans-unit>"
        "<trans-unit id='2'><source>a</source><target/></trans-unit>"
        "<trans-unit id='3'><source>a</source><target state='new'>a</target></trans-unit>"
        "<trans-unit id='4'><source>a</source><target state='needs-translation'>a</target></trans-unit>"
        "<trans-unit id='5'><source>a</source><target state='needs-review-translation'>b</target></trans-unit>"
    )
    assert reasons(one(tmp_path, body)) == [
        "no target",
        "no target",
        "no target (state new)",
        "no target (state needs-translation)",
        "",
    ]


def test_a_target_without_a_language_takes_it_from_the_name_or_the_command(tmp_path: Path) -> None:
    assert pairs(one(tmp_path, CAT, 'source-language="en"', "messages.es_MX")) == [("cat", "gato")]
    assert pairs(one(tmp_path, CAT, 'source-language="en"', "messages")) == [("cat", "gato")]
    with pytest.raises(CorpusError, match=r"holds the languages en, fr; en and es were asked for"):
        pairs(one(tmp_path, CAT, 'source-language="en"', "messages.fr"))


def test_a_file_of_another_language_beside_the_asked_one(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    files = "".join(
        f'<file source-language="en" target-language="{tag}"><body>{CAT}</body></file>' for tag in ("es", "fr")
    )
    path.write_text(f"<xliff {ONE}>{files}</xliff>")
    first, second = read_xliff(path, "en", "es")
    assert isinstance(first, Pair)
    assert isinstance(second, Fault)
    assert "en and fr" in second.reason


def test_entities_are_refused(tmp_path: Path) -> None:
    path = one(tmp_path, CAT)
    path.write_text('<!DOCTYPE xliff [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + path.read_text())
    with pytest.raises(CorpusError, match="defines entities"):
        list(read_xliff(path, "en", "es"))


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="MIRADA_DATA names no folder with corpora")
@pytest.mark.parametrize(("name", "target", "count"), [("es", "es", 116), ("fr", "fr", 116), ("pt_BR", "pt", 110)])
def test_real_documents(name: str, target: str, count: int) -> None:
    found = pairs(DATA / "xliff" / f"validators.{name}.xlf", "en", target)
    assert len(found) == count
    assert sum("{{ " in source for source, _ in found) == sum("{{ " in text for _, text in found)
