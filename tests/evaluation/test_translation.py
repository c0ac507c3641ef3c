"""Scores agree with sacreBLEU, and the test of two systems finds a difference only where there is one."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from mirada.evaluation.translation import (
    BUCKETS,
    SEED_VARIABLE,
    Bucket,
    affordable_samples,
    by_length,
    lowercased_tokenised_bleu,
    paired_bootstrap,
    score,
    tokenizer_for,
)

REFERENCES = ["The cat sat on the mat.", "A dog runs, and it barks!", "Nobody knows why the sky is blue today."] * 10
HYPOTHESES = ["the cat sat on a mat.", "A dog runs and it barks!", "Nobody knows why the sky is so blue."] * 10


def damaged(texts: list[str], share: float, seed: int) -> list[str]:
    """The texts with a share of their words replaced."""
    draw = random.Random(seed)
    return [" ".join("wrong" if draw.random() < share else word for word in text.split()) for text in texts]


def test_the_command_of_sacrebleu_says_the_same(tmp_path: Path) -> None:
    for name, texts in (("hypotheses", HYPOTHESES), ("references", REFERENCES)):
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "hypotheses", "-m", "bleu", "chrf", "-w", "4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    theirs = {one["name"]: one for one in json.loads(done.stdout)}
    ours = score(HYPOTHESES, REFERENCES)
    assert ours.bleu.as_json() == {"score": theirs["BLEU"]["score"], "signature": theirs["BLEU"]["signature"]}
    assert ours.chrf.as_json() == {"score": theirs["chrF2"]["score"], "signature": theirs["chrF2"]["signature"]}


def test_what_is_right_scores_a_hundred_and_what_shares_nothing_none() -> None:
    assert score(REFERENCES, REFERENCES).bleu.score == pytest.approx(100)
    assert score(REFERENCES, REFERENCES).chrf.score == pytest.approx(100)
    assert score(["xyz"] * 30, REFERENCES).chrf.score < 1


def test_case_counts_but_in_lowercased_bleu() -> None:
    shouted = [text.upper() for text in REFERENCES]
    assert score(shouted, REFERENCES).bleu.score < 50
    lowercased = lowercased_tokenised_bleu(shouted, REFERENCES)
    assert lowercased.score == pytest.approx(100)
    assert "case:lc" in lowercased.signature
    assert "tok:13a" in lowercased.signature


@pytest.mark.parametrize(("language", "tokenizer"), [("de", "13a"), ("zh-Hant", "zh"), ("ja", "char"), ("TH", "char")])
def test_languages_without_spaces_have_their_own_tokenizer(language: str, tokenizer: str) -> None:
    assert tokenizer_for(language) == tokenizer
    assert f"tok:{tokenizer}" in score(HYPOTHESES, REFERENCES, tokenizer_for(language)).bleu.signature


def test_chinese_is_not_one_long_word() -> None:
    hypothesis, reference = ["我喜欢在早上喝一杯茶。"], ["我喜欢在晚上喝一杯茶。"]
    assert score(hypothesis, reference).bleu.score < 20
    assert score(hypothesis, reference, tokenizer_for("zh")).bleu.score > 50


def test_each_sentence_stands_in_the_bucket_of_its_source() -> None:
    sources = ["one"] * 3 + ["one two three four five"] * 4 + ["six words are one too many"] * 5 + ["a " * 60] * 18
    found = by_length(sources, HYPOTHESES, REFERENCES)
    assert [(str(one), one.sentences) for one in found] == [("1–5", 7), ("6–10", 5), ("51 or more", 18)]
    assert found[0].scores == score(HYPOTHESES[:7], REFERENCES[:7])
    assert set(found[0].as_json()) == {"shortest", "longest", "sentences", "bleu", "chrf"}
    (all_of_them,) = by_length(sources, HYPOTHESES, REFERENCES, buckets=())
    assert all_of_them == Bucket(1, None, 30, score(HYPOTHESES, REFERENCES))


def test_an_empty_source_is_counted_too() -> None:
    assert sum(one.sentences for one in by_length([""] * 30, HYPOTHESES, REFERENCES)) == 30


def test_a_source_without_spaces_is_longer_than_a_word() -> None:
    found = by_length(["我喜欢在早上喝一杯茶，然后再去上班。" * 2], ["a"], ["b"])
    assert found[0].shortest > 1


@pytest.mark.parametrize("buckets", [(5, 5), (9, 3), (0, 3)])
def test_buckets_must_rise(buckets: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"do not rise; .*words"):
        by_length(HYPOTHESES, HYPOTHESES, REFERENCES, buckets)


def test_texts_that_do_not_fit_together() -> None:
    with pytest.raises(ValueError, match="2 translations for 1 references"):
        score(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="1 sources for 2 references"):
        by_length(["a"], ["a", "b"], ["a", "b"], BUCKETS)
    with pytest.raises(ValueError, match="no translations to score"):
        score([], [])


def test_a_better_system_is_surely_better() -> None:
    found = paired_bootstrap(HYPOTHESES, damaged(HYPOTHESES, 0.4, 1), REFERENCES, samples=200)
    for one, own in (
        (found.bleu, score(HYPOTHESES, REFERENCES).bleu),
        (found.chrf, score(HYPOTHESES, REFERENCES).chrf),
    ):
        assert one.difference > 5
        assert one.p_value < 0.05
        assert one.system.score == pytest.approx(own.score)
        assert one.system.interval > 0
        assert abs(one.system.mean - one.system.score) < 3
        assert "bs:200" in one.signature
    assert found.as_json()["bleu"] == found.bleu.as_json()


def test_equal_systems_do_not_differ() -> None:
    found = paired_bootstrap(HYPOTHESES, HYPOTHESES, REFERENCES, samples=50)
    assert (found.bleu.difference, found.bleu.p_value) == (0, 1)
    assert (found.chrf.difference, found.chrf.p_value) == (0, 1)


def test_systems_that_are_equally_bad_are_not_told_apart() -> None:
    texts = [" ".join(random.Random(row).choices(HYPOTHESES[row].split(), k=8)) for row in range(30)]
    one, other = damaged(texts, 0.2, 1), damaged(texts, 0.2, 2)
    assert paired_bootstrap(one, other, texts, samples=200).chrf.p_value > 0.05


def test_the_seed_decides_and_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    worse = damaged(HYPOTHESES, 0.1, 3)
    first, again = (paired_bootstrap(HYPOTHESES, worse, REFERENCES, samples=20, seed=7) for _ in range(2))
    assert first == again
    assert paired_bootstrap(HYPOTHESES, worse, REFERENCES, samples=20, seed=8).bleu.system != first.bleu.system
    assert SEED_VARIABLE not in os.environ
    monkeypatch.setenv(SEED_VARIABLE, "99")
    assert paired_bootstrap(HYPOTHESES, worse, REFERENCES, samples=20, seed=7) == first
    assert os.environ[SEED_VARIABLE] == "99"


@pytest.mark.parametrize(("samples", "seed"), [(0, 1), (1, 0)])
def test_samples_and_seed_are_positive(samples: int, seed: int) -> None:
    with pytest.raises(ValueError, match="use 1 or more"):
        paired_bootstrap(HYPOTHESES, HYPOTHESES, REFERENCES, samples, seed)


def test_a_large_test_set_is_sampled_less_often() -> None:
    assert affordable_samples(1_000) == 1_000
    assert affordable_samples(200_000) == 100
    assert affordable_samples(0) == 1_000
