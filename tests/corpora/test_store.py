"""A store gives back what was put in, in constant memory, and a torn or foreign one is told by name."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import (
    DamagedStoreError,
    Flat,
    Store,
    StoreWriter,
    file_identity,
    fingerprint,
)


def flat(rows: list[list[int]]) -> Flat:
    return (
        np.array([one for row in rows for one in row], dtype=np.uint32),
        np.array([len(row) for row in rows], dtype=np.int64),
    )


def write(
    folder: Path, source: list[list[int]], target: list[list[int]], vocabulary: int = 100, made_from: str = "x"
) -> Store:
    with StoreWriter(folder, made_from, vocabulary) as writer:
        for start in range(0, len(source), 3):
            writer.add([flat(source[start : start + 3])], [flat(target[start : start + 3])])
    return Store.open(folder)


SOURCE = [[5, 3], [7, 8, 9, 3], [3], [11, 3], [99, 98, 3]]
TARGET = [[6, 3], [4, 3], [12, 13, 14, 15, 3], [3], [50, 3]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return write(tmp_path / "store", SOURCE, TARGET)


def test_what_goes_in_comes_out(store: Store) -> None:
    assert len(store) == 5
    assert [store.source(row).tolist() for row in range(5)] == SOURCE
    assert [store.target(row).tolist() for row in range(5)] == TARGET
    assert store.source_lengths.tolist() == [2, 4, 1, 2, 3]
    assert store.target_lengths.tolist() == [2, 2, 5, 1, 2]
    store.verify()


def test_what_stands_in_a_side(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.corpora.store.RUN", 3)  # ids at once
    for side, rows in (("source", SOURCE), ("target", TARGET)):
        assert np.flatnonzero(store.said(side)).tolist() == sorted({one for row in rows for one in row})


def test_a_batch_is_padded_at_the_right(store: Store) -> None:
    tokens, lengths = store.batch(np.array([4, 0, 1, 0]), "source")
    assert tokens.dtype == np.int64
    assert tokens.tolist() == [[99, 98, 3, 0], [5, 3, 0, 0], [7, 8, 9, 3], [5, 3, 0, 0]]
    assert lengths.tolist() == [3, 2, 4, 2]
    empty, none = store.batch(np.zeros(0, dtype=np.int64), "target")
    assert empty.shape == (0, 0)
    assert none.shape == (0,)


rows = st.lists(st.tuples(*[st.lists(st.integers(0, 70_000), max_size=7)] * 2), max_size=12)


@given(rows, st.sampled_from([70_001, 1 << 20]), st.data())
def test_any_rows_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[list[int], list[int]]],
    vocabulary: int,
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("any") / "store"
    store = write(folder, [one for one, _ in pairs], [one for _, one in pairs], vocabulary)
    assert len(store) == len(pairs)
    chosen = data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=9)) if pairs else []
    for place, side in enumerate(("source", "target")):
        tokens, lengths = store.batch(np.array(chosen, dtype=np.int64), side)  # type: ignore[arg-type]
        assert [row[:length].tolist() for row, length in zip(tokens, lengths, strict=True)] == [
            pairs[row][place] for row in chosen
        ]
        assert all(not row[length:].any() for row, length in zip(tokens, lengths, strict=True))
    shutil.rmtree(folder)


def test_two_bytes_suffice_for_most_vocabularies(tmp_path: Path) -> None:
    small = write(tmp_path / "small", [[65_535]], [[1]], 1 << 16)
    large = write(tmp_path / "large", [[65_536]], [[1]], (1 << 16) + 1)
    assert (tmp_path / "small" / "source.tokens").stat().st_size == 2
    assert (tmp_path / "large" / "source.tokens").stat().st_size == 4
    assert small.source(0).tolist() == [65_535]
    assert large.source(0).tolist() == [65_536]


def test_several_segmentations(tmp_path: Path) -> None:
    variants = [
        [[[5, 3], [7, 3]], [[1, 2, 3], [3]], [[3], [8, 9, 3]]],
        [[[6, 3], [4, 3]], [[3], [3]], [[2, 3], [1, 3]]],
    ]
    with StoreWriter(tmp_path / "store", "x", 10, variants=3) as writer:
        writer.add([flat(one) for one in variants[0]], [flat(one) for one in variants[1]])
        writer.add([flat(one) for one in variants[0]], [flat(one) for one in variants[1]])
    store = Store.open(tmp_path / "store")
    assert len(store) == 4
    assert store.source_lengths.tolist() == [[2, 3, 1], [2, 1, 3]] * 2
    for row in range(4):
        for variant in range(3):
            assert store.source(row, variant).tolist() == variants[0][variant][row % 2]
            assert store.target(row, variant).tolist() == variants[1][variant][row % 2]
    tokens, _ = store.batch(np.array([3, 0, 1]), "source", np.array([2, 1, 0]))
    assert tokens.tolist() == [[8, 9, 3], [1, 2, 3], [7, 3, 0]]
    assert store.batch(np.array([1]), "source")[0].tolist() == [[7, 3]]
    with pytest.raises(IndexError, match="variant 3"):
        store.batch(np.array([1]), "source", np.array([3]))


def test_rows_that_are_not_there(store: Store) -> None:
    for row in (-1, 5):
        with pytest.raises(IndexError, match="the store has 5 rows"):
            store.batch(np.array([0, row]), "source")


def test_an_empty_store(tmp_path: Path) -> None:
    store = write(tmp_path / "store", [], [])
    assert len(store) == 0
    assert store.source_lengths.tolist() == []


def test_wrong_ids_and_uneven_sides_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="id 100 is outside"), StoreWriter(tmp_path / "store", "x", 100) as writer:
        writer.add([flat([[100]])], [flat([[1]])])
    with pytest.raises(ValueError, match="same number of texts"), StoreWriter(tmp_path / "store", "x", 100) as writer:
        writer.add([flat([[1], [2]])], [flat([[1]])])
    assert list(tmp_path.iterdir()) == []


def test_a_failed_writing_leaves_the_old_store(store: Store) -> None:
    def fail() -> None:
        with StoreWriter(store.folder, "y", 100) as writer:
            writer.add([flat([[1]])], [flat([[1]])])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert Store.open(store.folder).made_from == "x"
    assert [entry.name for entry in store.folder.parent.iterdir()] == ["store"]


def test_what_a_killed_run_left_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / "store.writing").mkdir()
    (tmp_path / "store.writing" / "source.tokens").write_bytes(b"torn")
    assert len(write(tmp_path / "store", SOURCE, TARGET)) == 5
    assert not (tmp_path / "store.writing").exists()


def test_a_folder_with_other_things_is_never_removed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(CorpusError, match=r"thesis\.txt.*choose another folder"):
        write(tmp_path / "mine", SOURCE, TARGET)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mirada.corpora.store_writer.os.fsync", full)
    with pytest.raises(CorpusError, match=r"store could not be written: No space left"):
        write(tmp_path / "store", SOURCE, TARGET)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", [f"{side}.{part}" for side in ("source", "target") for part in ("tokens", "offsets", "lengths")]
)
def test_a_torn_or_missing_file_is_told_by_name(store: Store, name: str) -> None:
    path = store.folder / name
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedStoreError, match=rf"{name} has [\d,]+ bytes; the header promises"):
        Store.open(store.folder)
    path.unlink()
    with pytest.raises(DamagedStoreError, match=rf"{name} is missing"):
        Store.open(store.folder)


def test_a_changed_header_is_told(store: Store) -> None:
    path = store.folder / "header.json"
    good = path.read_text()
    header = json.loads(good)
    for key, value, told in (
        ("magic", "other", "magic"),
        ("schema_number", 2, "schema_number"),
        ("pairs", 4, "checksum"),
        ("made_from", "y", "checksum"),
        ("pairs", -1, "pairs"),
        ("surprise", 1, "surprise"),
    ):
        path.write_text(json.dumps({**header, key: value}))
        with pytest.raises(DamagedStoreError, match=rf"header\.json.*{told}"):
            Store.open(store.folder)
    for text in ("", good[:50], "[]", "\x00\x01"):
        path.write_text(text)
        with pytest.raises(DamagedStoreError, match=r"header\.json is no header"):
            Store.open(store.folder)


def test_verifying_finds_changed_contents(store: Store) -> None:
    path = store.folder / "target.tokens"
    original = path.read_bytes()
    path.write_bytes(b"\xff" + original[1:-1] + b"\xff")
    with pytest.raises(DamagedStoreError, match=r"target\.tokens holds impossible ids"):
        Store.open(store.folder).verify()
    path.write_bytes(original)
    lengths = store.folder / "source.lengths"
    lengths.write_bytes(b"\x07" + lengths.read_bytes()[1:])
    with pytest.raises(DamagedStoreError, match=r"source\.offsets and source\.lengths disagree"):
        Store.open(store.folder).verify()


def test_a_fingerprint_knows_contents_and_not_names(tmp_path: Path) -> None:
    for name, content in (("a", b"same"), ("b", b"same"), ("c", b"other")):
        (tmp_path / name).write_bytes(content)
    one, same, other = (file_identity(tmp_path / name) for name in "abc")
    assert one == same != other
    assert fingerprint({"files": [one], "size": 8000}) == fingerprint({"size": 8000, "files": [same]})
    assert fingerprint({"files": [one], "size": 8000}) != fingerprint({"files": [one], "size": 8001})
