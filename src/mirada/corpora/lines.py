"""Lines: the text of a file, line by line, where a line that cannot be text is a Fault and not the end."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from mirada.corpora.opening import Meter, opened
from mirada.corpora.pair import Fault, Place

LINE_BYTES = 65_536  # a line longer than this is no sentence; far fewer bytes than memory could bear
SHOWN = 200  # characters of a faulty line that its report repeats

Line = str | Fault


def lines(path: Path, meter: Meter | None = None, limit: int = LINE_BYTES) -> Iterator[Line]:
    """Every line without its end, in order: as text, or as the reason why it is none."""
    name = str(path)
    with opened(path, meter) as stream:
        text = _as_utf8(stream)
        for number in count(1):
            raw = text.readline(limit + 2)  # 2: the longest end of a line
            if not raw:
                return
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            if len(raw) > limit and not raw.endswith(b"\n"):
                yield _too_long(raw, _skip(text), limit, Place(name, number))
                continue
            raw = raw.removesuffix(b"\n").removesuffix(b"\r")
            line = _good(raw)  # a place is made only for those that need one
            yield decoded(raw, Place(name, number)) if line is None else line


def _good(raw: bytes) -> str | None:
    """The text of one line, None where something is wrong with it."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or len(text) > LINE_BYTES else text


def decoded(raw: bytes, place: Place) -> Line:
    """The text of one line, or the Fault that it is."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        reason = f"byte {problem.start + 1} is 0x{raw[problem.start]:02x}, which is not UTF-8; convert the file"
        return Fault(place, reason, shown(raw.decode("utf-8", "backslashreplace")))
    return faultless(text, place)


def faultless(text: str, place: Place, limit: int = LINE_BYTES) -> Line:
    """A text that can be used, or the Fault that it is: too long, or with a NUL."""
    if "\0" in text:
        return Fault(place, f"character {text.index(chr(0)) + 1} is NUL; remove it", shown(text))
    if len(text) > limit:
        return Fault(place, f"{len(text):,} characters long; at most {limit:,} are read", shown(text))
    return text


def shown(text: str) -> str:
    """The beginning of a text, with its control characters made visible, for a report."""
    start = text[:SHOWN]
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in start)


def _too_long(raw: bytes, rest: int, limit: int, place: Place) -> Fault:
    reason = f"the line is {len(raw) + rest:,} bytes long; at most {limit:,} are read"
    return Fault(place, reason, shown(raw.decode("utf-8", "backslashreplace")))


def _skip(text: io.BufferedReader) -> int:
    """Read to the end of the line in pieces; return how many bytes that were."""
    skipped = 0
    while piece := text.readline(LINE_BYTES):
        skipped += len(piece.removesuffix(b"\n"))
        if piece.endswith(b"\n"):
            break
    return skipped


def _as_utf8(stream: io.BufferedReader) -> io.BufferedReader:
    if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return io.BufferedReader(_Recoded(stream))
    return stream


class _Recoded(io.RawIOBase):
    """UTF-16 as UTF-8. What is wrong in it stays wrong, so that its line becomes a Fault."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            self._ready = self._next()
        piece, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def _next(self) -> bytes:
        data = self._stream.read(1 << 14)
        self._ended = not data
        try:
            return self._decoder.decode(data, final=self._ended).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError:  # only the end can be wrong now: half a character
            self._ended = True
            return b"\xff"
