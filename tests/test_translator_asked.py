"""The translator, asked for more than a translation: a prefix, phrases, several models at once."""

from pathlib import Path

import pytest

from mirada.attention import Learned
from mirada.decoding.limits import Flag
from mirada.decoding.options import Search
from mirada.export.choice import Choice, Engines
from mirada.export.ctranslate2 import write
from mirada.export.engine import ExportedEngine
from mirada.export.folder import ExportError
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.engine import TorchEngine
from mirada.models.ensemble import MOST, EnsembleError, load_together, require_alike
from mirada.models.folder import Loaded, save, tensors_of
from mirada.text.asking import Asked
from mirada.text.joints import contains
from mirada.text.vocabulary import learn
from mirada.translator import Translator
from tests.export.models import random_model, shape
from tests.translators import TEXTS, config, copier, slotted_subwords, subwords

SMALL = {"width": 8, "encoder": {"width": 8}, "decoder": {"width": 8}, "attention": {"when": "before"}}


@pytest.fixture(autouse=True)
def soon_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that has learnt nothing does not end by itself: checked shapes make each step slow."""
    monkeypatch.setattr("mirada.decoding.limits.LENGTHS", 1)
    monkeypatch.setattr("mirada.decoding.limits.MORE", 2)


def recurrent() -> Loaded:
    made = config().model_copy(update={"model": RecurrentConfig.model_validate(SMALL)})
    return Loaded(made, build(made.model, made.vocabulary, seed=3).eval(), subwords())


@pytest.fixture(params=["transformer", "recurrent"])
def untrained(request) -> Translator:
    return Translator.of(random_model(shape()) if request.param == "transformer" else recurrent())


ASKED = [
    Asked("Go.", prefix="One two", must=("lazy dog", "dog jumps", "Ñu")),
    Asked("No!", prefix="He said:"),
    Asked("Go."),
    Asked("No!", must=("save", "sav", "(home)")),
]


def test_whatever_the_model_says_it_says_what_is_asked(untrained) -> None:
    """As whole words: "sav" is not found in "save", and what overlaps is found in both."""
    together = untrained.translate(ASKED, beam=2, n_best=2)
    for asked, found in zip(ASKED, together, strict=True):
        for text in (found.text, *(one.text for one in found.alternatives)):
            assert text.startswith(asked.prefix)
            assert all(contains(text, phrase) for phrase in asked.must)
        assert Flag.MISSING not in found.flags
        assert found.source == asked.text
    alone, plain = (untrained.translate([one], beam=2)[0] for one in (ASKED[3], "Go."))
    assert (alone.text, plain.text) == (together[3].text, together[2].text)


def test_the_translation_is_kept_where_it_fits() -> None:
    asked = [
        Asked("Open the file, then save it.", must=("the file", "save")),
        Asked("Open the file, then save it.", prefix="Open the"),
    ]
    assert [one.text for one in copier().translate(asked)] == [asked[0].text] * 2


def test_symbols_of_what_is_asked_stand_in_the_slots_of_the_source() -> None:
    translator = copier(lambda words: words[:1], known=slotted_subwords())
    (found,) = translator.translate([Asked("Open {a}, save {b}.", prefix="Save {b}", must=("then {a}",))])
    assert found.text.startswith("Save {b}")
    assert contains(found.text, "then {a}")
    assert found.flags == ()


def test_parts_and_white_space() -> None:
    (found,) = copier().translate([Asked("  Go home.\nWait for me.", prefix="Go", must=("home",))])
    assert (found.text, found.flags) == ("  Go home.\nWait for me.", ())
    (lacking,) = copier().translate([Asked("Go home.\nWait for me.", must=("seven",))])
    assert (lacking.text, lacking.flags) == ("Go home.\nWait for me.", (Flag.MISSING,))
    (empty, number) = copier().translate([Asked(" ", "Go", ("home",)), Asked("12.5", prefix="One ")])
    assert (empty.text, empty.flags) == ("", ())
    assert number.text.startswith("One")


def test_phrases_that_no_place_is_left_for_are_an_error() -> None:
    made = config(longest=100, position=Learned(8))
    translator = Translator.of(Loaded(made, build(made.model, made.vocabulary, seed=3).eval(), subwords()))
    with pytest.raises(ValueError, match=r"take \d+ tokens, and this translation may have 8 with its end mark"):
        translator.translate([Asked("Go.", must=("The quick brown fox jumps over the lazy dog.",))])


def test_lines_and_files(tmp_path: Path) -> None:
    stream = copier().translate_lines([Asked("Go.", prefix="Wait"), "No!"], Search(beam=2))
    texts = [one.text for one in stream]
    assert texts[0].startswith("Wait")
    assert texts[1] == "No!"
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Go home.\nWait.\n", encoding="utf-8")
    copier().translate_file(source, target, Search(beam=3), prefix="One", must=["two"])
    lines = target.read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("One") and contains(line, "two") for line in lines)


def test_an_exported_model_begins_with_the_prefix_and_leaves_phrases_to_torch(tmp_path: Path) -> None:
    loaded = random_model(shape())
    write(loaded, tmp_path)
    exported, own = Translator.load(tmp_path), Translator.of(loaded)
    asked = [Asked("Go home.", prefix="Wait for"), Asked("Go."), Asked("No!", prefix="He")]
    for search in (Search(beam=1), Search(beam=3)):
        assert exported.engine_for(search).engine.name == "ctranslate2"
        said, wanted = exported.translate_with(asked, search), own.translate_with(asked, search)
        assert [one.text for one in said] == [one.text for one in wanted]
        assert [one.score for one in said] == pytest.approx([one.score for one in wanted], abs=1e-3)
    with pytest.raises(ValueError, match=r"an exported model cannot search for phrases.*own folder and torch"):
        exported.translate([Asked("Go.", must=("home",))])
    both = Engines(Choice(ExportedEngine.load(tmp_path), "the fastest"), lambda: TorchEngine(loaded))
    chosen = [both.choose(Search(), phrased=phrased).engine.name for phrased in (False, True)]
    assert chosen == ["ctranslate2", "torch"]


def folder_of(loaded: Loaded, folder: Path) -> Path:
    save(folder, loaded.config, tensors_of(loaded.model), loaded.subwords, "A model for tests.\n")
    return folder


def test_a_model_with_itself_is_the_model_and_with_others_another(tmp_path: Path) -> None:
    one = folder_of(random_model(shape()), tmp_path / "one")
    other = folder_of(recurrent(), tmp_path / "other")
    alone = Translator.load(one).translate(["Go.", "No!"], beam=2)
    for mean in ("probabilities", "logs"):
        same = Translator.load(one, others=[one], mean=mean).translate(["Go.", "No!"], beam=2)
        assert [found.text for found in same] == [found.text for found in alone]
    together = Translator.load(one, "torch", [other])
    assert together.engine_for(Search()).why == "2 models translate together"
    said = together.translate(["Go.", "No!"], beam=2, align=True)
    assert [found.text for found in said] != [found.text for found in alone]
    assert all(found.alignment is not None for found in said)
    (held,) = together.translate([Asked("Go.", prefix="One", must=("two",))], beam=2)
    assert held.text.startswith("One")
    assert contains(held.text, "two")


def test_models_that_do_not_fit_are_told_with_every_reason() -> None:
    one = random_model(shape())
    pieces, turned = (learn(texts, 360).subwords for texts in (TEXTS, [text[::-1] for text in TEXTS]))
    assert pieces.size == turned.size
    portuguese = one.config.model_copy(update={"source": "en-GB", "target": "pt"})
    members = {
        "a": Loaded(one.config, one.model, pieces),
        "b": Loaded(one.config, one.model, pieces),
        "c": Loaded(portuguese, one.model, subwords()),
        "d": Loaded(one.config, one.model, turned),
    }
    with pytest.raises(EnsembleError) as told:
        require_alike(members)
    message = str(told.value)
    assert "together: c reads en-GB, and a reads en; c writes pt, and a writes es; " in message
    assert f"c has other subwords than a: {subwords().size} and not 360; " in message
    assert "d has other subwords than a: number " in message
    assert message.endswith("or begin one from another with `mirada train --start`")
    require_alike({name: members[name] for name in "ab"})
    with pytest.raises(EnsembleError, match="17 models are to translate together; use at most 16"):
        load_together([Path("a")] * (MOST + 1))


def test_exported_models_do_not_translate_together(tmp_path: Path) -> None:
    folder = folder_of(random_model(shape()), tmp_path / "one")
    exported = tmp_path / "exported"
    exported.mkdir()
    write(random_model(shape()), exported)
    with pytest.raises(ExportError, match=r"exported is an exported model.*give the model's own folder"):
        Translator.load(folder, others=[exported])
    with pytest.raises(ExportError, match="ctranslate2 computes one model"):
        Translator.load(folder, "ctranslate2", [folder])
