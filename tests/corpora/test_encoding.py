"""Whether one process encodes or two, the bytes are the same; and two leave nothing behind."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from mirada.corpora import beside, prepare
from mirada.corpora.beside import encode_by_two
from mirada.corpora.encoding import SOURCE, TARGET, WORTH_TWO, Both, Encoder, Segmenting, encode_all, worth_two
from mirada.corpora.pair import CorpusError, Pair, Place
from mirada.corpora.spool import Spool, in_chunks
from mirada.corpora.store_format import NAMES
from mirada.text.subwords import END, Subwords
from mirada.text.vocabulary import learn

WANTED = Segmenting(variants=3, seed=5, longest=60)
PAIRS = [
    (f"The {noun} of Ana costs {number} euros, {{name{number}}}.", f"¡{{name{number}}}: {nombre} de Ana, {number} €!")
    for number in range(17)
    for noun, nombre in (("house", "la casa"), ("Σίσυφος", "el pájaro"), ("▁ 🦊", "ᏣᎳᎩ"))
]


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    texts = (text for pair in PAIRS for text in ("\ufdd1".join(pair), pair[1]))
    found = learn(texts, 500).subwords
    assert found.slots
    return found


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    with Spool(tmp_path / "spool") as found:
        for number, (source, target) in enumerate(PAIRS, 1):
            context = [before for before, _ in PAIRS[max(0, number - 1 - number % 4) : number - 1]]
            found.add(Pair(source, target, Place("x.tsv", number), tuple(context)))
    return found


def everything(spool: Spool) -> Iterator[Sequence[bytes]]:
    return in_chunks(spool.lines(np.ones(len(spool), dtype=np.bool_)), 13)


def plain(found: Iterator[Both]) -> list[list[list[int]]]:
    return [[part.tolist() for side in both for part in side] for both in found]


def test_two_processes_give_what_one_gives(spool: Spool, subwords: Subwords) -> None:
    alone = plain(encode_all(everything(spool), subwords, WANTED))
    assert len(alone) == 4
    assert plain(encode_by_two(everything(spool), subwords, WANTED)) == alone


def test_no_source_is_longer_with_what_stands_before_it(spool: Spool, subwords: Subwords) -> None:
    (lines,) = in_chunks(spool.lines(np.ones(len(spool), dtype=np.bool_)))
    ((ids, lengths),) = Encoder(subwords, WANTED).encode(lines, (SOURCE,))
    sources = [row.tolist() for row in np.split(ids, np.cumsum(lengths)[:-1])]
    sentences = {number: [row.count(END) for row in sources[3 * number : 3 * number + 3]] for number in range(4)}
    assert max(lengths) <= 60
    assert sentences[0] == [1, 1, 1]
    assert max(max(counts) for counts in sentences.values()) > 1
    assert all(row[-1] == END for row in sources)


def test_no_chunk_gives_nothing(subwords: Subwords) -> None:
    assert plain(encode_by_two(iter(()), subwords, WANTED)) == []


def test_a_side_alone_is_as_with_the_other(spool: Spool, subwords: Subwords) -> None:
    (lines,) = in_chunks(spool.lines(np.ones(len(spool), dtype=np.bool_)))
    both = Encoder(subwords, WANTED).encode(lines, (SOURCE, TARGET))
    for side in (SOURCE, TARGET):
        (alone,) = Encoder(subwords, WANTED).encode(lines, (side,))
        assert [part.tolist() for part in alone] == [part.tolist() for part in both[side]]


def test_the_store_is_the_same_to_the_byte(
    spool: Spool, subwords: Subwords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.arange(len(spool)) % 5 != 0
    for name, two in (("alone", False), ("beside", True)):
        monkeypatch.setattr(prepare, "worth_two", lambda pairs, two=two: two)
        store = prepare.build_store(spool, rows, subwords, tmp_path / name, "x", variants=3, seed=5)
        assert len(store) == np.count_nonzero(rows)
    for name in NAMES:
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "beside" / name).read_bytes()


def test_two_are_worth_it_only_for_many_pairs() -> None:
    assert not worth_two(WORTH_TWO - 1)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every process that is begun."""
    known: list[subprocess.Popen[bytes]] = []
    begin = subprocess.Popen

    def remembered(*given: object, **named: object) -> subprocess.Popen[bytes]:
        known.append(begin(*given, **named))  # type: ignore[call-overload]
        return known[-1]

    monkeypatch.setattr(beside.subprocess, "Popen", remembered)
    return known


def test_who_stops_listening_leaves_no_process(
    spool: Spool, subwords: Subwords, begun: list[subprocess.Popen[bytes]]
) -> None:
    found = encode_by_two(everything(spool), subwords, WANTED)
    next(found)
    assert [process.poll() for process in begun] == [None, None]
    found.close()
    assert all(process.poll() is not None for process in begun)


def test_a_store_that_cannot_be_written_leaves_no_process(
    spool: Spool,
    subwords: Subwords,
    tmp_path: Path,
    begun: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prepare, "worth_two", lambda pairs: True)
    monkeypatch.setattr(prepare.StoreWriter, "add_interleaved", refuse)
    rows = np.ones(len(spool), dtype=np.bool_)
    with pytest.raises(ValueError, match="texts were given") as kept:  # kept: what it refers to still lives
        prepare.build_store(spool, rows, subwords, tmp_path / "store", "x", variants=3)
    assert len(begun) == 2
    assert all(process.poll() is not None for process in begun)
    assert kept.value


def refuse(writer: object, source: object, target: object) -> None:
    raise ValueError("other texts were given")


def test_a_process_that_dies_is_told(spool: Spool, subwords: Subwords, begun: list[subprocess.Popen[bytes]]) -> None:
    found = encode_by_two(everything(spool), subwords, WANTED)
    next(found)
    for process in begun:
        process.kill()
        process.wait()
    with pytest.raises(CorpusError, match=r"ended with status -9; if memory was short"):
        list(found)


def test_a_file_of_the_working_directory_is_not_run(
    spool: Spool, subwords: Subwords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sentencepiece.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert plain(encode_by_two(everything(spool), subwords, WANTED))
