"""From units to token stores, once through, with every pair accounted for."""

import os
import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.findings import DropsFile, Reason
from mirada.corpora.pair import CorpusError, Pair, Place
from mirada.corpora.prepare import Settings, build_store, divide, gather, leak, learn_subwords
from mirada.corpora.split import Shares, Side
from mirada.text.sampling import Sampler
from mirada.text.slots import COUNT, MARK, MARKS
from mirada.text.slotting import slotted
from mirada.text.subwords import END
from mirada.text.vocabulary import learn

SETTINGS = Settings("en", "es", shares=Shares(0.2, 0.2), vocabulary=500)
NOUNS = {"cat": "gato", "dog": "perro", "book": "libro", "bird": "pájaro", "road": "camino", "horse": "caballo"}
VERBS = {"sees": "ve", "finds": "encuentra", "loses": "pierde", "draws": "dibuja"}


def units(count: int = 120) -> list[Pair]:
    draw = random.Random(9)
    made = []
    for number in range(1, count + 1):
        one, other, verb = draw.choice([*NOUNS]), draw.choice([*NOUNS]), draw.choice([*VERBS])
        made.append(
            Pair(
                f"The {one} {verb} a {other}.", f"El {NOUNS[one]} {VERBS[verb]} un {NOUNS[other]}.", Place("x", number)
            )
        )
    return made


def test_from_units_to_stores(tmp_path: Path) -> None:
    with DropsFile(tmp_path / "drops.tsv") as drops:
        gathered = gather([*units(), Pair("Only", "", Place("x", 121))], SETTINGS, tmp_path / "spool", drops)
        divided = divide(gathered, SETTINGS, drops=drops)
    report = gathered.report
    assert report.read == 121
    assert report.kept + report.dropped.total() == report.read
    assert len((tmp_path / "drops.tsv").read_text().splitlines()) == 1 + report.dropped.total()
    assert sum(divided.count(side) for side in (Side.TRAIN, Side.DEV, Side.TEST)) == report.kept

    subwords = learn_subwords(divided, SETTINGS)
    for side in (Side.TRAIN, Side.DEV, Side.TEST):
        rows = divided.rows(side)
        store = build_store(gathered.spool, rows, subwords, tmp_path / side.name, "x", variants=2, seed=4)
        wanted = [pair for pair, chosen in zip(gathered.spool, rows, strict=True) if chosen]
        assert len(store) == len(wanted) > 0
        for row, pair in enumerate(wanted):
            assert store.source(row).tolist() == [*subwords.encode(pair.source), END]
            assert subwords.decode(store.target(row, 1).tolist()) == pair.target
            drawn = Sampler(subwords, seed=4).draw([pair.target], 1, end=True)[0]
            assert store.target(row, 1).tolist() == drawn.tolist()
    gathered.spool.remove()
    assert not (tmp_path / "spool").exists()


def test_a_spool_removes_nothing_but_itself(tmp_path: Path) -> None:
    gathered = gather(units(), SETTINGS, tmp_path / "spool")
    (tmp_path / "spool" / "thesis.txt").write_text("years of work")
    gathered.spool.remove()
    assert [path.name for path in (tmp_path / "spool").iterdir()] == ["thesis.txt"]


def test_pairs_with_symbols_are_stored_with_slots(tmp_path: Path) -> None:
    made = [
        Pair(f"{pair.source} {{name{pair.place.number}}}", f"{{name{pair.place.number}}}: {pair.target}", pair.place)
        for pair in units()
    ]
    gathered = gather(made, SETTINGS, tmp_path / "spool")
    divided = divide(gathered, SETTINGS)
    rows = divided.rows(Side.TRAIN)
    subwords = learn_subwords(divided, SETTINGS)
    assert subwords.slots == COUNT
    store = build_store(gathered.spool, rows, subwords, tmp_path / "slotted", "x", variants=3, seed=4)
    shown = set()
    for row, (source, target) in enumerate(gathered.spool.chosen(rows)):
        for variant in range(3):
            wanted = slotted(source, target, 4).variant(variant)
            found = (store.source(row, variant), store.target(row, variant))
            assert tuple(subwords.decode(ids.tolist()) for ids in found) == wanted
            shown |= set(MARK.findall(wanted[1]))
    assert shown == set(MARKS)

    plain = learn((text for pair in units() for text in (pair.source, pair.target)), 500).subwords
    literal = build_store(gathered.spool, rows, plain, tmp_path / "literal", "x", seed=4)
    assert [plain.decode(literal.source(row).tolist()) for row in range(len(literal))] == [
        source for source, _ in gathered.spool.chosen(rows)
    ], "subwords without slots, as of a model to begin from, store symbols literally"


def test_a_corpus_without_symbols_and_anchors_has_no_slots(tmp_path: Path) -> None:
    assert learn_subwords(divide(gather(units(), SETTINGS, tmp_path), SETTINGS), SETTINGS).slots == 0


def test_the_users_own_dev_and_test_are_kept_out_of_train(tmp_path: Path) -> None:
    dev = gather([Pair("the CAT sees a dog", "Otro.", Place("dev", 1))], SETTINGS, tmp_path / "dev")
    test = gather([Pair("Unheard of.", "¡El perro ve un gato!", Place("test", 1))], SETTINGS, tmp_path / "test")
    gathered = gather(units(), SETTINGS, tmp_path / "train")
    before = gathered.report.kept
    divided = divide(gathered, SETTINGS, dev, test)
    assert divided.shares == Shares(0.0, 0.0)
    left_out = [pair for pair, side in zip(gathered.spool, divided.sides, strict=True) if side != Side.TRAIN]
    assert {pair.source for pair in left_out} == {"The cat sees a dog.", "The dog sees a cat."}
    assert gathered.report.dropped[Reason.SOURCE_HELD_OUT] == 1
    assert gathered.report.dropped[Reason.TARGET_HELD_OUT] == 1
    assert gathered.report.kept == before - 2
    assert leak(dev, test) == 0
    assert leak(dev, gathered) == 1


def test_nothing_left_to_train_on_is_said(tmp_path: Path) -> None:
    gathered = gather([], SETTINGS, tmp_path / "spool")
    with pytest.raises(CorpusError, match="no pair is left to train on"):
        learn_subwords(divide(gathered, SETTINGS), SETTINGS)


MEASURED = """
import resource, sys
from pathlib import Path
from mirada.corpora.pair import Pair, Place
from mirada.corpora.prepare import Settings, gather
count = int(sys.argv[1])
sentences = "The weather was bad and nobody left the house, {}. ", "El tiempo era malo y nadie salió de la casa, {}. "
stream = (Pair(*(text.format(n) * 8 for text in sentences), Place("x", n)) for n in range(count))
assert gather(stream, Settings("en", "es"), Path(sys.argv[2])).report.kept == count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    """19,000 more pairs, 16 million characters, within 5 million bytes. In a process of its own, to measure that."""
    few, many = (
        int(
            subprocess.run(
                [sys.executable, "-c", MEASURED, str(count), str(tmp_path)], capture_output=True, text=True, check=True
            ).stdout
        )
        for count in (17_000, 36_000)
    )
    assert many - few < 5_000_000


@pytest.mark.realdata
def test_tatoeba_is_kept_whole_and_split(tmp_path: Path) -> None:
    file = Path(os.environ.get("MIRADA_DATA", "")) / "tatoeba" / "en-es.tsv"
    if not os.environ.get("MIRADA_DATA") or not file.is_file():
        pytest.skip("MIRADA_DATA names no folder with tatoeba/en-es.tsv")
    with file.open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t")[:2] for line in islice(lines, 0, None, 10)]  # sorted by length
    settings = Settings("en", "es")
    gathered = gather(
        (Pair(*row, Place("en-es.tsv", number)) for number, row in enumerate(rows, 1)), settings, tmp_path
    )
    assert gathered.report.dropped.total() < 0.001 * len(rows)
    divided = divide(gathered, settings)
    assert 150 < divided.count(Side.DEV) < 1_000
    assert 0 < np.count_nonzero(divided.rows(Side.TARGET_HELD_OUT)) < 0.01 * len(rows)
