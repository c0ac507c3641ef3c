"""The translator: texts, lines and files, and that nothing is lost on the way."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mirada.attention import Learned
from mirada.decoding.limits import Flag
from mirada.decoding.options import Search
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.folder import FolderError, Loaded
from mirada.text.slots import MARKS
from mirada.translator import CHUNK_CHARACTERS, Tally, Translator
from tests.translators import TEXTS, config, copier, random_folder, slotted_subwords, subwords

GREEDY = Search(beam=1)
SHORT = ["Go home.", "Save it, then wait.", "No!"]


@pytest.fixture(autouse=True)
def soon_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that has learnt nothing does not end by itself: checked shapes make each step slow."""
    monkeypatch.setattr("mirada.decoding.limits.LENGTHS", 1)
    monkeypatch.setattr("mirada.decoding.limits.MORE", 2)


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    return Translator.load(random_folder(tmp_path_factory.mktemp("model")))


@pytest.mark.parametrize("settings", [{"beam": 1}, {"beam": 2, "n_best": 2}, {"sampling": True, "seed": 4}])
def test_alone_or_in_any_company(untrained, settings) -> None:
    texts = [*SHORT[:2], "", SHORT[2]]
    together = untrained.translate(texts, **settings)
    turned = untrained.translate(texts[::-1], **settings)[::-1]
    alone = [untrained.translate([text], **settings)[0] for text in texts]
    for one, other, third in zip(together, turned, alone, strict=True):
        assert one.text == other.text == third.text
        assert [alternative.text for alternative in one.alternatives] == [found.text for found in third.alternatives]
        assert one.score == pytest.approx(third.score, abs=1e-4)


def test_texts_come_back_in_order_with_their_white_space() -> None:
    texts = ["  Open the file. ", "", "\t \n", "One.\r\nTwo, three.", "Go.\n\n  Wait!", "no"]
    found = copier().translate(texts, beam=2)
    assert [one.text for one in found] == ["  Open the file. ", "", "", "One.\r\nTwo, three.", "Go.\n\n  Wait!", "no"]
    assert [one.source for one in found] == texts
    assert not any(one.flags for one in found)
    assert found[1].score == 0
    assert found[1].tokens == ()


def test_nothing_at_all() -> None:
    assert copier().translate([]) == []
    with pytest.raises(ValueError, match="a single text"):
        copier().translate("Open the file.")


def test_what_has_no_words_stays_as_it_is() -> None:
    backwards = copier(lambda words: words[::-1])
    assert [one.text for one in backwards.translate(["12.5", "-- {name} --", "%s"])] == ["12.5", "-- {name} --", "%s"]


def test_a_line_of_a_hundred_thousand_characters() -> None:
    text = ("Open the file, then save it. Wait for me! " * 2_400)[:100_000].strip()
    (found,) = copier(longest=30).translate([text], beam=1)
    assert found.text == text
    assert found.flags == ()
    (endless,) = copier(longest=30).translate(["one two three " * 50], beam=1)
    assert endless.text == "one two three " * 50
    assert endless.flags == (Flag.DIVIDED,)


def test_n_best_and_scores() -> None:
    (found,) = copier(sure=0.9).translate(["Go home."], beam=4, n_best=3)
    assert found.text == "Go home."
    assert len(found.alternatives) == 2
    scores = [found.score, *(one.score for one in found.alternatives)]
    assert scores == sorted(scores, reverse=True)


def test_sampling_is_repeatable() -> None:
    texts = ["Go home.", "Wait for me."]
    doubting = copier(sure=0.6)
    first = doubting.translate(texts, sampling=True, n_best=3, seed=1)
    assert first == doubting.translate(texts, sampling=True, n_best=3, seed=1)
    assert first != doubting.translate(texts, sampling=True, n_best=3, seed=2)
    assert [one.text for one in doubting.translate(texts, sampling=True, top_k=1)] == texts


def test_flags_tell_what_went_wrong() -> None:
    symbols = copier(lambda words: words[:3]).translate(["Open it, %s."], beam=1)
    assert symbols[0].flags == (Flag.SYMBOLS,)
    silent = copier(lambda words: [], sure=1.0).translate(["Go home."], beam=1)
    assert silent[0].flags == (Flag.EMPTY,)
    assert silent[0].text == ""
    word = subwords().encode("no")
    endless = copier(lambda words: word * 500, sure=1.0).translate(["Go home."], beam=1)
    assert Flag.CUT in endless[0].flags
    tally = Tally()
    for one in (*symbols, *silent, *endless):
        tally.add(one)
    assert (tally.translations, tally.flagged) == (3, 3)
    assert "3 translations, 3 flagged: " in str(tally)
    assert "1 empty although the source is not" in str(tally)


def test_a_loop_is_mended() -> None:
    word = subwords().encode("no, not today, ")
    (found,) = copier(lambda words: word * 100).translate(["Go home."], beam=2)
    assert Flag.REPEATING not in found.flags


def test_what_is_spelt_in_bytes_breaks_no_line() -> None:
    newline = subwords().pieces.index("<0x0A>")
    (found,) = copier(lambda words: [newline, *words, newline]).translate(["Go."], beam=1)
    assert found.text == "Go."


def test_alignment(untrained) -> None:
    for translator in (untrained, copier()):
        found = translator.translate([*SHORT[:2], "", "12.5", "One.\nTwo!"], beam=1, align=True)
        for one in found:
            assert one.alignment is not None
            assert [target for _, target in one.alignment] == list(range(len(one.tokens)))
            assert all(0 <= source < len(one.source_tokens) for source, _ in one.alignment)
        (alone,) = translator.translate(SHORT[:1], beam=1, align=True)
        assert alone.alignment == found[0].alignment
    assert copier().translate(SHORT[:1], beam=1)[0].alignment is None
    assert found[0].source_tokens == found[0].tokens
    assert found[3].alignment == tuple((place, place) for place in range(len(found[3].tokens)))


def test_the_layer_to_align_by() -> None:
    made = config(layers=3)
    model = build(made.model, made.vocabulary, seed=3).eval()
    by_layer = {}
    for layer in (None, 0, 1, 2):
        chosen = made.model_copy(update={"alignment_layer": layer})
        (found,) = Translator.of(Loaded(chosen, model, subwords())).translate(SHORT[1:2], beam=1, align=True)
        by_layer[layer] = found.alignment
    assert by_layer[None] == by_layer[1]
    assert by_layer[0] != by_layer[2]
    wrong = Translator.of(Loaded(made.model_copy(update={"alignment_layer": 3}), model, subwords()))
    with pytest.raises(ValueError, match="alignment_layer = 3, but the decoder has the layers 0 to 2"):
        wrong.translate(SHORT[1:2], beam=1, align=True)


def recurrent(score: str) -> Translator:
    shape = {"width": 8, "encoder": {"width": 8}, "decoder": {"width": 8}, "attention": {"score": score}}
    made = config().model_copy(update={"model": RecurrentConfig.model_validate(shape)})
    return Translator.of(Loaded(made, build(made.model, made.vocabulary, seed=3).eval(), subwords()))


def test_a_recurrent_model_translates_and_aligns_as_any_other() -> None:
    translator = recurrent("additive")
    together = translator.translate(SHORT, beam=2, align=True)
    for one, text in zip(together, SHORT, strict=True):
        (alone,) = translator.translate([text], beam=2, align=True)
        assert (one.text, one.alignment) == (alone.text, alone.alignment)
        assert [target for _, target in one.alignment or ()] == list(range(len(one.tokens)))


def test_a_model_without_attention_says_so_instead_of_aligning() -> None:
    translator = recurrent("none")
    assert len(translator.translate(SHORT, beam=1)) == len(SHORT)
    with pytest.raises(ValueError, match="this model has no attention, so there is no alignment"):
        translator.translate(SHORT[:1], beam=1, align=True)


def test_learned_places_are_never_left() -> None:
    made = config(longest=100, position=Learned(24))
    translator = Translator.of(Loaded(made, build(made.model, made.vocabulary, seed=3).eval(), subwords()))
    (found,) = translator.translate([" ".join(TEXTS[:2])], beam=2, align=True)
    assert found.alignment


def test_a_stream_is_translated_as_it_comes() -> None:
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        for number in range(10):
            taken += 1
            yield f"Go home {number}."

    stream = copier().translate_lines(lines(), GREEDY, most=4)
    assert next(stream).text == "Go home 0."
    assert taken == 4
    assert [one.text for one in stream] == [f"Go home {number}." for number in range(1, 10)]


def test_a_stream_holds_few_characters(monkeypatch) -> None:
    chunks = []
    translator = copier()
    monkeypatch.setattr(Translator, "translate_with", lambda _, texts, search, align: chunks.append(texts) or [])
    long = "x" * (CHUNK_CHARACTERS // 2)
    list(translator.translate_lines([long, long, "y", long], GREEDY))
    assert [len(chunk) for chunk in chunks] == [2, 2]


def test_files_are_filled(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Open the file.\n\n  Go %s home.\n---\n", encoding="utf-8")
    heard = []
    summary = copier().translate_file(source, target, GREEDY, listen=heard.append)
    assert target.read_text(encoding="utf-8") == source.read_text(encoding="utf-8")
    assert [one.text for one in heard] == ["Open the file.", "Go %s home."]
    assert (summary.translated, summary.kept, summary.review, summary.tally.translations) == (3, 0, [], 2)


XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
    <trans-unit id="1"><source>Go <g id="1">home</g>.</source></trans-unit>
    <trans-unit id="2"><source>Wait.</source><target state="final">Espera.</target></trans-unit>
  </body></file>
</xliff>
"""


def test_a_document_keeps_tags_and_states(tmp_path: Path) -> None:
    source, target = tmp_path / "in.xlf", tmp_path / "out.xlf"
    source.write_text(XLIFF, encoding="utf-8")
    summary = copier().translate_file(source, target, GREEDY)
    written = target.read_text(encoding="utf-8")
    assert '<target state="translated">Go <g id="1">home</g>.</target>' in written
    assert '<target state="final">Espera.</target>' in written
    assert (summary.translated, summary.kept, summary.review) == (1, 1, [])
    lossy = copier(lambda words: words[:1]).translate_file(source, target, GREEDY)
    assert len(lossy.review) == 1
    assert lossy.tally.flags[Flag.SYMBOLS] == 1
    assert 'state="needs-review-translation"' in target.read_text(encoding="utf-8")


def test_no_folder_no_translator(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="is no folder of a model"):
        Translator.load(str(tmp_path / "nothing"))


def test_languages(untrained) -> None:
    assert (untrained.source, untrained.target) == ("en", "es")


def test_symbols_never_seen_come_out_to_the_letter() -> None:
    texts = [
        "Open %(name)s: {{ limit }}, then <b>save</b> it.",
        "Wait for <a href=\"x?a=1&amp;b\"  id='y'>me</a>, %1$s!",
        f"Go {MARKS[3]}home{MARKS[0]}.",
        f"Go home, {MARKS[0]}%s.",
        "Go {a}" + "".join(f" {{{name}}}" for name in "bcdefghijklmnop"),
    ]
    found = copier(longest=200, known=slotted_subwords()).translate(texts, beam=2)
    assert [one.text for one in found] == [texts[0], texts[1], "Go home.", "Go home, %s.", texts[4]]
    assert not any(one.flags for one in found)
    assert {"%(name)s", "{{▁limit▁}}", "<b>", "</b>"} <= set(found[0].tokens)
    assert found[0].tokens == found[0].source_tokens


def test_a_symbol_takes_as_little_room_as_any_other() -> None:
    known = slotted_subwords()
    text = f"Open <span class={'x' * 150}>the file</span>."
    assert len(known.encode(text)) > 60
    (found,) = copier(longest=30, known=known).translate([text], beam=1)
    assert found.text == text
    assert found.flags == ()


def test_lost_and_invented_symbols_are_flagged_and_swapped_formats_numbered() -> None:
    known = slotted_subwords()
    first, second, other = (known.pieces.index(MARKS[number]) for number in (0, 1, 5))

    def swapped(words: list[int]) -> list[int]:
        return [{first: second, second: first}.get(word, word) for word in words]

    def lost(words: list[int]) -> list[int]:
        return [word for word in words if word != second]

    def invented(words: list[int]) -> list[int]:
        return [other, *words]

    text = "Open %s, then save %d."
    said = [copier(speech, known=known).translate([text], beam=1)[0] for speech in (swapped, lost, invented)]
    assert [one.text for one in said] == ["Open %2$d, then save %1$s.", "Open %s, then save .", text]
    assert [one.flags for one in said] == [(), (Flag.SYMBOLS,), ()]


def test_alignment_and_alternatives_have_slots_shown() -> None:
    (found,) = copier(sure=0.9, known=slotted_subwords()).translate(["Open {x}."], beam=3, n_best=2, align=True)
    assert "{x}" in found.tokens
    assert found.alignment is not None
    assert len(found.alignment) == len(found.tokens)
    assert not any(mark in text for mark in MARKS for text in (found.text, found.alternatives[0].text, *found.tokens))
