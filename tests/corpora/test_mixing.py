"""The mixture: real pairs as often as asked, synthetic ones told apart, and nothing of dev and test among them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.corpora import prepare
from mirada.corpora.findings import DropsFile
from mirada.corpora.mixing import TAG, Own, Proportions, mix
from mirada.corpora.pair import Pair, Place
from mirada.corpora.prepare import Divided, Gathered, Settings
from mirada.corpora.split import Shares, Side, key_of

SETTINGS = Settings("en", "es", shares=Shares(0.2, 0.2), vocabulary=500)
REAL = [(f"the {word} sleeps here", f"aquí duerme {word}") for word in "abcdefghijklmnopqrstuvwxyz"]
MADE = [(f"{word} is made up", f"inventado está {word}") for word in "abcdefghijklm"]


def gathered(pairs: list[tuple[str, str]], folder: Path) -> Gathered:
    units = (Pair(source, target, Place("here", number)) for number, (source, target) in enumerate(pairs, 1))
    return prepare.gather(units, SETTINGS, folder)


def mixed(
    folder: Path, made: list[tuple[str, str]], how: Proportions, dev: list[tuple[str, str]] | None = None
) -> tuple[Divided, list[tuple[str, str]]]:
    """The real corpus, split, and all that is trained on."""
    own = Own(None if dev is None else gathered(dev, folder / "dev"))
    real = prepare.divide(gathered(REAL, folder / "real"), SETTINGS, own.dev)
    mixture = mix(real, gathered(made, folder / "made"), own, how, folder / "mixture")
    assert mixture.gathered.report.kept == len(mixture.gathered.spool)
    return real, list(mixture.gathered.spool.chosen(mixture.rows(Side.TRAIN)))


@pytest.mark.parametrize("originals", [0, 1, 3])
@pytest.mark.parametrize("tag", [True, False])
def test_real_pairs_are_there_as_often_as_asked_and_made_ones_are_tagged(
    tmp_path: Path, originals: int, tag: bool
) -> None:
    real, pairs = mixed(tmp_path, MADE, Proportions(tag, originals))
    train = list(real.gathered.spool.chosen(real.rows(Side.TRAIN)))
    assert pairs[: -len(MADE)] == originals * train
    before = f"{TAG} " if tag else ""
    assert pairs[-len(MADE) :] == [(before + source, target) for source, target in MADE]


@given(rows=st.lists(st.tuples(st.sampled_from(REAL), st.booleans(), st.booleans()), min_size=1, unique=True))
@settings(max_examples=25)
def test_no_text_of_dev_or_test_is_trained_on(
    rows: list[tuple[tuple[str, str], bool, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A made pair may share its source, its target or both with a pair that is held out, in other letters."""
    made = [
        (source.upper() if same_source else f"new {number}", target + "!" if same_target else f"nuevo {number}")
        for number, ((source, target), same_source, same_target) in enumerate(rows)
    ]
    real, pairs = mixed(tmp_path_factory.mktemp("mixing"), made, Proportions(False, 1), dev=REAL[:4])
    held = [*REAL[:4], *real.gathered.spool.chosen(real.rows(Side.TEST))]
    sources, targets = ({key_of(pair[side]) for pair in held} for side in (0, 1))
    assert not [pair for pair in pairs if key_of(pair[0]) in sources or key_of(pair[1]) in targets]
    allowed = [pair for pair in made if key_of(pair[0]) not in sources and key_of(pair[1]) not in targets]
    assert pairs[len(pairs) - len(allowed) :] == allowed, "and nothing else is left out"


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    real = prepare.divide(gathered(REAL, tmp_path / "real"), SETTINGS)
    held, _ = next(real.gathered.spool.chosen(real.rows(Side.DEV)))
    made = gathered([(held, "otra cosa"), ("a new one", "una nueva")], tmp_path / "made")
    with DropsFile(tmp_path / "drops.tsv") as drops:
        mix(real, made, Own(), Proportions(True, 1), tmp_path / "mixture", drops)
    assert "source stands in dev or test" in (tmp_path / "drops.tsv").read_text()
    assert (made.report.kept, made.report.read) == (1, 2)


def test_the_tag_is_one_subword(tmp_path: Path) -> None:
    real = prepare.divide(gathered(REAL, tmp_path / "real"), SETTINGS)
    mixture = mix(real, gathered(MADE, tmp_path / "made"), Own(), Proportions(True, 1), tmp_path / "mixture")
    subwords = prepare.learn_subwords(mixture, SETTINGS)
    assert TAG in subwords.protected
    with_tag, without = subwords.encode(f"{TAG} a cat"), subwords.encode("a cat")
    assert [subwords.pieces[one] for one in with_tag].count(TAG) == 1
    assert len(with_tag) <= len(without) + 2
