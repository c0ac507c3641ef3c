"""The verdict: what can be made of a corpus, in plain words, and an estimate of what it takes.

The estimate is arithmetic on a handful of constants. Those marked "measured" come from two cores of a server CPU that
multiplies bf16 in hardware; whoever measures again changes the number and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from mirada.corpora.findings import CheckReport, Reason
from mirada.text.vocabulary import choose_size

LETTERS_IN_A_TOKEN = 4.0  # end marks included; measured with the default vocabulary: Multi30k 4.4, Tatoeba 3.4
LETTERS_IN_A_WORD = 9  # more than a word has in most languages, so that it counts only where no spaces are written

WORK_IN_A_SECOND = 1.5e11  # floating-point operations of a training step; measured: 2 cores, bf16, model "small"
ALWAYS = 0.45e9  # bytes: Python, torch, the program
BYTES_FOR_A_PARAMETER = 18  # weight and gradient in bf16, master, two moments of Adam in fp32, and a copy to average
BYTES_FOR_AN_ACTIVATION = 2
ACTIVATIONS_IN_A_LAYER = 34  # kept for the backward pass, in widths: measured for feed-forward = 4 × width
TOKENS_IN_A_BATCH = 4_096

# Epochs until a model of fitting size stops improving: many over a small corpus, few over a large one.
EPOCHS_AT_A_MILLION_TOKENS = 30
EPOCHS_FALL = 0.3
FEWEST_EPOCHS, MOST_EPOCHS = 5, 60


@dataclass(frozen=True, slots=True)
class Preset:
    """The shape of a model, and the least number of running words that it is worth."""

    name: str
    layers: int  # of the encoder, and as many of the decoder
    width: int
    feed_forward: int
    words: int

    def parameters(self, vocabulary: int) -> int:
        """The numbers that are learnt, with one embedding for both languages and the output."""
        return self.encoder + self.decoder + vocabulary * self.width

    @property
    def encoder(self) -> int:
        """The parameters of the encoder: four maps of attention and two of feed-forward in each layer."""
        return self.layers * (4 * self.width**2 + 2 * self.width * self.feed_forward)

    @property
    def decoder(self) -> int:
        """The parameters of the decoder: a second attention in each layer."""
        return self.layers * (8 * self.width**2 + 2 * self.width * self.feed_forward)


PRESETS = (
    Preset("tiny", 3, 128, 512, 0),
    Preset("small", 3, 256, 1_024, 200_000),
    Preset("base", 6, 512, 2_048, 20_000_000),
    Preset("big", 6, 1_024, 4_096, 200_000_000),
)

DAY = 24 * 60  # minutes
FEW, SOME, MANY = 1_000, 10_000, 100_000
WORRYING_SHARE = 0.2  # of the units dropped
FOREIGN_SHARE = 0.5  # of the units in another language


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to train, what it takes, and what to expect of it."""

    usable: bool
    preset: str
    vocabulary: int
    parameters: int
    epochs: int
    minutes: float
    gigabytes: float
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def as_json(self) -> dict[str, object]:
        """The verdict for programs."""
        return {
            "usable": self.usable,
            "preset": self.preset,
            "vocabulary": self.vocabulary,
            "parameters": self.parameters,
            "epochs": self.epochs,
            "minutes": round(self.minutes, 1),
            "gigabytes": round(self.gigabytes, 2),
            "words": list(self.sentences),
        }


def running_words(report: CheckReport) -> int:
    """The words of both sides; where a script writes no spaces, as many as its letters are worth."""
    return max(report.source_words.total + report.target_words.total, report.worth // LETTERS_IN_A_WORD)


def choose_preset(words: int) -> Preset:
    """The largest model that this many running words are worth."""
    return [preset for preset in PRESETS if words >= preset.words][-1]


def judge(report: CheckReport, work_in_a_second: float = WORK_IN_A_SECOND) -> Verdict:
    """The verdict on a checked corpus. A machine that was measured brings its own `work_in_a_second`."""
    words, tokens = running_words(report), max(1.0, report.worth / LETTERS_IN_A_TOKEN)
    preset, vocabulary = choose_preset(words), choose_size(words)
    epochs = choose_epochs(tokens)
    minutes = epochs * work(preset, vocabulary, tokens) / work_in_a_second / 60
    gigabytes = memory(preset, vocabulary) / 1e9
    parameters = preset.parameters(vocabulary)
    sentences = [_first(report), *_warnings(report)]
    if report.kept and not _foreign(report):
        sentences += [
            f"Suggested: the model '{preset.name}', {vocabulary:,} subwords, {parameters / 1e6:.1f} M parameters.",
            f"Expect about {_time(minutes)} for {epochs} passes on two cores, and {gigabytes:.1f} GB of memory.",
            *_quicker(preset, minutes, vocabulary),
            "--minutes fits the run to the time you have.",
        ]
    facts = (preset.name, vocabulary, parameters, epochs, minutes, gigabytes)
    return Verdict(report.kept > 0 and not _foreign(report), *facts, tuple(sentences))


def _quicker(preset: Preset, minutes: float, vocabulary: int) -> tuple[str, ...]:
    """For a run of more than a day, the largest model that would be done in one, or the smallest there is."""
    if minutes <= DAY:
        return ()
    smaller = PRESETS[: PRESETS.index(preset)]
    times = [(one, minutes * work(one, vocabulary, 1.0) / work(preset, vocabulary, 1.0)) for one in smaller]
    fitting = [(one, time) for one, time in times if time <= DAY] or times[:1]
    return tuple(f"Without a GPU, --preset {one.name} would take about {_time(time)}." for one, time in fitting[-1:])


def choose_epochs(tokens: float) -> int:
    """How often to pass over a corpus with this many tokens, both sides together."""
    fitting = EPOCHS_AT_A_MILLION_TOKENS * (tokens / 1e6) ** -EPOCHS_FALL
    return round(min(max(fitting, FEWEST_EPOCHS), MOST_EPOCHS))


def work(preset: Preset, vocabulary: int, tokens: float) -> float:
    """The floating-point operations of one epoch: six for each parameter and token that meet."""
    half = tokens / 2
    return 6 * half * (preset.encoder + preset.decoder + vocabulary * preset.width)


def memory(preset: Preset, vocabulary: int, batch: int = TOKENS_IN_A_BATCH) -> float:
    """The bytes that training takes."""
    activations = batch * preset.width * preset.layers * ACTIVATIONS_IN_A_LAYER * BYTES_FOR_AN_ACTIVATION
    return ALWAYS + BYTES_FOR_A_PARAMETER * preset.parameters(vocabulary) + activations


def _first(report: CheckReport) -> str:
    kept = f"{report.kept:,} of {report.read:,} pairs can be used."
    if report.kept == 0:
        return f"{kept} There is nothing to train on: look at the reasons above, and at --from and --to."
    if report.kept < FEW:
        return f"{kept} That is very little: the model will know these sentences by heart and hardly any other."
    if report.kept < SOME:
        return f"{kept} That is little: expect use only on text much like it. --start MODEL builds on a trained one."
    if report.kept < MANY:
        return f"{kept} That is enough for one narrow subject, not for text of every kind."
    return f"{kept} That is enough for a translator of text like it."


def _warnings(report: CheckReport) -> tuple[str, ...]:
    """What a person should look at before training."""
    dropped = report.dropped.total()
    if report.kept and _foreign(report):
        return (
            (
                "Most pairs are not in the languages of --from and --to, so the rest is hardly right either, "
                "only too short to tell: give the languages that the files are in."
            ),
        )
    if report.kept and report.read and dropped > WORRYING_SHARE * report.read:
        reason, count = report.dropped.most_common(1)[0]
        return (
            (
                f"{100 * dropped / report.read:.0f} % of the pairs were dropped, most for: {reason} ({count:,}). "
                "Look at them with --report drops.tsv before you train."
            ),
        )
    return ()


def _foreign(report: CheckReport) -> bool:
    """Whether most of the pairs are in another language; short ones cannot be told, and pass."""
    wrong = report.dropped[Reason.WRONG_LANGUAGE] + report.dropped[Reason.WRONG_SCRIPT]
    return wrong > FOREIGN_SHARE * report.read


def _time(minutes: float) -> str:
    """A span of time as people say it."""
    if minutes < 90:
        return f"{round(minutes)} minutes" if minutes >= 1.5 else "a minute"
    if minutes < 48 * 60:
        return f"{minutes / 60:.0f} hours"
    return f"{minutes / 60 / 24:.0f} days"
