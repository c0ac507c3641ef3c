"""A server under load: many clients at once on the loopback address, batched against one request at a time.

    python bench/serve.py my-model-int8 --clients 64 --seconds 60 --sentences test.en

Each client keeps one connection and asks for one sentence after another. For each server: requests per second, the
median and the 99th percentile of their times, errors, and the server's memory after a tenth of the time and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SENTENCES = 2_000


@dataclass
class Load:
    """What the clients have seen."""

    seconds: list[float] = field(default_factory=list)  # of each request that was answered
    errors: list[str] = field(default_factory=list)
    elapsed: float = 0.0  # from the first request to the last answer
    memory: tuple[int, int] = (0, 0)  # bytes of the server, early and at the end

    def percentile(self, share: float) -> float:
        """The time in milliseconds that this share of all requests did not exceed."""
        return 1e3 * sorted(self.seconds)[min(len(self.seconds) - 1, int(share * len(self.seconds)))]


@contextmanager
def server(model: Path, *words: str) -> Iterator[tuple[int, int]]:
    """A server of a model, as its process and its port."""
    command = [sys.executable, "-m", "mirada", "serve", str(model), "--port", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr or ():
                if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                    yield process.pid, int(found[1])
                    break
            else:
                raise SystemExit("the server did not start")
        finally:
            process.terminate()
            process.wait()


def memory(process: int) -> int:
    """The bytes that a process holds now."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text(encoding="ascii"))
    return int(found[1]) * 1024 if found else 0


async def client(port: int, languages: dict[str, str], sentences: Iterator[str], ends: float, load: Load) -> None:
    """One client: a request after another, on one connection, until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while time.monotonic() < ends:
            begun = time.perf_counter()
            answer, content = await asked(reader, writer, {"q": next(sentences), **languages})
            if answer.startswith("http/1.1 200 ") and json.loads(content)["translatedText"]:
                load.seconds.append(time.perf_counter() - begun)
            else:
                load.errors.append(content.decode()[:200])
    except (OSError, asyncio.IncompleteReadError) as error:
        load.errors.append(repr(error))
    finally:
        writer.close()


async def asked(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: dict[str, str]
) -> tuple[str, bytes]:
    """The head and the content of the answer to a request."""
    body = json.dumps(request).encode()
    head = f"POST /translate HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n"
    writer.write(f"{head}content-type: application/json\r\n\r\n".encode() + body)
    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    return answer, await reader.readexactly(int(re.findall(r"content-length: (\d+)", answer)[0]))


async def under_load(
    process: int, port: int, languages: dict[str, str], sentences: Sequence[str], clients: int, seconds: float
) -> Load:
    """What all clients saw together."""
    load, turns = Load(), itertools.cycle(sentences)
    begun = time.monotonic()
    ends = begun + seconds
    working = asyncio.gather(*(client(port, languages, turns, ends, load) for _ in range(clients)))
    await asyncio.sleep(seconds / 10)
    early = memory(process)
    await working
    load.elapsed, load.memory = time.monotonic() - begun, (early, memory(process))
    return load


def measure(model: Path, name: str, sentences: Sequence[str], options: argparse.Namespace, *words: str) -> float:
    """Print a line of the table; the requests per second."""
    with server(model, *words) as (process, port):
        languages = asyncio.run(_languages(port))
        asyncio.run(under_load(process, port, languages, sentences, options.clients, options.warm))
        load = asyncio.run(under_load(process, port, languages, sentences, options.clients, options.seconds))
    if not load.seconds:
        raise SystemExit(f"{name}: no request was answered; {load.errors[:1]}")
    rate = len(load.seconds) / load.elapsed
    told = f"{1e3 * statistics.median(load.seconds):.0f} ms | {load.percentile(0.99):.0f} ms"
    early, late = (f"{bytes_ / 1e6:.0f} MB" for bytes_ in load.memory)
    print(f"| {name} | {rate:.1f} | {told} | {len(load.errors)} | {early} → {late} |", flush=True)
    return rate


async def _languages(port: int) -> dict[str, str]:
    """The languages of the first model."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /models HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
    first = json.loads((await reader.read()).partition(b"\r\n\r\n")[2])[0]
    writer.close()
    await writer.wait_closed()
    return {"source": first["source"], "target": first["target"]}


def read_sentences(path: Path | None) -> list[str]:
    """The sentences to ask for: those of a file, or of the demonstration's grammar."""
    if path is not None:
        return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    from mirada.corpora.demo import generate

    return [one.pair.source for one in generate(SENTENCES, 1)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", type=Path, help="the folder of a model")
    options.add_argument("--clients", type=int, default=64)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--warm", type=float, default=3.0, help="seconds before that are not counted")
    options.add_argument("--beam", type=int, default=5)
    options.add_argument("--sentences", type=Path, help="one on each line; else those of the demonstration")
    chosen = options.parse_args()
    sentences = read_sentences(chosen.sentences)
    print(f"{chosen.model.name}, {chosen.clients} clients, {chosen.seconds:g} s each, beam {chosen.beam}\n")
    print("| server | requests/s | median | p99 | errors | memory |\n|---|---|---|---|---|---|")
    beam = ("--beam", str(chosen.beam))
    alone = measure(chosen.model, "one at a time", sentences, chosen, *beam, "--limit", "batch=1")
    together = measure(chosen.model, "batched", sentences, chosen, *beam)
    print(f"\nBatching answers {together / alone:.1f} times the requests.")


if __name__ == "__main__":
    main()
