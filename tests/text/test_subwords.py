"""Subwords lose nothing, know everything, and are the same on every run."""

import random
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from mirada.text import sampling
from mirada.text.hashes import Seen, hash_text, hash_texts
from mirada.text.normalise import normalise
from mirada.text.sampling import Sampler, variant_of
from mirada.text.subwords import BEGIN, END, PADDING, UNKNOWN, Subwords
from mirada.text.vocabulary import LARGEST, Sample, choose_size, frequent_symbols, learn

NOUNS = ("gato", "perro", "libro", "mercado", "animal", "niña", "casa", "ventana", "pájaro", "camino")
VERBS = ("cruza", "mira", "compra", "lee", "abre", "dibuja", "encuentra", "pierde")


def sentences(count: int) -> list[str]:
    draw = random.Random(5)
    return [
        f"{draw.choice(['El', 'Un', 'Este'])} {draw.choice(NOUNS)} {draw.choice(VERBS)} "
        f"{draw.choice(['el', 'un'])} {draw.choice(NOUNS)} {draw.randint(1, 999)} {{{{ tipo }}}} %s <b>x</b>."
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    return learn(sentences(400), size=600).subwords


any_text = st.text(st.characters(), max_size=80)
odd_texts = st.lists(
    st.sampled_from(
        ["▁", " ", "<s>", "</s>", "<unk>", "<0x41>", "{{ tipo }}", "%s", "gato", "\ufdd0", "é", "🦊", "ᏣᎳᎩ"]
    ),
    max_size=8,
).map("".join)


@settings(max_examples=300)
@given(text=any_text | odd_texts)
def test_nothing_is_lost_and_nothing_unknown(subwords: Subwords, text: str) -> None:
    ids = subwords.encode(text)
    assert subwords.decode(ids) == normalise(text)
    assert not {PADDING, UNKNOWN, BEGIN, END} & set(ids)


def test_rare_scripts_and_emoji_are_spelt_in_bytes(subwords: Subwords) -> None:
    for text in ("🦊👩\u200d💻🏴\U000e0067\U000e007f", "ᏣᎳᎩ ꦗꦮ 𒀀𒁀", "漢字かな交じり文"):
        ids = subwords.encode(text)
        assert subwords.is_byte[ids].any()
        assert subwords.decode(ids) == normalise(text)


def test_the_four_marks_are_where_everyone_expects_them(subwords: Subwords) -> None:
    assert subwords.pieces[:4] == ("<pad>", "<unk>", "<s>", "</s>")
    assert subwords.encode_many(["gato"], end=True)[0][-1] == END
    ids = subwords.encode("gato")
    assert subwords.decode([BEGIN, *ids, END, PADDING, PADDING]) == "gato"


def test_many_at_once_are_as_one_by_one(subwords: Subwords) -> None:
    texts = [*sentences(50), "", "🦊"]
    one_by_one = [[*subwords.encode(text), END] for text in texts]
    assert subwords.encode_many(texts, end=True) == one_by_one
    flat, lengths = subwords.encode_flat(texts, end=True)
    assert flat.tolist() == [one for row in one_by_one for one in row]
    assert lengths.tolist() == [len(row) for row in one_by_one]
    assert subwords.decode_many(one_by_one) == [normalise(text) for text in texts]


def test_placeholders_are_single_pieces_even_with_spaces(subwords: Subwords) -> None:
    assert {"{{ tipo }}", "%s", "<b>", "</b>"} <= set(subwords.protected)
    pieces = [subwords.pieces[one] for one in subwords.encode("Abre {{ tipo }} con %s <b>ya</b>")]
    assert [piece for piece in pieces if piece in ("{{▁tipo▁}}", "%s", "<b>", "</b>")] == [
        "{{▁tipo▁}}",
        "%s",
        "<b>",
        "</b>",
    ]


def test_tags_named_like_marks_are_not_taken_for_them() -> None:
    texts = ["tachado <s>no</s> sí"] * 20 + sentences(100)
    assert not {"<s>", "</s>"} & set(frequent_symbols(texts))
    learnt = learn(texts, size=600).subwords
    assert learnt.decode(learnt.encode("un <s>gato</s>")) == "un <s>gato</s>"


def test_quotes_and_commas_in_a_placeholder_survive_training() -> None:
    tag = '<a class="x,y">'
    learnt = learn([*sentences(100), *[f"mira {tag} aquí {number}" for number in range(9)]], size=600).subwords
    assert tag in learnt.protected
    assert learnt.pieces[learnt.encode(f"mira {tag}")[-1]] == tag.replace(" ", "▁")


def test_digits_stand_alone(subwords: Subwords) -> None:
    assert [subwords.pieces[one] for one in subwords.encode("1234")] == ["▁", "1", "2", "3", "4"]


def test_the_same_texts_in_any_order_give_the_same_bytes() -> None:
    texts = sentences(200)
    shuffled = random.Random(1).sample(texts, len(texts))
    assert learn(texts, size=500).subwords.to_bytes() == learn(shuffled, size=500).subwords.to_bytes()


@pytest.mark.parametrize("texts", [["Hola."], ["a"], ["🦊"], ["uno dos", "uno dos"], ["ab " * 300]])
def test_the_smallest_corpus_gives_a_vocabulary(texts: list[str]) -> None:
    learnt = learn(texts).subwords
    assert learnt.decode(learnt.encode("Adiós, 世界!")) == "Adiós, 世界!"


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(ValueError, match="no text to learn"):
        learn(["", "  "])


def test_a_vocabulary_too_small_for_the_alphabet_is_refused_with_one_that_fits() -> None:
    with pytest.raises(ValueError, match=r"vocabulary = 300 is too small.*use 1000"):
        learn(sentences(50), size=300)


def test_the_size_follows_the_words() -> None:
    sizes = [choose_size(words) for words in (1, 10_000, 700_000, 1_500_000, 40_000_000, 10**10)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 1_000
    assert sizes[2] == 7_000
    assert sizes[-1] == LARGEST
    assert choose_size(10_000, alphabet=4_000) == 5_000


def test_saved_and_loaded(subwords: Subwords, tmp_path: Path) -> None:
    subwords.save(tmp_path / "subwords.model")
    loaded = Subwords.load(tmp_path / "subwords.model")
    assert loaded.to_bytes() == subwords.to_bytes()
    assert loaded.pieces == subwords.pieces


def test_a_missing_torn_or_foreign_model_is_named(subwords: Subwords, tmp_path: Path) -> None:
    path = tmp_path / "subwords.model"
    with pytest.raises(ValueError, match=r"subwords\.model is missing"):
        Subwords.load(path)
    for content in (b"", b"not a model", subwords.to_bytes()[:1000]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"subwords\.model"):
            Subwords.load(path)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(50)), model_prefix=str(tmp_path / "other"), vocab_size=80, minloglevel=2
    )
    with pytest.raises(ValueError, match=r"other\.model.*\(0, 1, 2, 3\) are needed"):
        Subwords.load(tmp_path / "other.model")


def test_an_id_outside_the_vocabulary_is_refused(subwords: Subwords) -> None:
    with pytest.raises(ValueError, match="not in the vocabulary"):
        subwords.decode([subwords.size])


def test_every_segmentation_says_the_same_and_keeps_placeholders(subwords: Subwords) -> None:
    sampler = Sampler(subwords, seed=3, alpha=0.1)
    text = "El gato encuentra un mercado {{ tipo }} con %s 🦊 42"
    drawn = sampler.segmentations(text, 12)
    assert {subwords.decode(ids) for ids in drawn} == {text}
    assert drawn[0] == subwords.encode(text)
    assert len({tuple(ids) for ids in drawn}) > 4
    whole = [subwords.pieces.index(piece) for piece in ("{{▁tipo▁}}", "%s")]
    assert all([one for one in ids if one in whole] == whole for ids in drawn)


@settings(max_examples=60)
@given(text=any_text | odd_texts, variant=st.integers(0, 3))
def test_a_drawn_segmentation_loses_nothing(subwords: Subwords, text: str, variant: int) -> None:
    assert subwords.decode(Sampler(subwords).draw([text], variant)[0].tolist()) == normalise(text)


def test_a_draw_depends_on_seed_text_and_variant_only(subwords: Subwords) -> None:
    texts = sentences(60)
    alone = [Sampler(subwords, seed=7).draw([text], 2, end=True)[0].tolist() for text in texts]
    sampler = Sampler(subwords, seed=7)
    sampler.draw(texts[30:], 1)
    flat, lengths = sampler.draw(texts, 2, end=True)
    assert [part.tolist() for part in np.split(flat, np.cumsum(lengths)[:-1])] == alone
    assert Sampler(subwords, seed=8).draw(texts, 2, end=True)[0].tolist() != flat.tolist()
    assert sampler.draw(texts, 3, end=True)[0].tolist() != flat.tolist()


@pytest.mark.parametrize("variants", [1, 4])
def test_all_variants_at_once_are_as_one_by_one(subwords: Subwords, variants: int) -> None:
    texts = [*sentences(30), "", "🦊 gato", *sentences(3)]
    turned = [[text.replace("gato", f"gato{number}") for text in texts] for number in range(variants)]
    together = Sampler(subwords, seed=7).draw_all(turned, end=True)
    alone = [Sampler(subwords, seed=7).draw(some, number, end=True) for number, some in enumerate(turned)]
    assert [[part.tolist() for part in one] for one in together] == [[part.tolist() for part in one] for one in alone]


def test_a_table_that_starts_anew_changes_no_draw(subwords: Subwords, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sentences(40)
    kept = Sampler(subwords, seed=7)
    wanted = [kept.draw([text], 1)[0].tolist() for text in texts]
    monkeypatch.setattr(sampling, "WORDS", 20)
    forgetful = Sampler(subwords, seed=7)
    assert [forgetful.draw([text], 1)[0].tolist() for text in texts] == wanted


def test_draws_follow_the_model(subwords: Subwords) -> None:
    """With alpha = 1 each segmentation comes as often as the model thinks."""
    found = subwords.best("mercado", 8)
    chances = np.exp([subwords.scores[ids].sum() for ids in found])
    flat = [tuple(Sampler(subwords, seed=seed, alpha=1.0).draw(["mercado"], 1)[0].tolist()) for seed in range(1500)]
    for ids, chance in zip(found, chances / chances.sum(), strict=True):
        assert flat.count(tuple(ids)) / 1500 == pytest.approx(chance, abs=0.05)


def test_every_variant_is_shown_before_one_comes_again() -> None:
    pairs = np.arange(500)
    shown = np.stack([variant_of(11, epoch, pairs, 5) for epoch in range(5)])
    assert (np.sort(shown, axis=0) == np.arange(5)[:, None]).all()
    assert np.bincount(shown[0], minlength=5).min() > 60
    assert variant_of(11, 3, pairs[7:8], 5)[0] == shown[3, 7]


def test_no_draws_without_sense(subwords: Subwords) -> None:
    with pytest.raises(ValueError, match="use alpha >= 0"):
        Sampler(subwords, alpha=-1.0)


@given(st.lists(st.text(max_size=5), max_size=40), st.integers(1, 60), st.randoms(use_true_random=False))
def test_a_sample_is_bounded_and_knows_no_order(texts: list[str], limit: int, draw: random.Random) -> None:
    one, other = Sample(limit), Sample(limit)
    for text in texts:
        one.add(text)
    for text in draw.sample(texts, len(texts)):
        other.add(text)
    together = Sample(limit)
    together.add_all(texts[:7])
    together.add_all(texts[7:])
    assert one.texts() == other.texts() == together.texts()
    assert sum(map(len, one.texts())) <= max(limit, 5)
    assert bool(one.texts()) == any(texts)


@given(st.lists(st.lists(st.integers(0, 40), max_size=30), max_size=12))
def test_seen_is_a_set(chunks: list[list[int]]) -> None:
    seen, truth = Seen(), set[int]()
    for chunk in chunks:
        new = seen.add(np.array(chunk, dtype=np.uint64)).tolist()
        for value, fresh in zip(chunk, new, strict=True):
            assert fresh == (value not in truth)
            truth.add(value)
    assert len(seen) == len(truth)


def test_hashes_are_the_same_everywhere() -> None:
    # printf gato | b2sum --length 64
    assert hash_text("gato") == int.from_bytes(bytes.fromhex("23003c32c5ed559f"), "little")
    assert hash_texts(["gato", "perro"]).tolist() == [hash_text("gato"), hash_text("perro")]
