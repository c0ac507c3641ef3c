"""Many files: how they are understood, and in which order they are read."""

import gzip
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mirada.corpora.pair import CorpusError, Pair
from mirada.corpora.reading import meter_of, read, sources, understand

DATA = Path(os.environ.get("MIRADA_DATA", "absent"))


def make(folder: Path, *names: str, content: bytes = b"") -> list[Path]:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return [folder / name for name in names]


@pytest.mark.parametrize(
    ("names", "paired"),
    [
        ("x.en x.de", "x.en+x.de"),
        ("x.de x.en", "x.en+x.de"),
        ("x.de.gz x.en", "x.en+x.de.gz"),
        ("x.en.txt x.de.txt", "x.en.txt+x.de.txt"),
        ("a.de b.de a.en b.en", "a.en+a.de b.en+b.de"),
        ("a.en b.de", "a.en+b.de"),
        ("b.de a.en", "a.en+b.de"),
        ("one.txt two.txt", "one.txt+two.txt"),
        ("train.src train.tgt", "train.src+train.tgt"),
        ("corpus-de.txt corpus-en.txt", "corpus-en.txt+corpus-de.txt"),
        ("x.en-GB x.de_AT", "x.en-GB+x.de_AT"),
        ("one two x.de t.tsv x.en", "one+two x.en+x.de t.tsv"),
        ("d/x.en e/x.en d/x.de e/x.de", "x.en+x.de x.en+x.de"),
        ("en de", "en+de"),
        ("a.tmx b.xlf c.po d.csv e.xliff f.pot g.tsv.zst", "a.tmx b.xlf c.po d.csv e.xliff f.pot g.tsv.zst"),
    ],
)
def test_how_files_are_understood(names: str, paired: str, tmp_path: Path) -> None:
    inputs = understand(make(tmp_path, *names.split()), "en", "de")
    assert " ".join("+".join(file.name for file in one.files) for one in inputs) == paired


def test_a_language_without_a_short_code_pairs_too(tmp_path: Path) -> None:
    (one,) = understand(make(tmp_path, "x.nah", "x.es"), "es", "nah")
    assert [file.name for file in one.files] == ["x.es", "x.nah"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("x.en", r"x\.en has no partner; plain text needs two files"),
        ("x.en x.de y.en", r"y\.en has no partner"),
        ("x.docx", r"the suffix \.docx, which is not known; known are \.tsv"),
        ("x.en x.fr", r"holds the languages en, fr; en and de were asked for"),
        ("x.en y.en", r"holds the languages en; en and de were asked for"),
        ("", r"no file was given"),
    ],
)
def test_what_cannot_be_understood_is_told_before_anything_is_read(names: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=told):
        read(make(tmp_path, *names.split()), "en", "de")


def test_directories_and_absent_files_and_equal_languages(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is a directory; name the files in it"):
        read([tmp_path], "en", "de")
    with pytest.raises(CorpusError, match="does not exist"):
        read([tmp_path / "x.tmx"], "en", "de")
    with pytest.raises(CorpusError, match="both en; they must differ"):
        read(make(tmp_path, "x.tsv"), "en", "EN")
    with pytest.raises(ValueError, match="'english' is no language tag"):
        read(make(tmp_path, "x.tsv"), "english", "de")


def mixed(folder: Path) -> list[Path]:
    (folder / "x.en").write_text("one\n")
    (folder / "x.es.gz").write_bytes(gzip.compress(b"uno\n"))
    (folder / "es-en.tsv").write_text("dos\ttwo\n")
    (folder / "x.tmx").write_text(
        '<tmx><body><tu><tuv xml:lang="en"><seg>three</seg></tuv>'
        '<tuv xml:lang="es"><seg>tres</seg></tuv></tu></body></tmx>'
    )
    (folder / "x.xlf").write_text(
        '<xliff version="1.2"><file source-language="en" target-language="es"><body><trans-unit id="1">'
        "<source>four</source><target>cuatro</target></trans-unit></body></file></xliff>"
    )
    (folder / "x.po").write_text('msgid ""\nmsgstr "Language: es\\n"\n\nmsgid "five"\nmsgstr "cinco"\n')
    return [folder / name for name in ("x.en", "x.es.gz", "es-en.tsv", "x.tmx", "x.xlf", "x.po")]


def test_all_formats_are_read_as_one_with_a_meter(tmp_path: Path) -> None:
    files = mixed(tmp_path)
    meter = meter_of(files)
    seen = []
    for unit in read(files, "en_US", "es", meter=meter):
        assert isinstance(unit, Pair)
        seen.append((unit.source, unit.target, meter.done))
    assert [pair[:2] for pair in seen] == [
        ("one", "uno"),
        ("two", "dos"),
        ("three", "tres"),
        ("four", "cuatro"),
        ("five", "cinco"),
    ]
    steps = [pair[2] for pair in seen]
    assert steps == sorted(steps)
    assert steps[0] < meter.total == meter.done == sum(file.stat().st_size for file in files)


def test_each_input_is_described_in_a_line(tmp_path: Path) -> None:
    described = sources(mixed(tmp_path), "en", "es")
    assert [line.replace(f"{tmp_path}/", "") for line in described] == [
        "x.en (en) + x.es.gz (es): lines of plain text",
        "es-en.tsv: columns 2 and 1, named by the file's name",
        "x.tmx: TMX",
        "x.xlf: XLIFF",
        "x.po: PO",
    ]


@given(chance=st.randoms(use_true_random=False), which=st.integers(0, 5))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_give_units_or_an_error_of_ours(chance: random.Random, which: int, tmp_path: Path) -> None:
    """Bytes changed, lost or doubled anywhere: a reader may refuse a file, but never falls over."""
    files = mixed(tmp_path)
    data = bytearray(files[which].read_bytes())
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data))
        change = chance.choice(["set", "cut", "double", "quote"])
        if change == "set":
            data[place] = chance.randrange(256)
        elif change == "cut":
            del data[place : place + chance.randint(1, 9)]
        elif change == "double":
            data[place:place] = data[place : place + 30]
        else:
            data[place:place] = chance.choice([b'"', b"<", b"&x;", b"]]>", b"\\", b"\0", b"\n"])
        data = data or bytearray(b"x")
    files[which].write_bytes(bytes(data))
    told = str(tmp_path)
    try:
        for unit in read(files, "en", "es"):
            assert unit.place.number > 0
    except CorpusError as problem:
        told = str(problem)
    assert str(tmp_path) in told


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="MIRADA_DATA names no folder with corpora")
@pytest.mark.parametrize(
    ("names", "source", "target", "count"),
    [
        ("multi30k/val.de multi30k/val.en", "en", "de", 1014),
        ("guarani/dev.es guarani/dev.gn", "es", "gn", 995),
        ("guarani/dev.es guarani/dev.gn multi30k/val.en", "es", "gn", -1),
    ],
)
def test_real_line_pairs(names: str, source: str, target: str, count: int) -> None:
    files = [DATA / name for name in names.split()]
    if count < 0:
        with pytest.raises(CorpusError, match="has no partner"):
            read(files, source, target)
        return
    assert sum(isinstance(unit, Pair) for unit in read(files, source, target)) == count
