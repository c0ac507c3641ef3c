"""Files of word vectors: read again as they were written, in every format, and refused where they are broken."""

import struct
from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.pair import CorpusError
from mirada.models.folder import FolderError
from mirada.models.vectors import WordVectors
from mirada.models.vectors_files import FILE_KINDS, open_vectors, write_vectors
from mirada.text.word_list import Words

SUFFIXES = {"word2vec": ".txt", "word2vec-binary": ".bin", "fasttext": ".vec.gz", "glove": ".txt"}


def some_vectors() -> WordVectors:
    table = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    table[0, 0] = np.float32(1e-30)
    return WordVectors(Words(["naïve", "the", "日本"], [0, 0, 0]), table)


@pytest.mark.parametrize("kind", sorted(FILE_KINDS))
def test_a_file_is_read_as_it_was_written(kind: str, tmp_path: Path) -> None:
    path, vectors = tmp_path / f"vectors{SUFFIXES[kind]}", some_vectors()
    write_vectors(path, vectors, FILE_KINDS[kind])
    found = open_vectors(path)
    assert found.words.words == vectors.words.words
    assert np.array_equal(found.table, vectors.table)


def test_files_as_other_programs_write_them(tmp_path: Path) -> None:
    (tmp_path / "a.vec").write_text("2 3 \nking 1 2 3 \nqueen 1e0 -2.5 3 \n")  # fastText ends its lines with a space
    (tmp_path / "b.txt").write_text(". . 1 2 3\nking 4 5 6\n".replace(". .", "king's"))
    rows = b"".join(word + b" " + struct.pack("<3f", 1, 2, 3) for word in (b"king", b"queen"))  # no line breaks
    (tmp_path / "c.bin").write_bytes(b"2 3\n" + rows)
    assert open_vectors(tmp_path / "a.vec").table.tolist() == [[1, 2, 3], [1, -2.5, 3]]
    assert open_vectors(tmp_path / "b.txt").words.words == ("king's", "king")
    assert open_vectors(tmp_path / "c.bin").words.words == ("king", "queen")


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.txt", b"", "holds no word"),
        ("a.txt", b"2 3\nking 1 2\n", "has 2 numbers, not 3"),
        ("a.txt", b"king one two\n", "something else than numbers"),
        ("a.txt", b"king nan 1\n", "not finite"),
        ("a.txt", b"2 99999999\n", "vectors of width 99999999"),
        ("a.txt", b"word\n", "vectors of width 0"),
        ("a.bin", b"king", "does not begin with the number"),
        ("a.bin", b"2 3\nking " + struct.pack("<3f", 1, 2, 3) + b"queen \0", "ends within word 2 of 2"),
        ("a.bin", b"1 1\n" + b"x" * 9_000, "ends within word 1|too long"),
    ],
)
def test_a_broken_file_is_refused(name: str, data: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CorpusError, match=told):
        open_vectors(tmp_path / name)


def test_a_folder_of_another_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"task": "lm"}')
    with pytest.raises(FolderError, match="a model for lm, no word vectors; name a folder"):
        open_vectors(tmp_path)
