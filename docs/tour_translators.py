"""The three translators of the tour: trained, compared and looked at by the commands that the tour shows.

What came of it is kept in docs/tour_translators.json, with a name for the recipe, and in docs/pictures. Training takes
a few minutes, so it is done again only when the recipe has changed, or the file is gone.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tour_running import DOCS, cpu_seconds, name_of, read_kept, run, write_kept

from mirada.corpora.demo import corpus
from mirada.demonstration.run import DEV, SEED, TEST, TRAIN, write_pairs

KEPT = DOCS / "tour_translators.json"
CONFIG = DOCS / "tour.toml"
STEPS = 500
SENTENCE = "The animal didn't cross the street because it was too tired."
COMMON = (
    "mirada train demo/train.en-es.tsv --dev demo/dev.en-es.tsv --test demo/test.en-es.tsv "
    f"--from en --to es --config docs/tour.toml --preset tiny --steps {STEPS}"
)


@dataclass(frozen=True)
class Kind:
    """A translator of the tour: the name of its folder, what makes it what it is, and the picture of its look."""

    name: str
    options: str
    picture: str | None

    @property
    def command(self) -> str:
        return " ".join(f"{COMMON} {self.options} --output {self.name}".split())

    @property
    def view(self) -> str:
        return f'mirada view {self.name} "{SENTENCE}" --output {self.picture}'


KINDS = (
    Kind("one-vector", "--model recurrent --set model.attention.score=none", None),
    Kind("bahdanau", "--model recurrent --set model.attention.when=before", "look-bahdanau.svg"),
    Kind("transformer", "", "look-transformer.svg"),
)
COMPARE = (
    f"mirada compare {' '.join(kind.name for kind in KINDS)} --input demo/test.en --reference demo/test.es "
    "--output by-length.svg"
)
PICTURES = ("by-length.svg", *(kind.picture for kind in KINDS if kind.picture is not None))


def recipe() -> str:
    """A name for all that decides what is trained and shown."""
    return name_of([*(kind.command for kind in KINDS), COMPARE, SENTENCE, CONFIG.read_text(encoding="utf-8")])


def known() -> dict[str, Any]:
    """What is kept of the translators; an error where it is of another recipe."""
    kept = read_kept(KEPT)
    if kept.get("recipe") != recipe():
        raise ValueError(f"{KEPT} was made by another recipe; run make tour")
    return kept


def train_if_changed() -> None:
    """Train, compare and look anew, unless that was done by the same recipe."""
    try:
        known()
    except ValueError:
        with tempfile.TemporaryDirectory(prefix="mirada-tour-") as folder:
            _train(Path(folder))


def _train(folder: Path) -> None:
    _write_corpus(folder / "demo")
    (folder / "docs").mkdir()
    shutil.copy(CONFIG, folder / "docs" / CONFIG.name)
    seconds = {}
    for kind in KINDS:
        print(f"$ {kind.command}", flush=True)
        before = cpu_seconds()
        run(kind.command, folder)
        seconds[kind.name] = round(cpu_seconds() - before)
    compared = json.loads(run(f"{COMPARE} --json", folder))
    said = {kind.name: run(f"mirada translate {kind.name}", folder, SENTENCE).strip() for kind in KINDS}
    for kind in KINDS:
        if kind.picture is not None:
            run(kind.view, folder)
    for picture in PICTURES:
        shutil.copy(folder / picture, DOCS / "pictures" / picture)
    kept = {"recipe": recipe(), "seconds": seconds, "said": said, **compared}
    write_kept(KEPT, kept)


def _write_corpus(folder: Path) -> None:
    """The files that `mirada demo --output demo` writes, and the two sides of its test set."""
    made = corpus(TRAIN, DEV, TEST, SEED)
    write_pairs(folder, made)
    for name, texts in (("en", [one.source for one in made.test]), ("es", [one.target for one in made.test])):
        (folder / f"test.{name}").write_text("\n".join(texts) + "\n", encoding="utf-8")
