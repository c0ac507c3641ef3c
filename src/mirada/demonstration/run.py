"""From nothing to a translator: write the corpus, train, translate what was held out, and look inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mirada.corpora.demo import DemoCorpus, Reference, animal_and_street, corpus
from mirada.corpora.pair import Pair
from mirada.demonstration.pronoun import Gaze, HeadFound, find_head, gaze
from mirada.evaluation.translation import Scores, score
from mirada.models.folder import write_file
from mirada.text.words import word_links
from mirada.training.preparing import Files
from mirada.training.report import Reporter
from mirada.training.run import Request, train
from mirada.training.settings import Tree, merge, nested
from mirada.training.stopping import Stop
from mirada.translator import Translation, Translator

TRAIN, DEV, TEST = 12_000, 200, 400
SEED = 1
MINUTES = 2.4  # of the three that a demonstration may take
FILES = {"train": "train.en-es.tsv", "dev": "dev.en-es.tsv", "test": "test.en-es.tsv"}
SETTINGS: dict[str, Tree] = {
    "data": {"vocabulary": 2_000, "variants": 1},
    "model": {
        "width": 128,
        "feed_forward": 512,
        "encoder": {"layers": 2, "heads": 4},
        "decoder": {"layers": 2, "heads": 4},
        "cross": {"heads": 4},
    },
    "training": {"dropout": 0.0, "validation_sentences": DEV, "validations": 6},
}


@dataclass(frozen=True)
class Sample:
    """A held-out sentence, what the model made of it, and what the grammar says."""

    source: str
    translation: str
    reference: str

    @property
    def right(self) -> bool:
        """Whether the translation is the grammar's, word for word."""
        return self.translation == self.reference


@dataclass(frozen=True)
class Pronoun:
    """One of the lecture's two sentences: its translation, and where "it" looks."""

    sample: Sample
    gaze: Gaze
    antecedent: str


@dataclass(frozen=True)
class Shown:
    """All that a demonstration has to show."""

    folder: Path
    samples: list[Sample]
    scores: Scores
    aligned: Translation
    links: list[tuple[int, int]]  # between words
    pronouns: list[Pronoun]
    head: HeadFound
    agreeing: tuple[int, int]  # translations whose ending fits what "it" means, and all of them

    @property
    def right(self) -> int:
        """How many translations are right word for word."""
        return sum(sample.right for sample in self.samples)

    def as_json(self) -> dict[str, object]:
        """The demonstration for programs."""
        return {
            "model": str(self.folder),
            "test": {"sentences": len(self.samples), "exact": self.right, **self.scores.as_json()},
            "alignment": {
                "source": self.aligned.source,
                "translation": self.aligned.text,
                "links": [list(link) for link in self.links],
            },
            "it": {
                "layer": self.head.layer,
                "head": self.head.head,
                "right": self.head.right,
                "total": self.head.total,
                "agreeing": self.agreeing[0],
                "references": self.agreeing[1],
                "sentences": [
                    {
                        "source": one.sample.source,
                        "translation": one.sample.translation,
                        "reference": one.sample.reference,
                        "antecedent": one.antecedent,
                        "looks": dict(zip(one.gaze.words, (round(w, 4) for w in one.gaze.weights), strict=False)),
                    }
                    for one in self.pronouns
                ],
            },
        }


def demonstrate(folder: Path, reporter: Reporter, stop: Stop, minutes: float = MINUTES) -> Shown | None:
    """Train in the folder and show what came of it; None where the run was stopped."""
    made = corpus(TRAIN, DEV, TEST, SEED)
    files = write_pairs(folder, made)
    reporter.say(f"The embedded grammar wrote {TRAIN:,} English–Spanish pairs to {folder / FILES['train']}, such as:")
    for pair in made.train[:3]:
        reporter.say(f"  {pair.source}  →  {pair.target}")
    settings = merge(SETTINGS, nested("training.budget.minutes", minutes))
    outcome = train(Request(files, folder / "model", None, settings), reporter, stop)
    return _show(Translator.load(folder / "model"), folder / "model", made) if outcome.finished else None


def write_pairs(folder: Path, made: DemoCorpus) -> Files:
    """Write the parts of the corpus as tables, each under its name in `FILES`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pairs in (("train", made.train), ("dev", made.dev), ("test", made.test)):
        write_file(folder / FILES[name], "".join(f"{pair.source}\t{pair.target}\n" for pair in pairs).encode())
    paths = {name: (folder / file,) for name, file in FILES.items()}
    return Files(paths["train"], paths["dev"], paths["test"], "en", "es")


def _show(translator: Translator, folder: Path, made: DemoCorpus) -> Shown:
    translations = translator.translate([pair.source for pair in made.test], beam=5)
    samples = [Sample(pair.source, said.text, pair.target) for pair, said in zip(made.test, translations, strict=True)]
    scores = score([one.translation for one in samples], [one.reference for one in samples])
    longest = max((one for one in samples if one.right), key=lambda one: len(one.source), default=samples[0])
    (aligned,) = translator.translate([longest.source], align=True)
    links = word_links(aligned.alignment or (), aligned.source_tokens, aligned.tokens)
    head = find_head(translator.loaded, made.references)
    return Shown(
        folder, samples, scores, aligned, links, _pronouns(translator, head), head, _agreeing(samples, made.references)
    )


def _pronouns(translator: Translator, head: HeadFound) -> list[Pronoun]:
    shown = []
    for made in animal_and_street():
        if made.reference is None:
            continue
        (said,) = translator.translate([made.pair.source])
        sample = Sample(made.pair.source, said.text, made.pair.target)
        antecedent = made.pair.source.split()[made.reference.antecedent]
        shown.append(Pronoun(sample, gaze(translator.loaded, made.pair, made.reference, head), antecedent))
    return shown


def _agreeing(samples: Sequence[Sample], references: Sequence[tuple[Pair, Reference]]) -> tuple[int, int]:
    """How many translations have the word, with its ending, that gives away what "it" means."""
    said = {sample.source: sample.translation.split() for sample in samples}
    right = sum(pair.target.split()[reference.reveals] in said[pair.source] for pair, reference in references)
    return right, len(references)
