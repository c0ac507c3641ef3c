import re
from pathlib import Path

import numpy as np
import pytest

from beside.shapes import SMALL
from beside.task import DataError, prepare, require_corpus, synthetic
from mirada.corpora.demo import generate
from mirada.corpora.store import Store
from mirada.text.subwords import END

VOCABULARY = 200


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of the embedded grammar under the names of Multi30k."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "multi30k").mkdir()
    pairs = [made.pair for made in generate(240, 1)]
    for part, rows in (("train", pairs[:200]), ("val", pairs[200:]), ("test_2016_flickr", pairs[200:])):
        for language, side in (("en", "source"), ("de", "target")):
            lines = "".join(f"{getattr(pair, side)}\n" for pair in rows)
            (folder / "multi30k" / f"{part}.{language}").write_text(lines, encoding="utf-8")
    return folder


def test_all_forms_of_the_task_hold_the_same_tokens(data: Path, tmp_path: Path) -> None:
    task = prepare(data, tmp_path, VOCABULARY)
    vocabulary = (task.folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    store = Store.open(task.folder / "train")
    assert len(vocabulary) == store.vocabulary == VOCABULARY
    tokens = {}
    for side in ("source", "target"):
        ids = (task.folder / f"train.{side}.ids").read_text(encoding="ascii").splitlines()
        pieces = (task.folder / f"train.{side}.pieces").read_text(encoding="utf-8").split("\n")[:-1]
        assert len(ids) == len(pieces) == len(store) == 200
        for row, (numbers, words) in enumerate(zip(ids, pieces, strict=True)):
            read = [int(one) for one in numbers.split()]
            assert [vocabulary[one] for one in read] == [*words.split(" "), "</s>"]
            assert getattr(store, side)(row).tolist() == read
        tokens[side] = int(store.lengths(side).sum())
    assert task.source_share == pytest.approx(tokens["source"] / sum(tokens.values()))


def test_a_task_is_made_once(data: Path, tmp_path: Path) -> None:
    task = prepare(data, tmp_path, VOCABULARY)
    assert prepare(tmp_path / "gone", tmp_path, VOCABULARY) == task


def test_absent_data_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=re.escape(f"{tmp_path / 'multi30k'} has no train.en") + ".*MIRADA_DATA"):
        require_corpus(tmp_path)


def test_a_synthetic_side_has_its_length(tmp_path: Path) -> None:
    store = Store.open(synthetic(tmp_path, length=7, vocabulary=50, tokens=200))
    assert np.unique(store.source_lengths).tolist() == np.unique(store.target_lengths).tolist() == [7]
    assert len(store) == 14
    assert all(store.source(row)[-1] == END for row in range(len(store)))


def test_the_work_of_a_token_of_the_small_shape() -> None:
    # 3 encoder layers have 2.36 M weights, 3 decoder layers 3.15 M, the output 2.05 M; 6 operations for each.
    assert SMALL.flops(1.0) == 6 * 2_359_296
    assert SMALL.flops(0.0) == 6 * (3_145_728 + 2_048_000)
