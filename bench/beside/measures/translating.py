"""Translating with an exported int8 model: our engine beside CTranslate2 called directly on the very same weights."""

from __future__ import annotations

from pathlib import Path

from beside.bench import OURS, Bench
from beside.models import exported_models
from beside.report import NONE, Bar, Section, figure
from beside.rounds import Rounds, alternate
from beside.task import read_lines, require_corpus

SINGLE = 100  # sentences that are translated one at a time
DIRECT = "CTranslate2 called directly"
OURS_SHORT, DIRECT_SHORT = f"{OURS}, shortlist (default)", f"{DIRECT}, the same vocabulary map"
SEARCHES = ("greedy", "beam 5")
ALONE = ", alone"  # our engine from ids to ids; see sides/our_translating.py
SETTINGS = ("32 sentences", "1,024 tokens", "256 tokens")  # of batches; see sides/direct_translating.py


def translating(bench: Bench) -> Section:
    """All of test_2016_flickr, loading not counted; ours from text to text and alone, theirs from pieces to pieces."""
    corpus, exports = require_corpus(bench.data), exported_models(bench)
    said = bench.home / "said"
    said.mkdir(exist_ok=True)
    asked: dict[str, object] = {
        "source": str(corpus / "test_2016_flickr.en"),
        "target": str(corpus / "test_2016_flickr.de"),
        "single": SINGLE,
    }
    folders = {OURS: exports.plain, DIRECT: exports.plain}
    if exports.has_shortlist:
        folders |= {OURS_SHORT: exports.usual, DIRECT_SHORT: exports.usual}
    sides = [
        bench.ours(
            "our_translating.py" if name.startswith(OURS) else "direct_translating.py",
            asked | {"model": str(folder), "said": str(said / name), "map": name == DIRECT_SHORT},
            name,
        )
        for name, folder in folders.items()
    ]
    rounds = alternate(sides, bench.rounds)
    return Section(
        title=f"Translating 1,000 sentences with an int8 model, {bench.threads} × 1 threads",
        columns=("", *_columns(), "one sentence, ms", "peak memory, GB", "BLEU greedy / beam 5"),
        rows=[
            *(_row(rounds, name) for name in folders),
            *(_row(rounds, name, ALONE) for name in folders if name in (OURS, OURS_SHORT)),
        ],
        bars=_bars(rounds) + _shortlist_bars(rounds, said),
        notes=_notes(rounds, exports.has_shortlist),
        rounds=rounds,
    )


def _columns() -> list[str]:
    return [column for search in SEARCHES for column in (f"{search}, sentences/s", f"against {DIRECT}")]


def _named(rounds: Rounds, side: str, search: str, how: str = "") -> tuple[str, str]:
    """A side, and the name of its speed: CTranslate2's is that of the batches that it was fastest with."""
    if side in (OURS, OURS_SHORT):
        return side, search + how
    names = [f"{search}, {setting}" for setting in SETTINGS]
    found = {name: spread.median for name in names if (spread := rounds.spread(side, name)) is not None}
    return side, max(found, key=found.__getitem__, default=names[0])


def _row(rounds: Rounds, side: str, how: str = "") -> tuple[str, ...]:
    speeds: list[str] = []
    for search in SEARCHES:
        named = _named(rounds, side, search, how)
        against = rounds.ratio(named, _named(rounds, DIRECT, search))
        speeds += [figure(rounds.spread(*named)), "" if side == DIRECT else figure(against, ".2f")]
    scores = [rounds.spread(side, f"BLEU {search}{how}") for search in SEARCHES]
    return (
        f"{side}{how}",
        *speeds,
        "" if how else figure(rounds.spread(side, "single"), ".2f", 1e3),
        "" if how else figure(rounds.spread(side, "memory"), ".2f", 1e-9),
        " / ".join(NONE if score is None else f"{score.median:.2f}" for score in scores),
    )


def _bars(rounds: Rounds) -> list[Bar]:
    """Without a shortlist."""
    bars = _speed_bars(rounds, OURS, 1.1)
    single = rounds.ratio((OURS, "single"), (DIRECT, "single"))
    if single is not None:
        bars.append(Bar("one sentence against CTranslate2 directly", single.median, "at most", 1.1, " ×"))
    memory = rounds.spread(OURS, "memory")
    if memory is not None:
        bars.append(Bar("peak memory", memory.median / 1e9, "at most", 0.6, " GB"))
    return bars


def _speed_bars(rounds: Rounds, side: str, bound: float) -> list[Bar]:
    bars = []
    for search in SEARCHES:
        ratio = rounds.ratio((side, search), _named(rounds, DIRECT, search))
        ours, theirs = (rounds.spread(one, f"BLEU {search}") for one in (side, DIRECT))
        if ratio is not None and ours is not None and theirs is not None:
            bars.append(Bar(f"{side}, {search} against CTranslate2 directly", ratio.median, "at least", bound, " ×"))
            bars.append(Bar(f"{side}, {search}, BLEU apart", abs(ours.median - theirs.median), "at most", 0.2))
    return bars


def _shortlist_bars(rounds: Rounds, said: Path) -> list[Bar]:
    bars = _speed_bars(rounds, OURS_SHORT, 1.5)
    for search in SEARCHES if bars else ():
        whole, short = (read_lines(said / f"{side} {search}.txt") for side in (OURS, OURS_SHORT))
        changed = 100 * sum(one != other for one, other in zip(whole, short, strict=True)) / len(whole)
        bars.append(Bar(f"sentences that the shortlist changes, {search}", changed, "at most", 1.0, " %"))
    return bars


def _notes(rounds: Rounds, has_shortlist: bool) -> list[str]:
    told = [str(answers[DIRECT]["version"]) for answers in rounds.answers if DIRECT in answers]
    best = "; ".join(_named(rounds, DIRECT, search)[1] for search in SEARCHES)
    notes = [f"CTranslate2 {told[0] if told else NONE}; the batches that it was fastest with: {best}"]
    return notes if has_shortlist else [*notes, "the exported model has no shortlist"]
