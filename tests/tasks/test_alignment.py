"""Looks read as alignments: as loops over words read them, whatever the batch, and right where the looks are known."""

import random

import pytest
import torch

from mirada.attention import Learned
from mirada.attention.record import joined, record
from mirada.evaluation.alignment import Gold, score
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.folder import Loaded
from mirada.tasks import alignment
from mirada.tasks.alignment import Aligner, Reading, shared_words
from mirada.text.subwords import BEGIN
from mirada.text.words import words_of_pieces
from tests.aligners import diagonal
from tests.translators import TEXTS, config, slotted_subwords, subwords

PAIRS = [
    ("Open the file, then save it.", "Then wait for me."),
    ("No!", "The quick brown fox jumps over the lazy dog."),
    ("One two three four five six seven.", "Go home."),
    ("He said: no, not today!", "He said: no, not today!"),
]

# A word that is one piece.
WORD = next(piece[1:] for piece in subwords().pieces if piece[0] == "▁" and len(subwords().encode(piece[1:])) == 1)


def transformer(layers: int = 2, **more: object) -> Loaded:
    made = config(layers=layers, **more)
    return Loaded(made, build(made.model, made.vocabulary, seed=3).eval(), subwords())


def recurrent(**look: object) -> Loaded:
    shape = {"width": 8, "encoder": {"width": 8}, "decoder": {"width": 8}, "attention": look}
    made = config().model_copy(update={"model": RecurrentConfig.model_validate(shape)})
    return Loaded(made, build(made.model, made.vocabulary, seed=1).eval(), subwords())


def links(loaded: Loaded, pairs: list[tuple[str, str]], reading: Reading) -> list[tuple[tuple[int, int], ...]]:
    return [found.links for (found,) in Aligner(loaded).align(pairs, [reading])]


def by_loops(loaded: Loaded, source: str, target: str, reading: Reading) -> list[tuple[int, int]]:
    """The same, one pair at a time, word by word."""
    known = loaded.subwords
    read, said = known.encode_many([source], end=True)[0], known.encode(target)
    with torch.inference_mode(), record(loaded.model) as looks:
        loaded.model(torch.tensor([read]), None, torch.tensor([[BEGIN, *said]]), None)
    attention = loaded.model.looks_at_source()[reading.layer]
    weights = next(one.weights[0] for one in joined(looks) if one.attention is attention)
    table = weights.mean(0) if reading.head is None else weights[reading.head]
    sources, targets = (words_of_pieces([known.pieces[one] for one in ids]) for ids in (read[:-1], said))
    found = []
    for word in range(max(targets) + 1):
        rows = [place + (reading.when == "read") for place, own in enumerate(targets) if own == word]
        sums = [
            sum(float(table[row, place]) for row in rows for place, own in enumerate(sources) if own == other)
            for other in range(max(sources) + 1)
        ]
        found.append((sums.index(max(sums)), word))
    return found


READINGS = [Reading(0), Reading(1, 1), Reading(1, None, "read"), Reading(0, 0, "read")]


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_a_transformer_aligns_as_loops_do(reading: Reading) -> None:
    loaded = transformer()
    assert [list(one) for one in links(loaded, PAIRS, reading)] == [by_loops(loaded, *pair, reading) for pair in PAIRS]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("score", ["additive", "bilinear", "dot"])
def test_a_recurrent_model_aligns_as_loops_do(when: str, score: str) -> None:
    loaded, reading = recurrent(when=when, score=score), Reading(0)
    assert [list(one) for one in links(loaded, PAIRS, reading)] == [by_loops(loaded, *pair, reading) for pair in PAIRS]


def test_alone_or_in_any_company_or_among_other_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = transformer()
    together = links(loaded, PAIRS, READINGS[1])
    assert links(loaded, PAIRS[::-1], READINGS[1])[::-1] == together
    assert [links(loaded, [pair], READINGS[1])[0] for pair in PAIRS] == together
    assert [found[1].links for found in Aligner(loaded).align(PAIRS, READINGS)] == together
    monkeypatch.setattr(alignment, "PAIRS_AT_ONCE", 3)
    monkeypatch.setattr(alignment, "LOOKS_AT_ONCE", 1)
    assert links(loaded, PAIRS, READINGS[1]) == together


def straight(texts: list[str]) -> list[Gold]:
    return [Gold.of((word, word) for word in range(len(text.split()))) for text in texts]


def test_looks_that_are_known_give_the_alignment_that_is_known() -> None:
    found = links(diagonal(), [(text, text) for text in TEXTS], Reading(0, 1))
    assert score(found, straight(TEXTS)).error == 0


def test_a_shuffled_gold_is_clearly_worse() -> None:
    chance = random.Random(3)
    words = " ".join(TEXTS).split()
    texts = [" ".join(chance.choices(words, k=chance.randint(4, 9))) for _ in range(30)]
    found = links(diagonal(), [(text, text) for text in texts], Reading(0, 1))
    gold = straight(texts)
    shuffled = []
    for one in gold:
        sources, targets = zip(*sorted(one.sure), strict=True)
        shuffled.append(Gold.of(zip(sources, chance.sample(targets, len(targets)), strict=True)))
    assert score(found, gold).error == 0
    assert score(found, shuffled).error > 0.6


def test_the_best_reading_is_found_by_words_on_both_sides() -> None:
    same = [(text, text) for text in TEXTS * 5]
    assert Aligner(diagonal()).best(same) == Reading(0, None)  # a head that is idle leaves the mean as good
    assert Aligner(diagonal(astray=True)).best(same) == Reading(0, 1)


def test_a_word_that_has_been_read_stands_one_row_later() -> None:
    later = [(f"{WORD} {text}", text) for text in TEXTS]
    gold = [Gold.of((word + 1, word) for word in range(len(text.split()))) for text in TEXTS]
    assert score(links(diagonal(), later, Reading(0, 1, "read")), gold).error == 0
    assert score(links(diagonal(), later, Reading(0, 1, "written")), gold).error > 0.2


def test_words_that_stand_once_on_both_sides() -> None:
    assert shared_words("Ann met Bob , Bob met 12 .", "Ann vio a 12 y a Bob .") == {"Ann": (0, 0), "12": (6, 3)}
    assert shared_words("", "Ann") == {}


def test_too_few_words_on_both_sides() -> None:
    with pytest.raises(ValueError, match="too few to find the best head by; at least 20 are needed"):
        Aligner(diagonal()).best([("One", "One")])


def test_words_are_counted_as_spaces_divide_them() -> None:
    zero_width = "\u200b"
    pairs = [
        (
            f"Open {zero_width} it",
            f"{zero_width} Open it",
        ),  # what cannot be seen is a word of the line, and linked to none
        ("  Open\u00a0it ", "Open\tit"),
        ("", "Open it"),
        ("Open it", zero_width),
    ]
    found = links(diagonal(), pairs, Reading(0, 1))
    assert found == [((0, 1), (2, 2)), ((0, 0), (1, 1)), (), ()]


def test_all_words_of_a_symbol_are_linked_together() -> None:
    loaded = diagonal(slotted_subwords())
    tag = '<a href="x" id="y">'
    ((found,),) = Aligner(loaded).align([(f"Open {tag} it", f"Open {tag} it")], [Reading(0, 1)])
    inside = {(one, other) for one in (1, 2, 3) for other in (1, 2, 3)}
    assert set(found.links) == {(0, 0), (4, 4)} | inside


def test_a_pair_that_is_too_long_has_a_reason_and_no_links() -> None:
    loaded = transformer(position=Learned(12))
    (long,), (short,) = Aligner(loaded).align([(" ".join(TEXTS), "Go home."), ("Go home.", "Go.")], [Reading(0)])
    assert (long.links, short.refused) == ((), None)
    assert long.refused is not None
    assert long.refused.endswith("tokens, and at most 12 are aligned")
    assert [target for _, target in short.links] == [0]


def test_the_usual_reading_is_that_of_translations() -> None:
    loaded = transformer(layers=3)
    assert Aligner(loaded).reading() == Reading(1, None, "written")
    chosen = Loaded(loaded.config.model_copy(update={"alignment_layer": 2}), loaded.model, loaded.subwords)
    assert Aligner(chosen).reading(head=1) == Reading(2, 1, "written")
    assert len(Aligner(loaded).readings()) == 3 * (2 + 1) * 2
    assert str(Reading(1, 0, "read")) == "layer 2, head 1, when read"


def test_layers_and_heads_that_are_not_there() -> None:
    aligner = Aligner(transformer())
    with pytest.raises(ValueError, match=r"layer = 3, but the decoder looks at the source in the layers 1 to 2"):
        aligner.reading(layer=2)
    with pytest.raises(ValueError, match=r"head = 3, but the heads of layer 1 are 1 to 2"):
        aligner.reading(layer=0, head=2)


def test_models_that_do_not_choose_where_they_look() -> None:
    with pytest.raises(ValueError, match="this model has no attention, so there is no alignment"):
        Aligner(recurrent(score="none"))
    with pytest.raises(ValueError, match="looks at all words alike"):
        Aligner(recurrent(score="mean"))
