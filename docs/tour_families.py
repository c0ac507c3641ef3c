"""The other families of the tour: trained, scored and asked by the commands that the tour shows.

What came of it is kept in docs/tour_families.json, for each family with a name for its recipe, and in docs/pictures. A
family is trained again only when its recipe has changed, or nothing is kept of it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tour_data import graph, series, shapes, text
from tour_running import DOCS, cpu_seconds, name_of, read_kept, run, write_kept

KEPT = DOCS / "tour_families.json"


@dataclass(frozen=True)
class Ask:
    """What a trained model is asked: a command, what it reads from standard input, and the picture that it draws."""

    command: str
    given: str = ""
    picture: str | None = None
    words: str = ""  # what the picture shows, for those who cannot see it

    @property
    def shown(self) -> str:
        """The command as one types it."""
        return f'echo "{self.given}" | {self.command}' if self.given else self.command


@dataclass(frozen=True)
class Family:
    """A model of the tour: the name of its folder, its data, what `mirada train` is told, its score, what it is asked.

    `score` is filled in from what `mirada train --json` prints. `first` trains what it starts from.
    """

    name: str
    data: ModuleType | None  # None: it comes with Mirada
    options: str
    score: str
    asks: tuple[Ask, ...] = ()
    first: str = ""

    @property
    def command(self) -> str:
        return f"mirada train --task {self.options} --output {self.name}"

    @property
    def commands(self) -> tuple[str, ...]:
        """All that one types to train it."""
        return (self.first, self.command) if self.first else (self.command,)

    @property
    def recipe(self) -> str:
        """A name for all that decides what is trained and asked."""
        made_by = "" if self.data is None else Path(str(self.data.__file__)).read_text(encoding="utf-8")
        return name_of([*self.commands, *(ask.shown for ask in self.asks), made_by])


def _parts(name: str) -> str:
    """The three files of a data set whose name has a place for the part."""
    train, dev, test = (name.format(part) for part in ("train", "dev", "test"))
    return f"{train} --dev {dev} --test {test}"


def _language(name: str, options: str) -> Family:
    """A language model: all of them read the same subwords, so that their perplexities are of the same things."""
    units = "--set data.units=subwords --set data.vocabulary=1000"
    begun = Ask(f'mirada generate {name} --prompt "The girl" --length 24 --seed 1')
    score = "perplexity {test[perplexity]:.1f}"
    return Family(name, text, f"lm {_parts('text/{}.en')} {units} {options}", score, (begun,))


QUICK = "--model transformer --set training.dropout=0.1 --set training.batch_tokens=1000"
STILL = "--set data.shift=0 --set training.dropout=0"  # pictures as they are
PICTURE = "shapes/800.png"  # of the test set
WIDE = "The animal didn't cross the street because it was too wide."
NODES = "{test[accuracy]:.1f}% of {test[nodes]} nodes right"
NEIGHBOURS = "Where node 7 and its neighbours look"
LANGUAGE = (
    _language("gpt", "--preset tiny --steps 80"),
    _language("lstm", "--model recurrent --preset tiny --steps 80"),
    _language("ngram", "--model ngram"),
)
FAMILIES = (
    *LANGUAGE,
    Family(
        "kinds",
        text,
        f"classify {_parts('text/kinds-{}.tsv')} {QUICK} --steps 120",
        "{test[accuracy]:.1%} of {test[count]:,} sentences right, {labels} labels",
        (Ask("mirada predict kinds", given="The woman who opened the door is tired."),),
    ),
    Family(
        "groups",
        graph,
        "nodes groups.npz --set training.dropout=0.2 --steps 300",
        NODES,
        (Ask("mirada view groups 7 --output look-groups.svg", picture="look-groups.svg", words=NEIGHBOURS),),
    ),
    Family("alone", graph, "nodes alone.npz --set training.dropout=0.2 --steps 300", NODES),
    Family(
        "eye",
        shapes,
        f"classify {_parts('shapes/shapes-{}.tsv')} {STILL} --steps 220",
        "{test[accuracy]:.1%} of {test[count]} pictures right, {labels} labels",
        (
            Ask(
                f"mirada view eye {PICTURE} --output look-eye.svg",
                picture="look-eye.svg",
                words="The picture of a triangle, clear in the patches that the classifier holds most of",
            ),
        ),
    ),
    Family(
        "it",
        text,
        f"tag {_parts('text/it-{}.conllu')} {QUICK} --steps 120",
        "{test[accuracy]:.1%} of {test[count]:,} words right",
        (
            Ask("mirada predict it", given=WIDE),
            Ask(
                f'mirada view it "{WIDE}" --output look-it.svg',
                picture="look-it.svg",
                words="Where each word looks in the last layer of the tagger",
            ),
        ),
    ),
    Family(
        "bert",
        text,
        f"mlm {_parts('text/{}.en')} --set model.width=64 --set model.feed_forward=256 --set model.stack.layers=2 "
        "--steps 250",
        "{test[accuracy]:.1f}% of {test[tokens]:,} hidden subwords right",
        (Ask("mirada predict bert", given="The animal didn't ___ the street because it was too wide."),),
    ),
    Family(
        "it-elmo",
        text,
        f"tag {_parts('text/it-{}.conllu')} --start elmo --steps 120",
        "{test[accuracy]:.1%} of {test[count]:,} words right",
        (Ask("mirada predict it-elmo", given=WIDE),),
        first="mirada train --task elmo text/train.en --dev text/dev.en --preset tiny --steps 150 --output elmo",
    ),
    Family(
        "vectors",
        text,
        "vectors text/train.en",
        "{words} words",
        (Ask("mirada nearest vectors dog street --count 4"),),
    ),
    Family(
        "teller",
        shapes,
        f"caption {_parts('shapes/captions-{}.tsv')} {STILL} --set model.width=64 --set model.feed_forward=256 "
        "--set model.decoder.layers=1 --set training.rate=0.003 --set training.validations=2 --steps 220",
        "chrF {test[en][chrf]:.1f} in English and {test[es][chrf]:.1f} in Spanish; the caption of the most similar "
        "training picture {test[en][nearest_chrf]:.1f} and {test[es][nearest_chrf]:.1f}",
        (
            Ask(f"mirada predict teller {PICTURE} --language en"),
            Ask(
                f"mirada view teller {PICTURE} --language es --output look-teller.svg",
                picture="look-teller.svg",
                words="The picture of a triangle, once for each word of its caption, clear where the word looks",
            ),
        ),
    ),
    Family(
        "demand",
        series,
        "forecast series.csv --set data.horizon=24 --steps 75",
        "squared error {test[mse]:.4f}; of the day before {test[seasonal_naive][mse]:.4f}, of a linear map of the past "
        "{test[linear][mse]:.4f}",
    ),
    Family(
        "player",
        None,
        "policy --steps 100",
        "asked for 1, 3 and 5, it reached {test[returns][1][reached]:.2f}, {test[returns][3][reached]:.2f} and "
        "{test[returns][5][reached]:.2f} on average; the players that it learnt from reached {test[behaviour]:.2f}",
        (Ask("mirada predict player --return 5"),),
    ),
)
PICTURES = tuple(ask.picture for family in FAMILIES for ask in family.asks if ask.picture is not None)


def known() -> dict[str, Any]:
    """What is kept of each family; an error where one is of another recipe."""
    kept = read_kept(KEPT)
    if changed := _changed(kept):
        raise ValueError(f"{KEPT}: {', '.join(one.name for one in changed)}: another recipe now; run make tour")
    return kept


def train_if_changed() -> None:
    """Train and ask anew those families whose recipe is not the one that is kept; what is kept of no family goes."""
    kept = read_kept(KEPT)
    changed = _changed(kept)
    with tempfile.TemporaryDirectory(prefix="mirada-tour-") as folder:
        for data in {family.data for family in changed if family.data is not None}:
            data.write(Path(folder))
        for family in changed:
            kept[family.name] = _trained(family, Path(folder))
            write_kept(KEPT, {one.name: kept[one.name] for one in FAMILIES if one.name in kept})


def _changed(kept: Mapping[str, Any]) -> list[Family]:
    return [family for family in FAMILIES if kept.get(family.name, {}).get("recipe") != family.recipe]


def _trained(family: Family, folder: Path) -> dict[str, object]:
    """What came of training a family and of asking it; its pictures go to docs/pictures."""
    before = cpu_seconds()
    for command in family.commands:
        print(f"$ {command}", flush=True)
        trained = json.loads(run(f"{command} --json", folder))
    seconds = round(cpu_seconds() - before)
    said = [run(ask.command, folder, ask.given).rstrip() for ask in family.asks]
    for ask in family.asks:
        if ask.picture is not None:
            shutil.copy(folder / ask.picture, DOCS / "pictures" / ask.picture)
    return {"recipe": family.recipe, "seconds": seconds, "trained": trained, "said": said}
