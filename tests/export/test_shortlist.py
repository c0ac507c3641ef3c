"""A shortlist: what is on it, that the sum of all scores stays nearly what it was, and that CTranslate2 keeps to it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.corpora.store import Store, StoreWriter
from mirada.decoding.options import Search
from mirada.export import shortlist
from mirada.export.ctranslate2 import write
from mirada.export.engine import ExportedEngine
from mirada.export.folder import SHORTLIST, ExportError
from mirada.export.shortlist import Shortlist, learn
from mirada.text.subwords import BEGIN, END, SPECIAL, UNKNOWN, Subwords
from tests.export.models import random_model, shape
from tests.translators import TEXTS, slotted_subwords, subwords


def stored(folder: Path, known: Subwords, targets: list[str]) -> Store:
    with StoreWriter(folder, "test", known.size) as writer:
        writer.add(*([known.encode_flat(side, end=True)] for side in (TEXTS[: len(targets)], targets)))
    return Store.open(folder)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return stored(tmp_path_factory.mktemp("pairs") / "store", slotted_subwords(), ["Go home.", "No, not today!"])


def said_in(store: Store) -> set[int]:
    known = slotted_subwords()
    said = {one for row in range(len(store)) for one in store.target(row).tolist()}
    return said | set(range(len(SPECIAL) + known.slots))


@given(st.integers(1, 1_000))
def test_all_that_was_said_and_some_that_stand_for_the_rest(store, standing) -> None:
    found = learn(store, slotted_subwords(), standing)
    said = said_in(store)
    ids = found.ids.tolist()
    others = [one for one in ids if one not in said]
    assert ids == sorted(set(ids))
    assert said <= set(ids)
    never = slotted_subwords().size - len(said)
    assert 0 < len(others) <= min(standing, never)
    raised = dict(zip(ids, found.raised.tolist(), strict=True))
    assert all(raised[one] == 0 for one in said)
    # Where all that is never said has one score, the sum over the list is the sum over all.
    assert sum(np.exp(raised[one]) for one in others) == pytest.approx(never, rel=1e-5)


def test_where_all_is_said_nothing_is_raised(store, monkeypatch) -> None:
    monkeypatch.setattr(Store, "said", lambda self, side: np.ones(self.vocabulary, dtype=np.bool_))
    found = learn(store, slotted_subwords())
    assert len(found.ids) == slotted_subwords().size
    assert not found.raised.any()


def exported(folder: Path, chosen: list[int]) -> ExportedEngine:
    folder.mkdir()
    made = Shortlist(np.array(chosen), np.zeros(len(chosen), dtype=np.float32))
    write(random_model(shape()), folder, shortlist=made)
    return ExportedEngine.load(folder)


SOURCES = subwords().encode_many(TEXTS, end=True)
SEARCHES = (Search(beam=1, longest=9), Search(beam=3, n_best=3, longest=9))


@pytest.mark.parametrize("search", SEARCHES)
def test_only_the_list_is_said(search, tmp_path) -> None:
    engine = exported(tmp_path / "short", [BEGIN, END, *range(300, 340)])
    allowed = {UNKNOWN, BEGIN, END, *range(300, 340)}  # CTranslate2 itself adds the first
    for held in (engine, engine.reined()):
        said = {one for found in held.decode(SOURCES, search) for each in found for one in each.tokens}
        assert said
        assert said <= allowed


@pytest.mark.parametrize("search", SEARCHES)
def test_a_list_of_all_changes_nothing(search, tmp_path) -> None:
    short = exported(tmp_path / "short", list(range(subwords().size)))
    (tmp_path / "whole").mkdir()
    write(random_model(shape()), tmp_path / "whole")
    whole = ExportedEngine.load(tmp_path / "whole")
    assert short.exported.shortlist == subwords().size
    assert whole.exported.shortlist is None
    for mine, other in zip(short.decode(SOURCES, search), whole.decode(SOURCES, search), strict=True):
        assert [one.tokens for one in mine] == [one.tokens for one in other]


def test_alone_or_in_any_company(tmp_path) -> None:
    engine = exported(tmp_path / "short", [BEGIN, END, *range(280, 350)])
    together = engine.decode(SOURCES, SEARCHES[1])
    for source, found in zip(SOURCES, together, strict=True):
        assert [one.tokens for one in engine.decode([source], SEARCHES[1])[0]] == [one.tokens for one in found]


def test_what_is_raised_wins(tmp_path) -> None:
    path = tmp_path / "raised"
    path.mkdir()
    made = Shortlist(np.array([BEGIN, END, 300, 301]), np.array([0, 0, 0, 50], dtype=np.float32))
    write(random_model(shape()), path, shortlist=made)
    (found, *_) = ExportedEngine.load(path).decode(SOURCES[:1], Search(beam=1, longest=3))
    assert found[0].tokens == [301, 301, 301]


def test_a_list_that_is_not_there(tmp_path) -> None:
    exported(tmp_path / "short", [BEGIN, END])
    (tmp_path / "short" / SHORTLIST).unlink()
    with pytest.raises(ExportError, match=r"vmap\.txt is missing"):
        ExportedEngine.load(tmp_path / "short")


def test_the_file_is_one_line(tmp_path) -> None:
    shortlist.write(Shortlist(np.array([2, 3, 300]), np.zeros(3, dtype=np.float32)), subwords(), tmp_path / "list")
    assert (tmp_path / "list").read_text() == f"\t<s> </s> {subwords().pieces[300]}\n"
