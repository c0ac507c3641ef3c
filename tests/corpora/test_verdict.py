"""The verdict tells the truth in plain words, and its estimates grow with the corpus."""

import json

import pytest

from mirada.corpora.findings import CheckReport, Drop, Kept, Reason
from mirada.corpora.pair import Pair, Place
from mirada.corpora.verdict import PRESETS, choose_epochs, choose_preset, judge, memory, running_words, work


def report(pairs: int, dropped: int = 0) -> CheckReport:
    """As if a short real corpus had been repeated."""
    kept = Kept(Pair("The animal did not cross the street.", "El animal no cruzó la calle porque sí.", Place("x", 1)))
    made = CheckReport()
    made.add_kept([kept] * pairs, pairs * 74)
    for number in range(dropped):
        made.add_drop(Drop(Place("x", number + 1), Reason.EMPTY, "the target is empty", "a", ""))
    return made


def test_nothing_can_be_made_of_nothing() -> None:
    verdict = judge(report(0, 3))
    assert not verdict.usable
    assert "0 of 3 pairs can be used. There is nothing to train on" in str(verdict)
    assert "Suggested" not in str(verdict)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [(1, "by heart"), (5_000, "much like it"), (50_000, "one narrow subject"), (200_000, "enough for a translator")],
)
def test_expectations_follow_the_size(pairs: int, words: str) -> None:
    assert words in str(judge(report(pairs)))


def test_many_dropped_pairs_are_a_warning_with_the_main_reason() -> None:
    assert "33 % of the pairs were dropped, most for: an empty side (50)" in str(judge(report(100, 50)))
    assert "were dropped" not in str(judge(report(100, 5)))


def test_more_data_never_means_a_smaller_model() -> None:
    names = [preset.name for preset in PRESETS]
    chosen = [names.index(choose_preset(words).name) for words in (0, 10**5, 10**6, 10**8, 10**10)]
    assert chosen == sorted(chosen)
    assert (chosen[0], chosen[-1]) == (0, 3)
    assert choose_preset(700_000).name == "small"  # Multi30k


def test_parameters_of_the_shape_that_was_measured() -> None:
    """3 + 3 layers, width 256, feed-forward 1,024, 8,000 subwords: 7.57 million with norms and biases."""
    small = PRESETS[1]
    assert small.parameters(8_000) == pytest.approx(7.57e6, rel=0.01)
    assert work(small, 8_000, 1.0) == pytest.approx(22.8e6, rel=0.05)


def test_base_is_the_paper() -> None:
    base = PRESETS[2]
    assert (base.layers, base.width, base.feed_forward) == (6, 512, 2_048)
    assert base.parameters(37_000) == pytest.approx(63e6, rel=0.03)


def test_a_faster_machine_needs_less_time() -> None:
    corpus = report(30_000)
    assert judge(corpus, 3e11).minutes == pytest.approx(judge(corpus, 1.5e11).minutes / 2)


def test_a_run_of_days_comes_with_a_shorter_way() -> None:
    corpus = report(300_000)
    corpus.worth *= 10
    corpus.source_words.total *= 10
    assert "days" in str(judge(corpus))
    assert "--preset tiny would take about 14 hours" in str(judge(corpus))
    corpus.worth //= 2
    assert "--preset small would take about" in str(judge(corpus))
    assert "--preset" not in str(judge(report(30_000)))


def test_epochs_fall_and_memory_grows() -> None:
    epochs = [choose_epochs(tokens) for tokens in (1e3, 1e6, 1e7, 1e9)]
    assert epochs == sorted(epochs, reverse=True)
    sizes = [memory(preset, 8_000) for preset in PRESETS]
    assert sizes == sorted(sizes)
    assert 0.3e9 < sizes[0] < sizes[-1] < 20e9


def test_scripts_without_spaces_have_words_too() -> None:
    chinese = CheckReport()
    chinese.add_kept([Kept(Pair("会议将于下周三在北京举行", "会议", Place("x", 1)))] * 10, 10 * 42)
    assert running_words(chinese) > 2 * 10


def test_programs_can_read_it() -> None:
    verdict = judge(report(1_000))
    told = json.loads(json.dumps(verdict.as_json()))
    assert told["preset"] == verdict.preset
    assert told["usable"] is True
