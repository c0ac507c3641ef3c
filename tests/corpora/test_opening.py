"""Opening files: packed or plain, whole or torn, honest or not."""

import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mirada.corpora.lines import LINE_BYTES, lines
from mirada.corpora.opening import Meter, opened, size, unpacked_name
from mirada.corpora.pair import CorpusError, Fault

PACK = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}
PACKED = [".gz", ".xz", ".zst"]
TEXT = "".join(f"línea {number} ñandú\n" for number in range(20_000)).encode()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def texts(path: Path) -> list[str]:
    found = list(lines(path))
    assert not [line for line in found if isinstance(line, Fault)]
    return [str(line) for line in found]


@pytest.mark.parametrize("suffix", PACK)
def test_lines_are_the_same_however_packed(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x.en{suffix}", PACK[suffix](TEXT))
    assert texts(path) == TEXT.decode().splitlines()


@pytest.mark.parametrize("suffix", PACKED)
def test_several_frames_follow_each_other(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", PACK[suffix](b"one\ntw") + PACK[suffix](b"o\n"))
    assert texts(path) == ["one", "two"]


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("share", [0.3, 0.7, 0.999])
def test_a_torn_file_is_named_with_how_far_it_was_read(suffix: str, share: float, tmp_path: Path) -> None:
    data = PACK[suffix](TEXT)
    path = write(tmp_path / f"torn{suffix}", data[: int(len(data) * share)])
    with pytest.raises(CorpusError, match=rf"torn{suffix} is broken or cut off after [\d,]+ bytes of text"):
        list(lines(path))


@pytest.mark.parametrize("suffix", PACKED)
def test_a_damaged_file_is_an_error(suffix: str, tmp_path: Path) -> None:
    data = bytearray(PACK[suffix](TEXT))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(CorpusError, match="download it again"):
        list(lines(write(tmp_path / f"x{suffix}", bytes(data))))


@pytest.mark.parametrize("suffix", PACKED)
def test_what_does_not_begin_as_its_suffix_says_is_an_error(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="does not begin as"):
        list(lines(write(tmp_path / f"x{suffix}", b"plain text\n")))
    with pytest.raises(CorpusError, match=f"add {suffix} to its name"):
        list(lines(write(tmp_path / "x.txt", PACK[suffix](b"text\n"))))
    with pytest.raises(CorpusError, match="does not begin as"):
        list(lines(write(tmp_path / f"empty{suffix}", b"")))


def test_archives_directories_and_absent_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="archive"):
        list(lines(write(tmp_path / "x.txt", b"PK\x03\x04rest")))
    with pytest.raises(CorpusError, match="is a directory"):
        list(lines(tmp_path))
    with pytest.raises(CorpusError, match="does not exist"):
        list(lines(tmp_path / "absent.en"))


@pytest.mark.parametrize("suffix", PACKED)
def test_a_bomb_is_read_in_bounded_memory(suffix: str, tmp_path: Path) -> None:
    """200 MB of one letter without an end of line: one Fault, and never held at once."""
    import tracemalloc

    length = 200_000_000
    path = tmp_path / f"bomb{suffix}"
    block = b"a" * 1_000_000
    if suffix == ".zst":
        packer = zstandard.ZstdCompressor().compressobj()
        path.write_bytes(b"".join([*(packer.compress(block) for _ in range(200)), packer.flush()]))
    elif suffix == ".gz":
        with gzip.open(path, "wb", compresslevel=1) as stream:
            for _ in range(200):
                stream.write(block)
    else:
        length = 50_000_000  # xz packs slowly
        with lzma.open(path, "wb", preset=0) as stream:
            for _ in range(50):
                stream.write(block)
    tracemalloc.start()
    found = list(lines(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [type(line) for line in found] == [Fault]
    assert f"{length:,} bytes long" in found[0].reason  # type: ignore[union-attr]
    assert peak < 50_000_000


def test_a_meter_counts_the_bytes_of_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path / "x.gz", gzip.compress(TEXT))
    meter = Meter(size([path]))
    with opened(path, meter) as stream:
        stream.read(10)
        assert 0 < meter.done <= meter.total
        stream.read()
    assert meter.done == meter.total == path.stat().st_size


def test_a_mark_of_byte_order_is_no_text(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "x", b"\xef\xbb\xbfuno\r\ndos")) == ["uno", "dos"]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_by_its_mark(order: str, tmp_path: Path) -> None:
    text = "ñandú\r\n" + "𝄞 line\n" * 9_001 + "end"
    assert texts(write(tmp_path / "x", ("\ufeff" + text).encode(order))) == text.splitlines()


def test_half_a_character_of_utf_16_is_a_fault(tmp_path: Path) -> None:
    first, second = lines(write(tmp_path / "x", "\ufeffgood\nbad".encode("utf-16-le") + b"\x41"))
    assert first == "good"
    assert isinstance(second, Fault)


def test_a_line_that_is_no_text_is_a_fault_and_the_others_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "x.en", b"one\ncaf\xe9\nwith\0nul\n" + b"x" * 100_000 + b"\nlast\n")
    one, latin, nul, long, last = lines(path)
    assert (one, last) == ("one", "last")
    assert isinstance(latin, Fault)
    assert str(latin.place) == f"{path}:2"
    assert "byte 4 is 0xe9" in latin.reason
    assert latin.text == r"caf\xe9"
    assert isinstance(nul, Fault)
    assert "character 5 is NUL" in nul.reason
    assert nul.text == r"with\x00nul"
    assert isinstance(long, Fault)
    assert "100,000 bytes long" in long.reason
    assert len(long.text) <= 200


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
@pytest.mark.parametrize("more", [0, 1])
def test_the_limit_is_exact(end: bytes, more: int, tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"a" * (LINE_BYTES + more) + end)
    (line,) = lines(path)
    assert isinstance(line, Fault) == bool(more)


@given(data=st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_any_bytes_are_lines_or_faults(data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "any", data)
    try:
        found = list(lines(path, limit=50))
    except CorpusError:
        return  # it began like an archive
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        parts = data.split(b"\n")
        assert len(found) == len(parts) - (parts[-1] == b"")
        assert all(isinstance(line, Fault) or len(line) <= 52 for line in found)


def test_names_without_their_packing() -> None:
    assert unpacked_name(Path("a/x.tmx.gz")) == "x.tmx"
    assert unpacked_name(Path("x.en")) == "x.en"
    assert unpacked_name(Path("x.ZST")) == "x"
