"""The check: every unit is either kept, with its texts normalised, or dropped for a reason that is named.

It works in passing, some thousand units at a time; what it remembers is 8 bytes for each kept pair, to know a
duplicate. The cheap tests go first, and the first reason found is the one that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from mirada.corpora.findings import CheckReport, Doubt, Drop, Kept, Outcome, Reason
from mirada.corpora.pair import Fault, Pair, Unit
from mirada.text.hashes import Seen, hash_texts
from mirada.text.identify import LETTERS, Guard, can_judge
from mirada.text.normalise import control_in, normalise
from mirada.text.placeholders import compare
from mirada.text.scripts import Letters, count_letters, expected_scripts

CHUNK = 4096
NAMES = ("source", "target")
Found = dict[int, tuple[Reason, str]]  # what is wrong with which row of a chunk
# UTF-8 that was read as Latin-1 or Windows-1252 and written again: Ã© for é, â€™ for ’.
TWICE_ENCODED = re.compile("[ÃÂ][\u0080-\u00bf]|â€[\u0080-\u00bf™œ¦\u201c\u201d\u2018\u2019\u2013\u2014]")
MAY_HOLD_PLACEHOLDERS = re.compile("[%{<&$]")


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a pair that is used.

    `longest`: characters of a side. `ratio`: how many times longer one side may be than the other, after `slack`
    characters are added to both, since "Hi" and "Buenos días" are a fine pair. A character of a dense script counts
    for several letters. `script_share`: the least share of letters in the scripts of the language, asked of texts
    with `script_letters` letters.
    """

    longest: int = 2_000
    ratio: float = 4.0
    slack: int = 15
    script_share: float = 0.5
    script_letters: int = 4


def check(
    units: Iterable[Unit],
    source: str,
    target: str,
    report: CheckReport | None = None,
    limits: Limits | None = None,
) -> Iterator[Outcome]:
    """What becomes of each unit, in order. `report` is kept up to date; afterwards kept + dropped = read."""
    checker = _Checker((source, target), limits or Limits(), report if report is not None else CheckReport())
    waiting = iter(units)
    while chunk := list(islice(waiting, CHUNK)):
        yield from checker.judge(chunk)


class _Checker:
    """The check of one corpus: the languages, the limits, and the hashes of the pairs that were kept."""

    def __init__(self, languages: tuple[str, str], limits: Limits, report: CheckReport) -> None:
        self._languages = languages
        self._limits = limits
        self._report = report
        self._scripts = tuple(expected_scripts(language) for language in languages)
        # Both languages must be known to the identifier: else it mistakes the unknown for its neighbour.
        self._guards = tuple(map(Guard, languages)) if all(map(can_judge, languages)) else None
        self._seen = Seen()

    def judge(self, chunk: Sequence[Unit]) -> list[Outcome]:
        """The outcome of each unit of a chunk."""
        outcomes: list[Outcome | None] = [None] * len(chunk)
        pairs: dict[int, Pair] = {}
        for place, unit in enumerate(chunk):
            judged = _by_itself(unit, self._limits)
            if isinstance(judged, Drop):
                outcomes[place] = judged
            else:
                pairs[place] = judged
        worths = self._by_writing(pairs, outcomes)
        self._drop_duplicates(pairs, outcomes)
        kept = {place: Kept(pair, _doubts(pair)) for place, pair in pairs.items()}
        self._report.add_kept(list(kept.values()), sum(worths[place] for place in kept))
        for place, one in kept.items():
            outcomes[place] = one
        return [self._entered(outcome) for outcome in outcomes if outcome is not None]

    def _entered(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Drop):
            self._report.add_drop(outcome)
        return outcome

    def _by_writing(self, pairs: dict[int, Pair], outcomes: list[Outcome | None]) -> dict[int, int]:
        """Drop what has the wrong length ratio, script or language; the letters' worth of each pair."""
        places = list(pairs)
        texts = [pair.source for pair in pairs.values()], [pair.target for pair in pairs.values()]
        counts = count_letters(texts[0], self._scripts[0]), count_letters(texts[1], self._scripts[1])
        found = _wrong_ratios(counts, self._limits)
        for side in (0, 1):
            found = self._wrong_scripts(side, counts[side]) | found  # the first reason stays
        for side in (0, 1):
            found = self._wrong_languages(side, texts[side], counts[side]) | found
        for row, (reason, detail) in found.items():
            outcomes[places[row]] = _drop(pairs.pop(places[row]), reason, detail)
        return dict(zip(places, (counts[0].worth + counts[1].worth).tolist(), strict=True))

    def _wrong_scripts(self, side: int, count: Letters) -> Found:
        scripts, limits = self._scripts[side], self._limits
        if not scripts:
            return {}
        wrong = (count.letters >= limits.script_letters) & (count.expected < limits.script_share * count.letters)
        wanted = " or ".join(sorted(scripts))
        return {
            row: (
                Reason.WRONG_SCRIPT,
                f"{count.expected[row]} of {count.letters[row]} letters of the {NAMES[side]} are {wanted}",
            )
            for row in np.flatnonzero(wrong).tolist()
        }

    def _wrong_languages(self, side: int, texts: Sequence[str], count: Letters) -> Found:
        if self._guards is None:
            return {}
        guard, language = self._guards[side], self._languages[side]
        judged = {row: guard.surely_other(texts[row]) for row in np.flatnonzero(count.letters >= LETTERS).tolist()}
        return {
            row: (Reason.WRONG_LANGUAGE, f"the {NAMES[side]} is in {other} and not in {language}")
            for row, other in judged.items()
            if other is not None
        }

    def _drop_duplicates(self, pairs: dict[int, Pair], outcomes: list[Outcome | None]) -> None:
        new = self._seen.add(hash_texts(map(_whole, pairs.values())))
        for fresh, (place, pair) in zip(new.tolist(), list(pairs.items()), strict=True):
            if not fresh:
                outcomes[place] = _drop(pair, Reason.DUPLICATE, "the same pair came before")
                del pairs[place]


def _whole(pair: Pair) -> str:
    """What makes a pair another one: after another sentence, the same pair is not the same."""
    return "\n".join((pair.source, pair.target, *pair.context))


def _by_itself(unit: Unit, limits: Limits) -> Pair | Drop:
    """The normalised pair, or why its texts are of no use."""
    if isinstance(unit, Fault):
        return Drop(unit.place, Reason.REJECTED, unit.reason, unit.text, "")
    if max(len(unit.source), len(unit.target)) > 4 * limits.longest:  # not even worth normalising
        return _too_long(unit, limits)
    if not (unit.source.isprintable() and unit.target.isprintable()):
        for name, text in (("source", unit.source), ("target", unit.target)):
            if (control := control_in(text)) is not None:
                return _drop(unit, Reason.CONTROL, f"the {name} holds {control}")
    source, target = normalise(unit.source), normalise(unit.target)
    context = tuple(map(normalise, unit.context))
    untouched = source is unit.source and target is unit.target and context == unit.context
    pair = unit if untouched else Pair(source, target, unit.place, context)
    return _unusable(pair, limits) or pair


def _unusable(pair: Pair, limits: Limits) -> Drop | None:
    if not pair.source or not pair.target:
        empty = "source" if pair.target else "target" if pair.source else "source and the target"
        return _drop(pair, Reason.EMPTY, f"the {empty} is empty")
    if pair.source == pair.target:
        return _drop(pair, Reason.IDENTICAL, "the target repeats the source")
    if max(len(pair.source), len(pair.target)) > limits.longest:
        return _too_long(pair, limits)
    if not (pair.source.isascii() and pair.target.isascii()):
        for name, text in (("source", pair.source), ("target", pair.target)):
            if (damage := _damage(text)) is not None:
                return _drop(pair, Reason.DAMAGED, f"the {name} holds {damage}")
    return None


def _damage(text: str) -> str | None:
    """The trace that a wrong encoding left in a text."""
    if "\ufffd" in text:
        return "U+FFFD, which stands for bytes that could not be decoded"
    if "Ã" not in text and "Â" not in text and "â€" not in text:  # ten times faster than the closer look
        return None
    found = TWICE_ENCODED.search(text)
    return None if found is None else f"{found.group()!r}, UTF-8 that was decoded as something else"


def _too_long(pair: Pair, limits: Limits) -> Drop:
    length = max(len(pair.source), len(pair.target))
    return _drop(pair, Reason.TOO_LONG, f"{length:,} characters, more than {limits.longest:,}")


def _wrong_ratios(counts: tuple[Letters, Letters], limits: Limits) -> Found:
    source, target = counts[0].worth, counts[1].worth
    shorter, longer = np.minimum(source, target), np.maximum(source, target)
    wrong = longer + limits.slack > limits.ratio * (shorter + limits.slack)
    return {
        row: (Reason.LENGTH_RATIO, f"{source[row]} against {target[row]} letters' worth")
        for row in np.flatnonzero(wrong).tolist()
    }


def _doubts(pair: Pair) -> tuple[tuple[Doubt, str], ...]:
    if not (MAY_HOLD_PLACEHOLDERS.search(pair.source) or MAY_HOLD_PLACEHOLDERS.search(pair.target)):
        return ()
    difference = compare(pair.source, pair.target)
    return ((Doubt.PLACEHOLDERS, str(difference)),) if difference else ()


def _drop(pair: Pair, reason: Reason, detail: str) -> Drop:
    return Drop(pair.place, reason, detail, pair.source, pair.target)
