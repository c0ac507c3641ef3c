"""Training the recurrent translator beside its peers, with and without feeding what was said into the next step."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from beside.bench import OURS, Bench
from beside.measures.training import BATCH_TOKENS, training_of
from beside.peers import JOEYNMT, OPENNMT
from beside.report import Bar, Section, figure
from beside.rounds import Rounds, Side, alternate

OURS_FP32 = f"{OURS}, fp32"
BAR = 1.5


@dataclass(frozen=True)
class RecurrentShape:
    """An LSTM in both directions, and one that looks back at it by additive attention."""

    width: int = 256  # of the embedding
    encoder: int = 512  # of its states, both directions together
    decoder: int = 256
    vocabulary: int = 8_000

    def model(self, feeding: bool) -> dict[str, object]:
        """The shape as a config of ours."""
        return {
            "kind": "recurrent",
            "width": self.width,
            "encoder": {"cell": "lstm", "width": self.encoder, "layers": 1, "directions": "both"},
            "decoder": {"cell": "lstm", "width": self.decoder, "layers": 1},
            "attention": {"score": "additive", "when": "after", "feeding": feeding},
        }

    def __str__(self) -> str:
        return f"BiLSTM 2 × {self.encoder // 2}, LSTM {self.decoder}, additive, vocabulary {self.vocabulary:,}"


def recurrent(bench: Bench) -> Section:
    """The decoder's cell does not wait for what was looked at."""
    return _measure(bench, RecurrentShape(), feeding=False)


def recurrent_fed(bench: Bench) -> Section:
    """Input feeding (Luong et al. 2015): every step waits for the one before."""
    return _measure(bench, RecurrentShape(), feeding=True)


def _measure(bench: Bench, shape: RecurrentShape, feeding: bool) -> Section:
    task = bench.task(shape.vocabulary).folder
    steps: dict[str, object] = {"warm": 2, "timed": 6}
    mine = steps | {"model": shape.model(feeding), "train": str(task / "train")}
    theirs = steps | {"task": str(task), "shape": asdict(shape), "batch_tokens": BATCH_TOKENS, "feeding": feeding}
    peers = bench.theirs(JOEYNMT, "joeynmt_recurrent.py", theirs)
    peers += bench.theirs(OPENNMT, "opennmt_recurrent.py", theirs)
    sides = [
        bench.ours("our_training.py", mine | {"training": training_of("auto")}),
        bench.ours("our_training.py", mine | {"training": training_of("fp32")}, OURS_FP32),
        *peers,
    ]
    rounds = alternate(sides, bench.rounds)
    return Section(
        title=f"Training, recurrent: {shape}{', fed' if feeding else ''}; about {BATCH_TOKENS:,} target tokens a batch",
        columns=("", "tokens/s", "ours against it", "ours in fp32 against it", "peak memory, GB"),
        rows=[_row(rounds, side.name) for side in sides],
        bars=[bar for peer in peers for bar in _bars(rounds, peer)],
        notes=[
            "peers are in fp32; the encoder of OpenNMT-py has 2 × 128: it may be no wider than the decoder",
            *bench.notes_on(JOEYNMT, OPENNMT),
        ],
        rounds=rounds,
    )


def _row(rounds: Rounds, side: str) -> tuple[str, ...]:
    against = [figure(rounds.ratio((own, "speed"), (side, "speed")), ".2f") for own in (OURS, OURS_FP32)]
    speed, memory = figure(rounds.spread(side, "speed")), figure(rounds.spread(side, "memory"), ".2f", 1e-9)
    return side, speed, *(("", "") if side in (OURS, OURS_FP32) else against), memory


def _bars(rounds: Rounds, peer: Side) -> list[Bar]:
    ratio = rounds.ratio((OURS, "speed"), (peer.name, "speed"))
    return [] if ratio is None else [Bar(f"tokens/s against {peer.name}", ratio.median, "at least", BAR, " ×")]
