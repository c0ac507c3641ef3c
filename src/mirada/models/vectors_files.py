"""Files of word vectors that other programs write and read: word2vec's text and binary, fastText's .vec, GloVe's text.

Text has a word and its numbers on each line; word2vec and fastText put the number of words and the width on a line
before. Binary has that line too, and then each word, a space and its numbers as little-endian float32.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from mirada.corpora.opening import opened, unpacked_name
from mirada.corpora.pair import CorpusError
from mirada.corpora.writing import replacing
from mirada.models import vectors_folder
from mirada.models.config import WIDEST
from mirada.models.vectors import WordVectors
from mirada.text.word_list import LONGEST, MOST_WORDS, Words

FileKind = Literal["word2vec", "word2vec-binary", "fasttext", "glove"]
FILE_KINDS: dict[str, FileKind] = {kind: kind for kind in get_args(FileKind)}
BINARY = ".bin"
LONGEST_LINE = 40 * WIDEST  # bytes: so many numbers with all their digits
WORD_BYTES = 4 * LONGEST
TOGETHER = 1_000  # words that are written at once

Row = tuple[str, Float[NDArray[np.float32], "W"]]


def open_vectors(path: Path) -> WordVectors:
    """The word vectors of a folder of ours, or of a file of another program."""
    if path.is_dir():
        return vectors_folder.load(path)
    if unpacked_name(path).lower().endswith(BINARY):
        return _gathered(path, _binary_rows(path))
    return _gathered(path, _text_rows(path))


def _gathered(path: Path, rows: Iterator[Row]) -> WordVectors:
    words, vectors = [], []
    for word, vector in rows:
        words.append(word)
        vectors.append(vector)
        if len(words) > MOST_WORDS:
            raise CorpusError(f"{path} has more than {MOST_WORDS:,} words; give a part of it")
    if not words:
        raise CorpusError(f"{path} holds no word with a vector; name a file of word vectors, or a folder")
    table = np.stack(vectors)
    if not np.isfinite(table).all():
        raise CorpusError(f"{path} holds numbers that are not finite; the file is damaged, make it again")
    return WordVectors(Words(words, [0] * len(words)), table)


def _text_rows(path: Path) -> Iterator[Row]:
    width: int | None = None
    with opened(path) as stream:
        for number, line in enumerate(_lines(path, stream), 1):
            fields = line.rstrip().rsplit(b" ", len(line) if width is None else width)
            if number == 1 and _is_header(fields):
                width = _require_width(path, int(fields[1]))
                continue
            width = _require_width(path, len(fields) - 1) if width is None else width
            if len(fields) != width + 1:
                raise CorpusError(f"{path}:{number} has {len(fields) - 1} numbers, not {width}; is it the whole file?")
            yield _word(path, number, fields[0]), _numbers(path, number, fields[1:])


def _lines(path: Path, stream: io.BufferedReader) -> Iterator[bytes]:
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise CorpusError(f"{path} has a line of more than {LONGEST_LINE:,} bytes; it holds no word vectors")
        if line.strip():
            yield line


def _is_header(fields: Sequence[bytes]) -> bool:
    return len(fields) == 2 and all(field.isdigit() and len(field) < 20 for field in fields)


def _require_width(path: Path, width: int) -> int:
    if not 1 <= width <= WIDEST:
        raise CorpusError(f"{path} has vectors of width {width}; use 1 to {WIDEST:,}: it may be no file of vectors")
    return width


def _word(path: Path, number: int, raw: bytes) -> str:
    word = raw.decode("utf-8", "replace").strip()
    if not 0 < len(word) <= LONGEST or any(mark in word for mark in "\t\n\r\0"):
        raise CorpusError(
            f"{path}: word {number} is empty, too long or no text; the file is damaged or of another kind"
        )
    return word


def _numbers(path: Path, number: int, fields: Sequence[bytes]) -> Float[NDArray[np.float32], "W"]:
    try:
        return np.array(fields, dtype=np.float64).astype(np.float32)
    except ValueError:
        raise CorpusError(f"{path}:{number} holds something else than numbers after its word; is it text?") from None


def _binary_rows(path: Path) -> Iterator[Row]:
    with opened(path) as stream:
        header = stream.readline(100).split()
        if not _is_header(header):
            raise CorpusError(f"{path} does not begin with the number of words and the width; it is no word2vec binary")
        count, width = int(header[0]), _require_width(path, int(header[1]))
        for number in range(1, count + 1):
            word = _binary_word(stream)
            data = stream.read(4 * width)
            if len(data) < 4 * width:
                raise CorpusError(f"{path} ends within word {number:,} of {count:,}; copy it again")
            yield _word(path, number, word), np.frombuffer(data, dtype="<f4").astype(np.float32)


def _binary_word(stream: io.BufferedReader) -> bytes:
    """The bytes before the next space; some programs end the row before with a line break."""
    word = bytearray()
    while (one := stream.read(1)) not in (b" ", b"") and len(word) <= WORD_BYTES:
        word += one
    return bytes(word).lstrip(b"\n")


def write_vectors(path: Path, vectors: WordVectors, kind: FileKind) -> None:
    """Write a file that other programs read; it is whole or not there."""
    words, table = vectors.words.words, vectors.table
    broken = next((word for word in words if " " in word), None) if kind != "glove" else None
    if broken is not None:
        raise ValueError(f"'{broken}' has a space within, which {kind} cannot write; use --format glove")
    with replacing(path) as out:
        if kind != "glove":
            out.write(f"{len(words)} {vectors.width}\n".encode())
        for start in range(0, len(words), TOGETHER):
            part = slice(start, start + TOGETHER)
            out.write(b"".join(_rows(words[part], table[part], kind)))


def _rows(words: Sequence[str], table: Float[NDArray[np.float32], "V W"], kind: FileKind) -> Iterator[bytes]:
    for word, vector in zip(words, table, strict=True):
        if kind == "word2vec-binary":
            yield word.encode() + b" " + vector.astype("<f4").tobytes() + b"\n"
        else:  # as many digits as tell every float32 from the next
            yield f"{word} {' '.join(f'{number:.9g}' for number in vector.tolist())}\n".encode()
