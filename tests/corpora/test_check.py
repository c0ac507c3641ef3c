"""Every unit is accounted for, and each is dropped for the reason that a person would give."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.corpora.check import CHUNK, Limits, check
from mirada.corpora.findings import CheckReport, Doubt, Drop, DropsFile, Kept, Lengths, Reason
from mirada.corpora.pair import Fault, Pair, Place, Unit
from mirada.text.normalise import normalise


def pair(source: str, target: str, number: int = 1) -> Pair:
    return Pair(source, target, Place("x.tsv", number))


def only(source: str, target: str, languages: tuple[str, str] = ("en", "es")) -> Kept | Drop:
    (outcome,) = check([pair(source, target)], *languages)
    return outcome


def reason(source: str, target: str, languages: tuple[str, str] = ("en", "es")) -> Reason | None:
    outcome = only(source, target, languages)
    return outcome.reason if isinstance(outcome, Drop) else None


LONG_ENGLISH = "The weather was so bad that nobody wanted to leave the house yesterday."
LONG_SPANISH = "El tiempo era tan malo que nadie quería salir de casa ayer por la tarde."


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("The cat.", "El gato.", None),
        ("", "El gato.", Reason.EMPTY),
        ("The cat.", " \u200b\n", Reason.EMPTY),
        ("OK", " OK ", Reason.IDENTICAL),
        ("x" * 2_001, "El gato.", Reason.TOO_LONG),
        ("The cat.", "y" * 100_000, Reason.TOO_LONG),
        ("The c\x00at.", "El gato.", Reason.CONTROL),
        ("The cat.", "El g\x1bato.", Reason.CONTROL),
        ("The cat.", "El \ud800gato.", Reason.CONTROL),
        ("The cat.", "El gato\ufffd.", Reason.DAMAGED),
        ("Spring", "PrimavÃ©ra", Reason.DAMAGED),
        ("It’s", "Itâ€™s no", Reason.DAMAGED),
        ("NO", "NÃO É SÃO TOMÉ", None),
        ("Hi.", "Muy buenos días a todos.", None),
        ("Hi.", "Muy buenos días a todos los que han venido esta tarde a vernos aquí.", Reason.LENGTH_RATIO),
        ("The cat.", "Кошка спит", Reason.WRONG_SCRIPT),
        ("Кошка спит", "El gato.", Reason.WRONG_SCRIPT),
        ("The letter Щ", "La letra Щ", None),
        ("5 % — 12!", "5 %: 12", None),
        (LONG_ENGLISH, LONG_SPANISH, None),
        (LONG_ENGLISH, LONG_ENGLISH + " Yes.", Reason.WRONG_LANGUAGE),
        (LONG_SPANISH + " Sí.", LONG_SPANISH, Reason.WRONG_LANGUAGE),
        ("Good morning!", "Good morning, sir!", None),  # wrong, but too short to be sure
    ],
)
def test_reasons(source: str, target: str, expected: Reason | None) -> None:
    assert reason(source, target) == expected


def test_a_dense_script_is_not_too_short() -> None:
    english, chinese = "The meeting will take place next Wednesday in Beijing.", "会议将于下周三在北京举行。"
    assert reason(english, chinese, ("en", "zh")) is None
    assert reason(f"{english} {english}", "会", ("en", "zh")) == Reason.LENGTH_RATIO
    assert reason("Hello there", "こんにちは、元気ですか", ("en", "ja-JP")) is None


def test_languages_unknown_to_the_identifier_are_not_judged() -> None:
    assert reason(LONG_SPANISH, LONG_ENGLISH, ("es", "gn")) is None
    assert reason(LONG_SPANISH, LONG_ENGLISH, ("es", "de")) == Reason.WRONG_LANGUAGE


def test_what_is_kept_is_normalised() -> None:
    outcome = only("  The\u00a0cat. ", "El\tgato de Jose\u0301.")
    assert isinstance(outcome, Kept)
    assert (outcome.pair.source, outcome.pair.target) == ("The cat.", "El gato de José.")


def test_a_fault_is_a_drop_with_its_own_words() -> None:
    (outcome,) = check([Fault(Place("a.tmx", 9), "no target", "<tu/>")], "en", "es")
    assert outcome == Drop(Place("a.tmx", 9), Reason.REJECTED, "no target", "<tu/>", "")


def test_duplicates_are_found_across_chunks_and_after_normalising() -> None:
    fillers = [pair(f"Sentence number {number}", f"Frase número {number}", number) for number in range(CHUNK)]
    units = [
        pair("A cat", "Un gato"),
        pair("A  cat ", "Un gato"),
        pair("A cat", "El gato"),
        *fillers,
        pair("A cat", "Un gato"),
    ]
    outcomes = list(check(units, "en", "es"))
    dropped = [place for place, outcome in enumerate(outcomes) if isinstance(outcome, Drop)]
    assert dropped == [1, len(units) - 1]
    assert all(isinstance(outcomes[place], Drop) and outcomes[place].reason == Reason.DUPLICATE for place in dropped)  # type: ignore[union-attr]


def test_a_dropped_pair_is_no_original_of_a_duplicate() -> None:
    report = CheckReport()
    list(check([pair("x", ""), pair("x", "")], "en", "es", report))
    assert report.dropped == {Reason.EMPTY: 2}


def test_differing_placeholders_are_a_doubt_and_no_reason() -> None:
    outcome = only("Open %s and {name}", "Abrir {name}")
    assert isinstance(outcome, Kept)
    assert outcome.doubts == ((Doubt.PLACEHOLDERS, "lost %s"),)


rough = st.one_of(
    st.text(st.characters(), max_size=12),
    st.sampled_from(["The cat.", "El gato.", LONG_ENGLISH, LONG_SPANISH, "Кошка", "%s", "a" * 30, "x\x00", "é" * 50]),
)
units_of_all_kinds = st.lists(
    st.one_of(
        st.builds(pair, rough, rough, st.integers(1, 99)),
        st.builds(Fault, st.builds(Place, st.just("f"), st.integers(1, 9)), st.just("torn"), rough),
    ),
    max_size=25,
)


@given(units_of_all_kinds)
def test_nothing_is_lost_in_silence(units: list[Unit]) -> None:
    report = CheckReport()
    outcomes = list(check(units, "en", "es", report, Limits(longest=40)))
    assert len(outcomes) == len(units)
    for unit, outcome in zip(units, outcomes, strict=True):
        assert unit.place == (outcome.pair.place if isinstance(outcome, Kept) else outcome.place)
        if isinstance(outcome, Kept) and isinstance(unit, Pair):
            assert (outcome.pair.source, outcome.pair.target) == (normalise(unit.source), normalise(unit.target))
            assert outcome.pair.source
            assert outcome.pair.target
    kept = sum(isinstance(outcome, Kept) for outcome in outcomes)
    assert (report.read, report.kept, report.dropped.total()) == (len(units), kept, len(units) - kept)
    assert len(report.source_words) == kept
    assert report.as_json()["read"] == len(units)
    assert list(report.lines())


def test_the_check_works_in_passing() -> None:
    """It answers long before an endless corpus ends."""
    endless = (pair(f"Number {number}", f"Número {number}", number) for number in itertools.count(1))
    assert len(list(itertools.islice(check(endless, "en", "es"), 3 * CHUNK))) == 3 * CHUNK


def test_every_drop_is_one_line_of_the_table(tmp_path: Path) -> None:
    drops = [
        outcome
        for outcome in check([pair("a\tb\nc\\", ""), pair("x\x00", "\ud800y", 2)], "en", "es")
        if isinstance(outcome, Drop)
    ]
    with DropsFile(tmp_path / "drops.tsv") as table:
        for drop in drops:
            table.write(drop)
    lines = (tmp_path / "drops.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["file", "number", "reason", "found", "source", "target"]
    assert [line.split("\t") for line in lines[1:]] == [
        ["x.tsv", "1", "an empty side", "the target is empty", "a b c\\\\", ""],
        ["x.tsv", "2", "control characters", "the source holds U+0000", "x\\x00", "\\ud800y"],
    ]


@given(st.lists(st.integers(0, 12_000), min_size=1), st.floats(0.01, 1.0))
def test_quantiles_are_those_of_the_sorted_list(lengths: list[int], share: float) -> None:
    counted = Lengths()
    counted.add(lengths)
    ordered = sorted(min(length, Lengths.LONGEST) for length in lengths)
    expected = next(
        length for place, length in enumerate(ordered, 1) if place >= share * len(ordered) or place == len(ordered)
    )
    assert counted.quantile(share) == expected
    assert counted.mean == pytest.approx(sum(lengths) / len(lengths))


def test_lengths_of_nothing() -> None:
    assert Lengths().quantile(0.5) == 0
    assert Lengths().mean == 0
