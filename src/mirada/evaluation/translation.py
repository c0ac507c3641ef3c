"""Scores of translations by sacreBLEU, each with the signature that says how it was computed.

BLEU counts the n-grams of words that a translation shares with its reference (Papineni et al. 2002), chrF those of
characters (Popović 2015), both over the whole set and from 0 to 100. A score without its signature compares with
nothing (Post 2018).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mirada.corpora.verdict import LETTERS_IN_A_WORD
from mirada.text.scripts import count_letters

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.significance import Result

USUAL_TOKENIZER = "13a"  # the one of the WMT campaigns
# Languages that write no spaces between words. Words of Japanese would need MeCab; characters need nothing.
TOKENIZERS = {"zh": "zh", "yue": "zh", "ja": "char", "th": "char", "lo": "char", "km": "char", "my": "char"}
BUCKETS = (5, 10, 20, 30, 50)  # words of a source
SAMPLES = 1_000
SEED = 12_345  # sacreBLEU's own
SEED_VARIABLE = "SACREBLEU_SEED"
LARGEST_SAMPLE = 20_000_000  # sentences in all samples together: 1.5 GB of chrF's counts


@dataclass(frozen=True, slots=True)
class Metric:
    """A score and the signature that says how it was computed."""

    score: float
    signature: str

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {"score": round(self.score, 4), "signature": self.signature}


@dataclass(frozen=True, slots=True)
class Scores:
    """BLEU and chrF of some translations."""

    bleu: Metric
    chrf: Metric

    def as_json(self) -> dict[str, object]:
        """The scores for programs."""
        return {"bleu": self.bleu.as_json(), "chrf": self.chrf.as_json()}


@dataclass(frozen=True, slots=True)
class Bucket:
    """The scores of the sentences whose source has `shortest` to `longest` words; without `longest`, or more."""

    shortest: int
    longest: int | None
    sentences: int
    scores: Scores

    def __str__(self) -> str:
        return f"{self.shortest}–{self.longest}" if self.longest is not None else f"{self.shortest} or more"

    def as_json(self) -> dict[str, object]:
        """The row for programs."""
        return {
            "shortest": self.shortest,
            "longest": self.longest,
            "sentences": self.sentences,
            "bleu": round(self.scores.bleu.score, 4),
            "chrf": round(self.scores.chrf.score, 4),
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score, and the mean ± interval that holds 95 of 100 resampled test sets."""

    score: float
    mean: float
    interval: float

    def __str__(self) -> str:
        return f"{self.score:.2f} ({self.mean:.2f} ± {self.interval:.2f})"

    def as_json(self) -> dict[str, float]:
        """The estimate for programs."""
        return {name: round(getattr(self, name), 4) for name in ("score", "mean", "interval")}


@dataclass(frozen=True, slots=True)
class Difference:
    """A system against a baseline by one metric; `p_value` is how likely chance alone makes such a difference."""

    system: Estimate
    baseline: Estimate
    p_value: float
    signature: str

    @property
    def difference(self) -> float:
        """How much higher the system scores than the baseline."""
        return self.system.score - self.baseline.score

    def as_json(self) -> dict[str, object]:
        """The difference for programs."""
        return {
            "difference": round(self.difference, 4),
            "p_value": round(self.p_value, 6),
            "system": self.system.as_json(),
            "baseline": self.baseline.as_json(),
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """A system against a baseline, by BLEU and chrF."""

    bleu: Difference
    chrf: Difference

    def as_json(self) -> dict[str, object]:
        """The comparison for programs."""
        return {"bleu": self.bleu.as_json(), "chrf": self.chrf.as_json()}


def tokenizer_for(language: str) -> str:
    """The name of the sacreBLEU tokenizer that suits a language: `13a`, but for those without spaces."""
    return TOKENIZERS.get(language.lower().partition("-")[0], USUAL_TOKENIZER)


def score(hypotheses: Sequence[str], references: Sequence[str], tokenizer: str = USUAL_TOKENIZER) -> Scores:
    """BLEU and chrF of translations against one reference each."""
    _require_pairs(hypotheses, references)
    return Scores(_computed(_bleu(tokenizer), hypotheses, references), _computed(_chrf(), hypotheses, references))


def lowercased_tokenised_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> Metric:
    """BLEU as papers on Multi30k give it: lower-cased, on tokens.

    They take Moses's tokenizer; this takes sacreBLEU's `13a`, which cuts at nearly the same places, so that no second
    tokenizer need be installed for one number. The signature (case:lc, tok:13a) says so.
    """
    _require_pairs(hypotheses, references)
    return _computed(_bleu(USUAL_TOKENIZER, lowercase=True), hypotheses, references)


def by_length(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    buckets: Sequence[int] = BUCKETS,
    tokenizer: str = USUAL_TOKENIZER,
) -> list[Bucket]:
    """The scores by the number of words of the source; `buckets` are the most words of each but the last.

    Buckets without a sentence are left out. Where a script writes no spaces, letters are counted for words.
    """
    _require_pairs(hypotheses, references)
    _require_pairs(sources, references, "sources")
    if not all(first < second for first, second in zip((0, *buckets), buckets, strict=False)):
        raise ValueError(f"buckets = {list(buckets)} do not rise; use numbers of words such as {list(BUCKETS)}")
    words = count_words(sources)
    found = []
    for below, longest in zip((0, *buckets), (*buckets, None), strict=True):
        rows = [row for row, count in enumerate(words) if below < count and (longest is None or count <= longest)]
        if rows:
            chosen = score([hypotheses[row] for row in rows], [references[row] for row in rows], tokenizer)
            found.append(Bucket(below + 1, longest, len(rows), chosen))
    return found


def paired_bootstrap(
    system: Sequence[str],
    baseline: Sequence[str],
    references: Sequence[str],
    samples: int = SAMPLES,
    seed: int = SEED,
    tokenizer: str = USUAL_TOKENIZER,
) -> Comparison:
    """The paired bootstrap test of two systems on one test set (Koehn 2004), by sacreBLEU.

    The test set is drawn again `samples` times, with repetition; the difference is as sure as it is seldom undone.
    """
    from sacrebleu.significance import PairedTest

    _require_pairs(system, references)
    _require_pairs(baseline, references, "translations of the baseline")
    if samples < 1 or seed < 1:  # sacreBLEU takes 0 for "as usual" and for "no seed"
        raise ValueError(f"samples = {samples}, seed = {seed} cannot be used; use 1 or more for both")
    metrics = {"BLEU": _bleu(tokenizer), "chrF": _chrf()}
    with _seeded(seed):
        test = PairedTest([("baseline", baseline), ("system", system)], metrics, [references], "bs", samples)
        signatures, results = test()
    names = {name.lower()[:4]: name for name in signatures}  # chrF is called chrF2 here
    bleu, chrf = (_difference(results[names[name]], signatures[names[name]].format()) for name in ("bleu", "chrf"))
    return Comparison(bleu, chrf)


def affordable_samples(sentences: int) -> int:
    """How many samples of a test set fit in memory, since sacreBLEU holds all of them at once: up to 1,000."""
    return max(1, min(SAMPLES, LARGEST_SAMPLE // max(1, sentences)))


def count_words(texts: Sequence[str]) -> list[int]:
    """The words of each text, at least one; where a script writes no spaces, as many as its letters are worth."""
    worths = count_letters(texts, frozenset()).worth.tolist()
    return [max(1, len(text.split()), worth // LETTERS_IN_A_WORD) for text, worth in zip(texts, worths, strict=True)]


def _difference(results: Sequence[str | Result], signature: str) -> Difference:
    baseline, system = (_estimate(result) for result in results if not isinstance(result, str))
    found = [result.p_value for result in results if not isinstance(result, str) and result.p_value is not None]
    # Of two equal scores sacreBLEU says p = 1 / (samples + 1), as if equality were a finding.
    return Difference(system, baseline, 1.0 if system.score == baseline.score else float(found[0]), signature)


def _estimate(result: Result) -> Estimate:
    mean, interval = (0.0 if value is None else float(value) for value in (result.mean, result.ci))
    return Estimate(float(result.score), mean, interval)


def _bleu(tokenizer: str, lowercase: bool = False) -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    # force: no warning where a user's text looks tokenised, as a corpus of tokens is the user's own choice.
    return BLEU(tokenize=tokenizer, lowercase=lowercase, force=True)


def _chrf() -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def _computed(metric: BLEU | CHRF, hypotheses: Sequence[str], references: Sequence[str]) -> Metric:
    found = metric.corpus_score(hypotheses, [references])
    return Metric(float(found.score), str(metric.get_signature().format()))


def _require_pairs(texts: Sequence[str], references: Sequence[str], what: str = "translations") -> None:
    if len(texts) != len(references):
        raise ValueError(f"{len(texts):,} {what} for {len(references):,} references; there must be one for each")
    if not texts:
        raise ValueError(f"there are no {what} to score; give at least one sentence")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """A context in which sacreBLEU draws from this seed: it takes it from the environment only."""
    before = os.environ.get(SEED_VARIABLE)
    os.environ[SEED_VARIABLE] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ[SEED_VARIABLE]
        else:
            os.environ[SEED_VARIABLE] = before
