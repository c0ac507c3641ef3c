"""Every measure makes its table and its bars of what the sides answer, whoever fails."""

from pathlib import Path

import pytest

import beside.bench
from beside import models
from beside.bench import Bench
from beside.measures import defaults, growth, translating
from beside.measures.peaks import PRECISIONS, PRODUCTS, peaks
from beside.measures.profile import profile
from beside.measures.quality import quality
from beside.measures.recurrent import recurrent
from beside.measures.training import base_bf16, small_bf16, small_fp32
from beside.models import SHORTLIST, Exports
from beside.peers import Peer, PeerError
from beside.rounds import Answer, Side, SideError
from beside.task import Task
from mirada.evaluation.translation import Metric, Scores
from mirada.tasks.task import Score
from mirada.training import record
from mirada.training.budget import Budget
from mirada.training.config import BudgetConfig
from mirada.training.record import RunRecord
from mirada.training.result import Result

SPEEDS = {"mirada": 9_000.0, "HF MarianMTModel 5.22.2, sdpa": 3_000.0, "eole 0.6.4": 4_000.0, "sdpa": 2.0, "eager": 1.0}


def answer(side: Side, number: int) -> Answer:
    """What a side might say."""
    if side.name.startswith("OpenNMT"):
        raise SideError("status 1: it does not run")
    peaks = {f"{precision} {' × '.join(map(str, one))}": 2e11 for precision in PRECISIONS for one in PRODUCTS}
    told: Answer = {"speed": SPEEDS.get(side.name, 1_000.0), "memory": 1e9, "tokens": 7_000}
    told |= {"loss": 4.0, "single": 0.004}
    if "said" in side.asked:
        for search in translating.SEARCHES:
            path = Path(f"{side.asked['said']} {search}.txt")
            path.write_text("the same\n" * 99 + f"{side.name}\n", encoding="utf-8")
    searches = dict.fromkeys(translating.SEARCHES, 1200.0)
    settings = {f"{search}, 256 tokens": 1_000.0 for search in translating.SEARCHES}
    scores = {f"BLEU {search}": 36.0 for search in translating.SEARCHES}
    return told | peaks | searches | settings | scores | {"fp32": 2e11, "bf16": 4e11, "copy": 2e10, "version": "4.8.4"}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A run in which every side answers at once."""
    monkeypatch.setattr(Side, "answer", answer)
    monkeypatch.setattr(beside.bench, "set_up", lambda home, peer: Path("python"))
    monkeypatch.setattr(beside.bench.task, "prepare", lambda data, home, vocabulary: Task(home, 0.5))
    return Bench(tmp_path, tmp_path, rounds=2)


@pytest.mark.parametrize(("measure", "ratio"), [(small_bf16, 2.25), (small_fp32, 2.25), (base_bf16, 3.0)])
def test_training_is_held_against_the_fastest_peer_at_its_best(bench: Bench, measure, ratio: float) -> None:
    section = measure(bench)
    assert section.bars[0].found == ratio
    assert section.rows[0][:3] == ("mirada", "9,000", "")
    assert section.rows[1][:3] == ("HF MarianMTModel 5.22.2, sdpa", "3,000", "3.00")
    assert any("trial" in note and "eager 1, sdpa 2" in note for note in section.notes)


def test_the_share_of_the_peak_is_work_over_what_the_machine_can_do(bench: Bench) -> None:
    # (2.36 + 3.15 + 2.05) / 2 M weights a token, 6 operations each, 9,000 tokens a second, of 400 GFLOP/s.
    assert small_bf16(bench).rows[0][3] == "51%"


def test_a_peer_that_cannot_be_set_up_is_told_and_the_others_are_measured(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(home: Path, peer: Peer) -> Path:
        if peer.name == "eole":
            raise PeerError("eole could not be set up")
        return Path("python")

    monkeypatch.setattr(beside.bench, "set_up", refuse)
    section = small_bf16(bench)
    assert len(section.rows) == 2
    assert "eole could not be set up" in section.notes
    assert section.bars[0].found == 3.0


def test_a_peer_that_fails_leaves_a_row_without_figures(bench: Bench) -> None:
    section = recurrent(bench)
    assert section.rows[-1] == ("OpenNMT-py 3.5.1", "–", "–", "–", "–")
    assert [bar.what for bar in section.bars] == ["tokens/s against JoeyNMT 2.3.0"]
    assert "OpenNMT-py 3.5.1 failed: status 1: it does not run" in str(section)


def test_quality_is_the_mean_difference_of_three_seeds(bench: Bench) -> None:
    section = quality(bench)
    assert section.rows[0][1] == "4.0000, 4.0000, 4.0000"
    assert section.bars[0].found == 0.0


def test_the_machine_has_a_row_for_each_product(bench: Bench) -> None:
    assert [row[1:] for row in peaks(bench).rows] == [("200", "200")] * len(PRODUCTS)


def test_a_profile_shows_the_largest_shares_first(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Side, "answer", lambda *_: {"memory": 1e9, "aten::add": 0.25, "aten::mm": 0.75})
    assert profile(bench).rows == [("aten::mm", "75.0%"), ("aten::add", "25.0%")]


def test_each_thing_grows_by_itself(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "synthetic", lambda home, *sizes: home)
    names = [row[0] for row in growth.growth(bench).rows]
    assert names[0] == "width 128"
    assert names[-1] == "vocabulary 32,000"
    assert len(names) == len(set(names)) == 14


@pytest.mark.parametrize("shortlist", [False, True])
def test_translating_is_held_against_the_best_batches(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shortlist: bool
) -> None:
    if shortlist:
        (tmp_path / SHORTLIST).touch()
    monkeypatch.setattr(translating, "exported_models", lambda bench: Exports(tmp_path, tmp_path))
    monkeypatch.setattr(translating, "require_corpus", lambda data: data)
    section = translating.translating(bench)
    bars = {bar.what: bar.found for bar in section.bars}
    assert bars["mirada, greedy against CTranslate2 directly"] == 1.2
    assert bars["one sentence against CTranslate2 directly"] == 1.0
    assert len(section.rows) == (6 if shortlist else 3)  # ours also by its engine alone
    if shortlist:
        assert bars["sentences that the shortlist changes, beam 5"] == 1.0


def test_the_defaults_are_held_against_what_a_peer_reached(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record of a run in place of twenty minutes."""
    scores = Scores(Metric(37.5, "tok:13a"), Metric(61.25, "nc:6"))
    development = Score(step=4_200, loss=1.9)
    result = Result(development=development, parameters=7_300_000, steps=(4_200,), test=scores, test_sentences=1_000)
    run = RunRecord(
        identity={},
        asked=BudgetConfig(minutes=20),
        budget=Budget(steps=4_200, validations=20, epochs=8.25, why="", spent=1.0),
        decided={"preset": "small", "dropout": 0.1},
    )
    monkeypatch.setattr(defaults, "train_model", lambda bench: bench.home)
    record.write(bench.home, run)
    with pytest.raises(RuntimeError, match="no score of a finished run"):
        defaults.defaults(bench)
    record.write(bench.home, run.model_copy(update={"status": "finished", "result": result}))
    section = defaults.defaults(bench)
    assert section.rows[0][1:3] == ("37.50", "61.25")
    assert "4,200 steps, 8.2 passes" in section.rows[0][4]
    assert section.bars[0].found == 37.5
    assert section.bars[0].holds


def test_a_model_is_trained_with_no_setting_but_the_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    monkeypatch.setattr(models, "require_corpus", lambda data: Path("corpus"))
    monkeypatch.setattr(models, "_mirada", lambda *words: given.extend(words))
    folder = models.trained_model(bench)
    assert [word for word in given if word.startswith("--")] == [
        "--dev", "--dev", "--test", "--test", "--from", "--to", "--minutes", "--output",
    ]  # fmt: skip
    assert given[:3] == ["train", "corpus/train.en", "corpus/train.de"]
    given.clear()
    folder.mkdir()
    (folder / models.WEIGHTS).touch()
    assert models.trained_model(bench) == folder
    assert not given
