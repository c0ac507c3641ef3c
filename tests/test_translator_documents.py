"""A translator of documents: each sentence with those before it, by the façade, by lines and by the command alike."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mirada.cli.app import app
from mirada.decoding.options import Search
from mirada.export.agreement import choose_sentences
from mirada.export.ctranslate2 import write
from mirada.export.folder import read_about
from mirada.models.engine import TorchEngine
from mirada.models.ensemble import EnsembleError, require_alike
from mirada.models.folder import Loaded
from mirada.text.asking import Asked
from mirada.translator import Translator
from tests.export.models import random_model, shape
from tests.translators import copier

GREEDY = Search(beam=1)
DOCUMENT = ["Go home.", "Save it.", "", "No!", "Wait.", "Go home."]
# The copier says all that it reads, so that it tells what was read.
READ = ["Go home.", "Go home. Save it.", "", "No!", "No! Wait.", "Wait. Go home."]


def reader(context: int = 1, longest: int = 40, longest_text: int = 0) -> Translator:
    """A translator that repeats the sentences that it reads."""
    loaded = copier(longest=longest).loaded
    told = {"context": context, "longest_text": longest_text}
    return Translator.of(Loaded(loaded.config.model_copy(update=told), loaded.model, loaded.subwords))


def said(translator: Translator, texts: list[str | Asked], **more: bool) -> list[str]:
    return [one.text for one in translator.translate(texts, beam=1, **more)]


def test_the_sentences_of_a_document_are_read_with_those_before_them() -> None:
    assert said(reader(), DOCUMENT, document=True) == READ
    assert [one.text for one in reader().translate_lines(iter(DOCUMENT), GREEDY, most=2)] == READ
    assert said(reader(2), DOCUMENT, document=True)[-1] == "No! Wait. Go home."


def test_texts_are_alone_unless_they_are_of_a_document_or_bring_their_own_context() -> None:
    assert said(reader(), DOCUMENT) == DOCUMENT
    own = Asked("Save it.", context=("No!", "Go home."))
    assert said(reader(), [own]) == ["Go home. Save it."]
    assert said(reader(0), [own]) == ["Save it."]
    assert said(reader(), ["Wait.", own, "Go."], document=True) == ["Wait.", "Go home. Save it.", "Save it. Go."]
    assert said(reader(0), DOCUMENT, document=True) == DOCUMENT
    with pytest.raises(ValueError, match="a single text was given"):
        reader().translate("Go home.", document=True)


def test_a_context_that_is_no_tuple_is_refused() -> None:
    asked = Asked("Save it.")
    object.__setattr__(asked, "context", ["No!"])  # types are looked at in tests, and not by users
    with pytest.raises(ValueError, match=r"context = \['No!'\] is no tuple; give a tuple of sentences"):
        asked.__post_init__()


def test_the_oldest_sentence_goes_where_there_is_no_room() -> None:
    texts = ["Open the file, then save it.", "No!", "Go."]
    whole, short = reader(2, longest=40), reader(2, longest=16)
    assert said(whole, texts, document=True)[-1] == "Open the file, then save it. No! Go."
    assert said(short, texts, document=True)[-1] == "No! Go."


def test_a_line_that_is_too_long_is_read_part_by_part_with_the_part_before() -> None:
    parts = ["Wait for me, and then go home.", "No!", "Go."]
    (long,) = reader(1, longest=16).translate([" ".join(parts)], beam=1)
    alone = [one.text for one in reader(0, longest=16).translate([" ".join(parts)], beam=1)]
    assert alone == [" ".join(parts)]
    assert long.text.endswith("No! Go.")
    assert len(long.text) > len(alone[0])
    assert said(reader(1), ["Go home.", "  Save it."], document=True) == ["Go home.", "  Go home. Save it."]


def test_a_text_is_divided_where_it_is_longer_than_texts_were_and_not_than_they_were_with_those_before() -> None:
    before, text = "Open the file, then save it.", "Wait for me, and then go home. No! Go."
    (long,) = reader(1, longest=60).translate([text], beam=1)
    assert long.text == text
    (cut,) = reader(1, longest=60, longest_text=16).translate([text], beam=1)
    assert cut.text.endswith("No! Go.")
    assert len(cut.text) > len(text)
    assert said(reader(1, longest=60, longest_text=16), [before, "Go."], document=True)[1] == f"{before} Go."


def test_links_are_to_the_text_and_not_to_what_stands_before() -> None:
    _, one = reader().translate(["Open the file, then save it.", "No!"], beam=1, align=True, document=True)
    assert all(0 <= source < len(one.source_tokens) for source, _ in one.alignment or ())
    assert [target for _, target in one.alignment or ()] == list(range(len(one.tokens)))
    assert "".join(one.source_tokens).replace("▁", " ").strip() == "No!"


def test_commands_read_documents_as_the_facade_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Translator, "load", lambda *given: reader())
    lines, out, same = tmp_path / "x.txt", tmp_path / "y.txt", tmp_path / "same.txt"
    lines.write_text("".join(f"{line}\n" for line in DOCUMENT))
    wanted = "".join(f"{line}\n" for line in READ)
    words = ["translate", "x", "--beam", "1", "--quiet", "--input", str(lines)]
    assert CliRunner().invoke(app, words, catch_exceptions=False).stdout == wanted
    CliRunner().invoke(app, [*words, "--output", str(out)], catch_exceptions=False)
    assert out.read_text() == wanted
    words = [
        "evaluate",
        "x",
        "--beam",
        "1",
        "--input",
        str(lines),
        "--reference",
        str(lines),
        "--hypotheses",
        str(same),
    ]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    assert same.read_text() == wanted


def test_an_export_reads_what_the_model_reads(tmp_path: Path) -> None:
    made = random_model(shape())
    told = {"context": 1, "longest_text": 20}
    loaded = Loaded(made.config.model_copy(update=told), made.model, made.subwords)
    (tmp_path / "exported").mkdir()
    write(loaded, tmp_path / "exported")
    ours, theirs = Translator.of(loaded), Translator.load(tmp_path / "exported")
    assert theirs.context == 1
    assert read_about(tmp_path / "exported").about.longest_text == TorchEngine(loaded).about.longest_text == 20
    assert said(ours, DOCUMENT, document=True) == said(theirs, DOCUMENT, document=True)
    assert said(ours, DOCUMENT, document=True) != said(ours, DOCUMENT)
    linked = [one.translate(DOCUMENT, beam=1, document=True, align=True) for one in (ours, theirs)]
    assert [one.alignment for one in linked[0]] == [one.alignment for one in linked[1]]
    assert all([target for _, target in one.alignment or ()] == list(range(len(one.tokens))) for one in linked[0])
    check = tmp_path / "check.txt"
    check.write_text("Go home.\nSave it.\n\nNo!\n")
    compared = choose_sentences(tmp_path, check, TorchEngine(loaded))
    assert compared.texts == [Asked("Go home."), Asked("Save it.", context=("Go home.",)), Asked("No!")]


def test_models_that_read_differently_do_not_translate_together() -> None:
    with pytest.raises(EnsembleError, match="second reads 2 sentences before each, and first reads 1"):
        require_alike({"first": reader(1).loaded, "second": reader(2).loaded})
