"""A large translation memory, generated and read: seconds, and the most memory that reading took."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mirada.corpora.pair import Pair
from mirada.corpora.reading import meter_of, read

WORDS = re.findall(r"\w+", "the small house stands beside an old river and nobody knows who built it or when")
PALABRAS = re.findall(r"\w+", "la casa pequeña está junto a un río viejo y nadie sabe quién la construyó ni cuándo")


def segment(words: list[str], number: int) -> str:
    """A segment of varying length, with tags in every third and a placeholder."""
    text = " ".join(words[(number + place) % len(words)] for place in range(8 + number % 23))
    if number % 3 == 0:
        text = f'<bpt i="1">&lt;b&gt;</bpt>{text}<ept i="1">&lt;/b&gt;</ept> <ph x="2">{{code{number}}}</ph>'
    return f"{text} &amp; %s {number}"


def generate(path: Path, size: int) -> int:
    """Write a memory of about so many bytes; return how many units it has."""
    units = 0
    with path.open("wb") as out:
        out.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4">\n')
        out.write(b'<header srclang="en" segtype="sentence"/>\n<body>\n')
        while out.tell() < size:
            block = []
            for _ in range(1_000):
                units += 1
                block.append(
                    f'<tu tuid="{units}"><prop type="x-domain">software</prop>\n'
                    f'  <tuv xml:lang="en-US"><seg>{segment(WORDS, units)}</seg></tuv>\n'
                    f'  <tuv xml:lang="es-ES"><seg>{segment(PALABRAS, units)}</seg></tuv>\n</tu>\n'
                )
            out.write("".join(block).encode())
        out.write(b"</body></tmx>\n")
    return units


def peak_memory() -> int:
    """The most bytes this process has held. (Not from measure.py, whose torch alone takes 200 MB.)"""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) * 1024 if found else 0


def measure(path: Path, expected: int) -> None:
    before = peak_memory()
    meter = meter_of([path])
    start = time.perf_counter()
    pairs = sum(isinstance(unit, Pair) for unit in read([path], "en", "es", meter=meter))
    seconds = time.perf_counter() - start
    if pairs != expected or meter.done != meter.total:
        raise SystemExit(f"{pairs:,} pairs of {expected:,} were read")
    print(f"{meter.total / 1e9:.2f} GB, {pairs:,} pairs, {seconds:.0f} s, {meter.total / seconds / 1e6:.1f} MB/s")
    print(f"peak memory {peak_memory() / 1e6:.0f} MB, of which {before / 1e6:.0f} MB before reading")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=float, default=1.0, help="gigabytes")
    options.add_argument("--read", nargs=2, metavar=("FILE", "PAIRS"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.read:
        measure(Path(chosen.read[0]), int(chosen.read[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.tmx"
        units = generate(path, int(chosen.size * 1e9))
        # A process of its own: what generating took is not counted.
        subprocess.run([sys.executable, __file__, "--read", str(path), str(units)], check=True)


if __name__ == "__main__":
    main()
