"""Words that look along the tree of their sentence learn what only the tree can tell."""

from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.conllu import Sentence, read_conllu
from mirada.labeller import Tagger
from mirada.training.preparing import Files
from mirada.training.result import LabelResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from mirada.viewing.looking import Asked, look_into
from tests.training.small import run

WORDS = {"ant": "SMALL", "bee": "SMALL", "cow": "LARGE", "dog": "LARGE"}
SETTINGS: Tree = {
    "data": {"graph": "tree", "vocabulary": 400, "dev_share": 0.1, "test_share": 0.1},
    "model": {"kind": "encoder", "width": 16, "feed_forward": 16, "spelling": 100, "stack": {"layers": 1, "heads": 2}},
    "training": {"batch_tokens": 200, "dropout": 0.0, "budget": {"steps": 75}, "validations": 3, "rate": 0.01},
}


def write_pairs(path: Path) -> Path:
    """Sentences whose words are tied in pairs by chance, and have the size of their partner as their label."""
    chance = np.random.default_rng(1)
    names, lines = list(WORDS), []
    for _ in range(150):
        words = [names[number] for number in chance.integers(4, size=8)]
        order = chance.permutation(8)
        partner = np.empty(8, dtype=int)
        partner[order[:4]], partner[order[4:]] = order[4:], order[:4]
        heads = np.zeros(8, dtype=int)
        heads[order[:4]] = order[4:] + 1
        for place, word in enumerate(words):
            cells = [place + 1, word, word, WORDS[words[partner[place]]], "_", "_", heads[place], "dep", "_", "_"]
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("trees") / "pairs.conllu")


def accuracy(treebank: Path, folder: Path, **changes: object) -> float:
    result = run(Request(Files((treebank,)), folder, "tiny", merge(SETTINGS, changes), task="tag"))[0].result
    assert isinstance(result, LabelResult)
    assert result.test is not None
    return result.test.accuracy


def test_the_tree_tells_who_the_partner_is(treebank: Path, tmp_path: Path) -> None:
    assert accuracy(treebank, tmp_path / "tree") > 0.95
    assert accuracy(treebank, tmp_path / "complete", data={"graph": "complete"}) < 0.75
    tagger = Tagger.load(tmp_path / "tree")
    sentences = [one for one in read_conllu(treebank) if isinstance(one, Sentence)]
    assert tagger.score(sentences, 3).accuracy > 0.95
    right = [one.column(3) for one in sentences[:5]]
    found = tagger.tag([one.forms for one in sentences[:5]], [one.heads for one in sentences[:5]])
    assert sum(list(one.labels) == row for one, row in zip(found, right, strict=True)) >= 4
    with pytest.raises(ValueError, match="looks along the trees of sentences; give it CoNLL-U"):
        tagger.tag([["ant", "cow"]])
    with pytest.raises(ValueError, match="looks along the trees"):
        look_into(Asked(tmp_path / "tree", "ant cow"))


def test_who_reads_word_by_word_has_no_tree(treebank: Path, tmp_path: Path) -> None:
    settings: Tree = {"data": {"graph": "tree"}, "model": {"kind": "recurrent_encoder", "width": 8}}
    asked = Request(Files((treebank,)), tmp_path / "model", None, settings, task="tag")
    with pytest.raises(ConfigError, match=r"data\.graph = tree needs words that look"):
        run(asked)
