"""A synthetic corpus: written once, gone on with where it stopped, and without what must not be learnt."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.corpora.pair import CorpusError
from mirada.corpora.reading import read
from mirada.decoding.limits import Flag
from mirada.decoding.options import Search
from mirada.synthesis import corpus
from mirada.synthesis.corpus import Plan, make
from tests.synthesis.writers import StoppedError, Writer

KNOWN = {f"text number {number}": f"texto número {number}" for number in range(23)}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "CHUNK", 5)


def plan(folder: Path, most: int | None = None, **ingredients: object) -> Plan:
    return Plan(folder / "synthetic", {"what": "a test", **ingredients}, ("en", "es"), Search(beam=2), most)


def never() -> Writer:
    raise AssertionError("what is there was made again")


def test_the_pairs_are_a_table_that_names_its_columns(tmp_path: Path) -> None:
    path = make(plan(tmp_path), lambda: iter(KNOWN), lambda: Writer(KNOWN), print)
    assert [(unit.source, unit.target) for unit in read([path], "en", "es")] == list(KNOWN.items())
    turned = [(unit.source, unit.target) for unit in read([path], "es", "en")]
    assert turned == [(target, source) for source, target in KNOWN.items()]
    assert list(path.parent.iterdir()) == [path], "nothing else is left"


def test_what_was_made_is_used_again_and_other_ingredients_are_another_corpus(tmp_path: Path) -> None:
    path = make(plan(tmp_path), lambda: iter(KNOWN), lambda: Writer(KNOWN), print)
    before = path.read_bytes()
    said: list[str] = []
    assert make(plan(tmp_path), never, never, said.append) == path
    assert "made before" in said[0]
    assert path.read_bytes() == before
    assert plan(tmp_path, beam=3).path != path


@pytest.mark.parametrize("stop_at", [0, 1, 4])
def test_who_stops_loses_a_chunk_at_most_and_ends_with_the_same_bytes(tmp_path: Path, stop_at: int) -> None:
    unbroken = make(plan(tmp_path / "unbroken"), lambda: iter(KNOWN), lambda: Writer(KNOWN), print)
    broken = plan(tmp_path / "broken")
    with pytest.raises(StoppedError):
        make(broken, lambda: iter(KNOWN), lambda: Writer(KNOWN, stop_at=stop_at), print)
    assert not broken.path.exists()
    (broken.parts / ".000001.tsv.torn").write_text("half a chu")
    (broken.folder / ".x.tsv.torn").write_text("half a fi")
    again, said = Writer(KNOWN), []
    make(broken, never, lambda: again, said.append)  # the texts are not read again
    assert again.calls == 5 - stop_at
    assert (f"{5 * stop_at} were translated before" in said[0]) == (stop_at > 0)
    assert broken.path.read_bytes() == unbroken.read_bytes()
    assert list(broken.folder.iterdir()) == [broken.path]


def test_spoilt_translations_are_left_out(tmp_path: Path) -> None:
    flags = {
        "text number 3": (Flag.REPEATING,),
        "text number 4": (Flag.CUT, Flag.DIVIDED),
        "text number 5": (Flag.DIVIDED,),
    }
    said: list[str] = []
    path = make(plan(tmp_path), lambda: iter(KNOWN), lambda: Writer(KNOWN, flags=flags), said.append)
    sources = [unit.source for unit in read([path], "en", "es")]
    assert sources == [text for text in KNOWN if text not in ("text number 3", "text number 4")]
    assert "left out: 2 (cut" in said[-1]


def test_with_no_text_or_no_translation_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no text can be translated"):
        make(plan(tmp_path), lambda: iter(()), never, print)
    assert not list(plan(tmp_path).parts.iterdir()), "an empty list of texts would be taken for a whole one"
    flags = dict.fromkeys(KNOWN, (Flag.EMPTY,))
    with pytest.raises(CorpusError, match="no translation can be used"):
        make(plan(tmp_path), lambda: iter(KNOWN), lambda: Writer(KNOWN, flags=flags), print)
    assert not plan(tmp_path).path.exists()


def test_at_most_so_many_are_taken_from_all_over(tmp_path: Path) -> None:
    said: list[str] = []
    path = make(plan(tmp_path, most=4), lambda: iter(KNOWN), lambda: Writer(KNOWN), said.append)
    assert "4 of 23 texts are used" in said[0]
    numbers = [int(unit.source.split()[-1]) for unit in read([path], "en", "es")]
    assert len(numbers) == 4
    assert numbers[0] < 6
    assert numbers[-1] > 17


@given(total=st.integers(1, 300), share=st.floats(0, 1))
def test_as_many_are_spread_as_are_wanted(total: int, share: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    path.write_text("".join(f"{number}\n" for number in range(total)))
    wanted = max(1, round(share * total))
    chosen = list(map(int, corpus._spread(path, total, wanted)))
    assert len(chosen) == wanted
    gaps = {after - before for before, after in pairwise(chosen)}
    assert max(gaps, default=0) - min(gaps, default=0) <= 1
