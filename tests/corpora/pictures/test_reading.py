"""Pictures are read from whatever holds them, and what is none is told and read over."""

import gzip
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.pictures.arrays import Values, range_of
from mirada.corpora.pictures.decoding import MOST_PIXELS, spread
from mirada.corpora.pictures.fitting import choose_shape, fit
from mirada.corpora.pictures.picture import Picture, PictureShape
from mirada.corpora.pictures.reading import common_range, read_pictures

RED = (255, 0, 0)


def write(path: Path, size: tuple[int, int] = (5, 3), colour: object = RED, mode: str = "RGB") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, colour).save(path)  # type: ignore[arg-type]
    return path


def pictures(path: Path, **options: object) -> list[Picture]:
    found = list(read_pictures(path, **options))  # type: ignore[arg-type]
    assert all(isinstance(one, Picture) for one in found), found
    return [one for one in found if isinstance(one, Picture)]


def fault(path: Path) -> str:
    (found,) = read_pictures(path)
    assert isinstance(found, Fault)
    return found.reason


def test_a_folder_has_a_folder_for_each_label(tmp_path: Path) -> None:
    write(tmp_path / "cat" / "b.png")
    write(tmp_path / "cat" / "a.jpg")
    write(tmp_path / "dog" / "c.bmp", mode="L", colour=7)
    (tmp_path / "dog" / "notes.txt").write_text("no picture")
    found = pictures(tmp_path)
    assert [one.label for one in found] == ["cat", "cat", "dog"]
    assert [Path(one.place.file).name for one in found] == ["a.jpg", "b.png", "c.bmp"]
    assert found[1].frames[0].shape == (3, 5, 3)
    assert np.array_equal(found[2].frames[0], np.full((3, 5), 7))


def test_a_folder_within_a_label_and_an_animation_are_clips(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        write(tmp_path / "wave" / "one" / f"frame{number}.png", mode="L", colour=number)
    frames = [Image.new("L", (4, 4), value) for value in (0, 80, 160, 240)]
    frames[0].save(tmp_path / "wave" / "two.gif", save_all=True, append_images=frames[1:])
    first, second = pictures(tmp_path, frames=4)
    assert [int(frame[0, 0]) for frame in first.frames] == [1, 2, 10]  # 2 before 10
    assert len(second.frames) == 4
    assert len(pictures(tmp_path, frames=2)[0].frames) == 2


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".jsonl"])
def test_a_table_names_pictures_and_what_they_show(tmp_path: Path, suffix: str) -> None:
    write(tmp_path / "in" / "x.png")
    table, sign = tmp_path / f"table{suffix}", "," if suffix == ".csv" else "\t"
    row = {"picture": "in/x.png", "en": "a cat", "pt-BR": "um gato", "hexcode": "1", "group": "g"}
    text = json.dumps(row) if suffix == ".jsonl" else f"{sign.join(row)}\n{sign.join(row.values())}"
    table.write_text(text + "\n")
    (one,) = pictures(table)
    assert (one.texts, one.group, one.label) == ({"en": "a cat", "pt-BR": "um gato"}, "g", "")
    assert pictures(table, group="hexcode")[0].group == "1"


def test_a_table_may_have_a_column_of_languages(tmp_path: Path) -> None:
    write(tmp_path / "x.png")
    (tmp_path / "t.tsv").write_text("file\ttext\tlang\tlabel\nx.png\tgato\tspa\tcat\nx.png\tcat\n")
    one, other = read_pictures(tmp_path / "t.tsv")
    assert isinstance(one, Picture)
    assert (one.texts, one.label) == ({"es": "gato"}, "cat")
    assert isinstance(other, Fault)
    assert "2 columns, where 4 are expected" in other.reason


def test_what_is_no_picture_has_a_reason(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.png", (64, 64)).read_bytes()
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.png").write_text("<html>not found</html>")
    assert "damaged or no picture" in fault(tmp_path / "torn.png")
    assert "damaged or no picture" in fault(tmp_path / "text.png")
    assert "1 × 1 pixels" in fault(write(tmp_path / "dot.gif", (1, 1)))
    (tmp_path / "t.tsv").write_text("picture\tlabel\ngone.png\tx\n\tx\nwhole.png\ty\n")
    gone, nameless, good = read_pictures(tmp_path / "t.tsv")
    assert isinstance(gone, Fault)
    assert "cannot be read" in gone.reason
    assert isinstance(nameless, Fault)
    assert "names no picture" in nameless.reason
    assert isinstance(good, Picture)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """A small file that says it holds more pixels than are read."""
    path = write(tmp_path / "bomb.png", (8, 8), 0, "L")
    data = bytearray(path.read_bytes())
    data[16:24] = struct.pack(">II", MOST_PIXELS // 100, 101)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    path.write_bytes(data)
    assert "are more than are read" in fault(path)


def test_transparency_shows_white_and_sixteen_bits_become_eight(tmp_path: Path) -> None:
    clear = write(tmp_path / "clear.png", colour=(0, 0, 0, 0), mode="RGBA")
    assert (pictures(clear)[0].frames[0] == 255).all()
    Image.fromarray(np.full((4, 4), 0x1234, dtype=np.uint16)).save(tmp_path / "deep.png")
    assert (pictures(tmp_path / "deep.png")[0].frames[0] == 0x12).all()


def idx(path: Path, values: np.ndarray) -> None:
    header = bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape)
    data = header + values.astype(np.uint8).tobytes()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def test_idx_files_are_found_by_their_names(tmp_path: Path) -> None:
    images = np.arange(2 * 5 * 3).reshape(2, 5, 3)
    idx(tmp_path / "train-images-idx3-ubyte.gz", images)
    idx(tmp_path / "train-labels-idx1-ubyte", np.array([7, 9]))  # one packed, the other not
    found = pictures(tmp_path / "train-images-idx3-ubyte.gz")
    assert [one.label for one in found] == ["7", "9"]
    assert np.array_equal(found[1].frames[0], images[1])


def test_idx_files_that_do_not_fit_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t10k-images-idx3-ubyte"
    idx(path, np.zeros((2, 5, 3)))
    idx(tmp_path / "t10k-labels-idx1-ubyte", np.zeros(3))
    with pytest.raises(CorpusError, match="3 labels for 2 pictures"):
        list(read_pictures(path))
    (tmp_path / "t10k-labels-idx1-ubyte").unlink()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorpusError, match="ends in picture 2 of 2"):
        list(read_pictures(path))
    path.write_bytes(b"\0\0\x0d\3" + bytes(12))
    with pytest.raises(CorpusError, match="no idx file of bytes"):
        list(read_pictures(path))


def test_npz_files_are_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "digits.npz"
    np.savez_compressed(path, images=np.arange(2 * 4 * 4).reshape(2, 4, 4) / 2, labels=np.array(["a", "b"]))
    values = common_range((path,))
    assert values == Values(0.0, 15.5) == range_of(path)
    found = pictures(path, values=values)
    assert [one.label for one in found] == ["a", "b"]
    assert (int(found[0].frames[0][0, 0]), int(found[1].frames[0][3, 3])) == (0, 255)
    clips = tmp_path / "clips.npz"
    np.savez(clips, x=np.zeros((3, 6, 4, 5), dtype=np.uint8), y=np.array([1, 2, 3]))
    assert [len(one.frames) for one in pictures(clips, frames=2)] == [2, 2, 2]
    colour = tmp_path / "colour.npz"
    np.savez(colour, x=np.zeros((3, 6, 4, 3), dtype=np.uint8))
    assert pictures(colour)[0].frames[0].shape == (6, 4, 3)


def test_npz_files_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "objects.npz"
    np.savez(path, images=np.array([{"a": 1}, None], dtype=object))
    with pytest.raises(CorpusError, match="Python objects, which are never read"):
        list(read_pictures(path))
    np.savez(path, images=np.zeros((2, 9)))
    with pytest.raises(CorpusError, match=r"has the shape \(2, 9\)"):
        list(read_pictures(path))
    np.savez(path, other=np.zeros((2, 9)))
    with pytest.raises(CorpusError, match="holds other; an array of pictures is named"):
        list(read_pictures(path))
    path.write_bytes(b"PK no archive")
    with pytest.raises(CorpusError, match="no npz file"):
        list(read_pictures(path))


def test_what_holds_no_pictures_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds no pictures; a folder holds one folder for each label"):
        list(read_pictures(tmp_path))
    (tmp_path / "t.tsv").write_text("a\tb\n")
    with pytest.raises(CorpusError, match="one named picture must say where"):
        list(read_pictures(tmp_path / "t.tsv"))
    (tmp_path / "t.doc").write_text("a\tb\n")
    with pytest.raises(CorpusError, match="holds no pictures that can be read"):
        list(read_pictures(tmp_path / "t.doc"))


def test_pictures_are_brought_to_one_shape(tmp_path: Path) -> None:
    (one,) = pictures(write(tmp_path / "x.png", (12, 6)))
    shape = PictureShape(frames=2, height=3, width=4, channels=1)
    fitted = fit(one, shape)
    assert fitted.shape == (2, 3, 4, 1)
    assert (fitted == 76).all()  # the gray of red
    assert choose_shape([one], None, None, None) == PictureShape(height=6, width=12, channels=3)
    assert choose_shape([one], (8, 8), 2, 1) == PictureShape(frames=2, height=8, width=8, channels=1)
    large = Picture((np.zeros((200, 300), dtype=np.uint8),), one.place)
    assert choose_shape([large], None, None, None) == PictureShape(height=64, width=64)
    assert choose_shape([], None, None, None) is None
    assert spread(10, 3) == [0, 4, 9]
