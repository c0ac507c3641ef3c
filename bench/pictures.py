"""Pictures on real data: Fashion-MNIST, the 8 × 8 digits of scikit-learn, and captions of emoji.

    python bench/pictures.py fashion /data/fashion_mnist --output /tmp/fashion     # train and t10k files, idx gz
    python bench/pictures.py digits --output /tmp/digits                           # needs scikit-learn, or --npz FILE
    python bench/pictures.py emoji /data/emoji --output /tmp/emoji                 # captions.tsv and png72.tar

Each trains with the very command that a user would give and prints one JSON object: what was reached, the bar, and
whether it is passed. Emoji are divided by their base: the same sign with another skin, hair or gender is never on both
sides.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tarfile
import time
from pathlib import Path

MINUTES = {"fashion": 20.0, "digits": 2.0, "emoji": 20.0}
BARS = {"fashion": 91.0, "digits": 97.0}  # per cent of the test pictures
SKINS = {f"1F3F{digit}" for digit in "BCDEF"}
VARIANTS = {"FE0F", "2640", "2642"}
PERSON = {"1F468": "1F9D1", "1F469": "1F9D1"}  # man and woman, as the person that both are


def base_of(hexcode: str) -> str:
    """The sign without what only varies it."""
    parts = [PERSON.get(part, part) for part in hexcode.split("-") if part not in SKINS | VARIANTS]
    while parts and parts[-1] == "200D":
        parts.pop()
    return "-".join(parts) or hexcode


def train(words: list[str], output: Path, minutes: float, seed: int) -> dict[str, object]:
    """What `mirada train` says at its end, and how long it took."""
    budget = ["--minutes", str(minutes), "--seed", str(seed)]
    command = [sys.executable, "-m", "mirada", "train", *words, "-o", str(output), *budget, "--json"]
    begun = time.monotonic()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found | {"minutes": round((time.monotonic() - begun) / 60, 2), "command": command[2:]}


def fashion(data: Path, output: Path, minutes: float, seed: int) -> dict[str, object]:
    train_file, test_file = (data / f"{part}-images-idx3-ubyte.gz" for part in ("train", "t10k"))
    words = ["--task", "classify", str(train_file), "--test", str(test_file), "--set", "data.flip=true"]
    return judged("fashion", train(words, output, minutes, seed))


def digits(npz: Path | None, output: Path, minutes: float, seed: int) -> dict[str, object]:
    if npz is None:
        import numpy as np
        from sklearn.datasets import load_digits

        found = load_digits()
        output.parent.mkdir(parents=True, exist_ok=True)
        npz = output.with_suffix(".npz")
        np.savez(npz, images=found.images, labels=found.target)
    words = ["--task", "classify", str(npz), "--set", "data.test_share=0.2"]
    return judged("digits", train(words, output, minutes, seed))


def judged(name: str, found: dict[str, object]) -> dict[str, object]:
    test = found["test"]
    accuracy = 100 * test["accuracy"] if isinstance(test, dict) else 0.0
    return {"accuracy": round(accuracy, 2), "bar": BARS[name], "passed": accuracy >= BARS[name], **found}


def emoji(data: Path, output: Path, minutes: float, seed: int) -> dict[str, object]:
    folder = output.with_name(output.name + "-pictures")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(data / "png72.tar") as archive:
        archive.extractall(folder, filter="data")
    table = folder / "captions.tsv"
    with (data / "captions.tsv").open(encoding="utf-8") as source, table.open("w", encoding="utf-8") as out:
        out.write("picture\tgroup\ten\tes\tpt\tru\n")
        for row in csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE):
            cells = [f"png72/{row['file']}", base_of(row["hexcode"]), *(row[one] for one in ("en", "es", "pt", "ru"))]
            out.write("\t".join(cells) + "\n")
    words = ["--task", "caption", str(table), "--set", "data.test_share=0.1"]
    found = train(words, output, minutes, seed)
    test = found["test"]
    scores = test if isinstance(test, dict) else {}
    passed = bool(scores) and all(one["chrf"] > one["nearest_chrf"] for one in scores.values())
    return {"passed": passed, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(MINUTES))
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--npz", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    minutes = asked.minutes or MINUTES[asked.what]
    if asked.what == "digits":
        found = digits(asked.npz, asked.output, minutes, asked.seed)
    elif asked.data is None:
        parser.error(f"{asked.what} needs the folder of its data")
    else:
        found = (fashion if asked.what == "fashion" else emoji)(asked.data, asked.output, minutes, asked.seed)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
