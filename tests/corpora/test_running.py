"""Running text: plain lines as they are, treebanks as they were written, documents told apart."""

from pathlib import Path

import pytest

from mirada.corpora.documents import build_lines, survey
from mirada.corpora.running import running
from mirada.text.units import SubwordLines
from mirada.text.vocabulary import learn


def word(number: str, form: str, extra: str = "_") -> str:
    return "\t".join([number, form, *"_" * 7, extra])


TREEBANK = "\n".join(
    [
        "# newdoc id = a",
        "# text = Vámonos al mar.",
        word("1", "no"),
        "",
        "# sent_id = 2",  # without its text, which is then put together from its words
        word("1-2", "Al"),
        word("1", "A"),
        word("2", "el"),
        word("3", "mar"),
        word("3.1", "unwritten"),
        word("4", "voy", "SpaceAfter=No"),
        word("5", "."),
        "",
        "# newdoc id = b",
        "# text = Ayer.",
        word("1", "Ayer"),
    ]
)


def test_a_treebank_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(TREEBANK)
    assert list(running(path)) == ["Vámonos al mar.", "Al mar voy.", "", "Ayer."]
    plain = tmp_path / "x.txt"
    plain.write_text("one\n\n# text = two\n")
    assert list(running(plain)) == ["one", "", "# text = two"]


@pytest.mark.parametrize("ending", ["", "\n", "\n \n"])
def test_an_empty_line_ends_a_document_and_so_does_a_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text("uno dos\n\ntres" + ending)
    units = SubwordLines(learn(["uno dos tres"] * 9, 400).subwords)
    whole = survey(path).divided((1.0,))
    store, _ = build_lines([*whole, *whole], units, tmp_path / "store", "x")
    lengths = store.source_lengths.tolist()
    said = [units.decode(store.source(row).tolist()).strip() for row in range(len(store)) if lengths[row]]
    assert said == ["uno dos", "tres"] * 2
    breaks = [number for number, length in enumerate(lengths) if length == 0]
    assert breaks[0] == 1
    assert lengths[-1] == 0
    assert sum(lengths) == len(store.stream("source"))
