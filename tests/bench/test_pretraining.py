"""The data of the bench of pre-training: what is tested was never read, and static vectors are those of ELMo."""

from pathlib import Path

import pretraining
import torch

from mirada.corpora.documents import readable
from mirada.models.folder import tensors_of
from mirada.models.reading_config import ElmoConfig, StaticConfig
from mirada.models.reading_folder import load_reader
from mirada.models.text_folders import ElmoFolderConfig, build_both, save
from mirada.text.vocabulary import learn
from tests.treebanks import as_conllu, sentence


def block(number: int) -> str:
    return f"# newdoc\n# text = {number} is one\n" + as_conllu(sentence(number), number)


def test_no_sentence_that_is_tested_was_read(tmp_path: Path) -> None:
    (tmp_path / "bank.conllu").write_text("".join(map(block, range(600))))
    (tmp_path / "other.conllu").write_text("".join(map(block, range(550, 700))))
    (tmp_path / "en-xx.tsv").write_text("".join(f"x\t{number} is one\n" for number in range(500, 800)))
    language = pretraining.Language("bank.conllu", None, ("other.conllu",), "en-xx.tsv")
    files = pretraining.prepare(tmp_path, tmp_path / "out", language)
    parts = [set(filter(None, readable(path))) for path in (files.train, files.dev, files.test)]
    assert [len(part) for part in parts] == [450, 50, 100]
    assert not parts[0] & parts[1]
    read = set(readable(files.short)) | set(readable(files.running))
    assert not parts[2] & read
    assert parts[0] < read
    assert "699 is one" in set(readable(files.running))
    assert "" in set(readable(files.running)), "documents are told apart"


def test_static_vectors_are_those_of_elmo(tmp_path: Path) -> None:
    subwords = learn(["uno dos tres"] * 9, 400).subwords
    config = ElmoConfig(width=6, task_width=4)
    model = build_both(config, subwords.size, seed=1)
    described = ElmoFolderConfig(vocabulary=subwords.size, longest=16, model=config)
    save(tmp_path / "elmo", described, tensors_of(model), subwords, "")
    pretraining.without_context(tmp_path / "elmo", tmp_path / "static")
    found = load_reader(tmp_path / "static")
    assert found.config == StaticConfig(width=6, task_width=4)
    assert torch.equal(found.tensors["embedding.weight"], model.models.embedding.weight)
