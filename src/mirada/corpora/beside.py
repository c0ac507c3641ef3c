"""Beside: two processes beside this one that encode a corpus, one the sources and the other the targets.

They are spoken to through pipes, in frames of plain bytes: a length in 8 bytes, and as many bytes. What they answer is
what `mirada.corpora.encoding` would give in this process, to the byte, and comes in the order of the chunks. This file
is also the program that they run; it ends when the process that began it does.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from itertools import chain
from types import TracebackType
from typing import IO, final

import numpy as np

from mirada.corpora.encoding import SOURCE, TARGET, Encoded, Encoder, Segmenting
from mirada.corpora.pair import CorpusError
from mirada.text.subwords import Flat, Subwords

LENGTH = struct.Struct("<Q")


def encode_by_two(chunks: Iterable[Sequence[bytes]], subwords: Subwords, wanted: Segmenting) -> Encoded:
    """Both sides of the lines of a spool, chunk by chunk, by two other processes."""
    with ExitStack() as ending:
        both = [ending.enter_context(_Beside(subwords, wanted, side)) for side in (SOURCE, TARGET)]
        begun = False
        for lines in chain(chunks, (None,)):  # while the next chunk is read, both work on the last
            found = []
            for one in both:
                if begun:
                    found.append(one.receive())
                if lines is not None:  # after its answer: two that write to each other would wait for ever
                    one.send(b"".join(lines))
            if begun:
                yield found[SOURCE], found[TARGET]
            begun = True


@final
class _Beside:
    """A process that encodes one side; use as a context."""

    def __init__(self, subwords: Subwords, wanted: Segmenting, side: int) -> None:
        # -P: no file of the working directory is taken for a module. It finds its modules where this process does.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mirada.corpora.beside"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self.send(json.dumps({**asdict(wanted), "side": side}).encode())
        self.send(subwords.to_bytes())

    def __enter__(self) -> _Beside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._process.kill()
        self._process.communicate()

    def send(self, content: bytes) -> None:
        """Give it something to do."""
        try:
            _write(_there(self._process.stdin), content)
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self) -> Flat:
        """Wait for what it has done."""
        pipe = _there(self._process.stdout)
        tokens, lengths = _read(pipe), _read(pipe)
        if tokens is None or lengths is None:
            raise self._ended()
        return np.frombuffer(tokens, dtype="<u4"), np.frombuffer(lengths, dtype="<i8")

    def _ended(self) -> CorpusError:
        return CorpusError(
            f"a process that cuts texts into subwords ended with status {self._process.wait()}; "
            "if memory was short, free some; then give the command again"
        )


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("a process was begun without a pipe; begin it with both")
    return pipe


def _write(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes | None:
    """The next frame; None where the pipe has ended."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    content = pipe.read(length)
    return content if len(content) == length else None


def _work(asked: IO[bytes], answers: IO[bytes]) -> None:
    """What such a process does: it reads its order and the subwords, and then encodes chunk after chunk."""
    order, model = _read(asked), _read(asked)
    if order is None or model is None:
        return
    told = json.loads(order)
    encoder = Encoder(Subwords(model), Segmenting(told["variants"], told["seed"], told["longest"]))
    while (lines := _read(asked)) is not None:
        ((tokens, lengths),) = encoder.encode(lines.splitlines(keepends=True), (told["side"],))
        _write(answers, tokens.astype("<u4").tobytes())
        _write(answers, lengths.astype("<i8").tobytes())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that began this one
    _work(sys.stdin.buffer, sys.stdout.buffer)
