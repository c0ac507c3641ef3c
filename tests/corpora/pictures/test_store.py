"""Stored pictures come back as they were, and a torn store is told."""

from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.pictures.store import PictureStore, PictureWriter, Standard
from mirada.corpora.store_format import DamagedStoreError

SHAPE = PictureShape(frames=2, height=5, width=3, channels=3)


def written(folder: Path, rows: np.ndarray) -> PictureStore:
    with PictureWriter(folder, "a test", SHAPE) as writer:
        for row in rows:
            writer.add(row)
    return PictureStore(folder)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).integers(0, 256, (7, *SHAPE.array), dtype=np.uint8)
    store = written(tmp_path / "train", rows)
    assert (len(store), store.shape) == (7, SHAPE)
    assert np.array_equal(store.rows(np.array([6, 0])), rows[[6, 0]])
    entered = store.standard.apply(rows)
    assert entered.shape == (7, 2, 3, 5, 3)
    assert np.allclose(entered.mean((0, 1, 3, 4)), 0, atol=1e-3)
    assert np.allclose(entered.std((0, 1, 3, 4)), 1, atol=1e-3)
    assert len(written(tmp_path / "train", rows[:0])) == 0  # in place of the one before


def test_what_has_no_contrast_is_not_blown_up() -> None:
    entered = Standard(mean=(9.0,), deviation=(0.0,)).apply(np.full((1, 1, 2, 2, 1), 10, dtype=np.uint8))
    assert (entered == 1).all()


def test_a_torn_store_is_told(tmp_path: Path) -> None:
    written(tmp_path / "s", np.zeros((2, *SHAPE.array), dtype=np.uint8))
    path = tmp_path / "s" / "pictures.bytes"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedStoreError, match="179 bytes, and 180 were written"):
        PictureStore(tmp_path / "s")
    (tmp_path / "s" / "header.json").write_text("{}")
    with pytest.raises(DamagedStoreError, match="no header"):
        PictureStore(tmp_path / "s")


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    written(tmp_path / "s", np.zeros((2, *SHAPE.array), dtype=np.uint8))
    with pytest.raises(ValueError, match="was given"), PictureWriter(tmp_path / "s", "b", SHAPE) as writer:
        writer.add(np.zeros((1, 2, 3, 1), dtype=np.uint8))
    assert len(PictureStore(tmp_path / "s")) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
