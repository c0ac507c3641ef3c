"""Scripts: which writing system a text is in, counted for thousands of texts at once, and which a language uses."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

SCRIPTS = (
    "none", "other", "Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Bengali", "Gurmukhi", "Gujarati",
    "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Tibetan", "Myanmar", "Khmer",
    "Georgian", "Armenian", "Ethiopic", "Hangul", "Hiragana", "Katakana", "Han", "Mongolian", "Syriac", "Thaana",
    "Cherokee", "Tifinagh", "Nko",
)  # fmt: skip
_CODE = {name: code for code, name in enumerate(SCRIPTS)}
NONE, OTHER = _CODE["none"], _CODE["other"]

# A Han character says about as much as three letters of an alphabet, a syllable of Hangul or kana as much as two.
WORTH = {"Han": 3, "Hangul": 2, "Hiragana": 2, "Katakana": 2}

# Letters that belong to no language: ª, µ, mathematical alphabets, signs of phonetics.
NEUTRAL = ("MODIFIER", "FEMININE", "MASCULINE", "MICRO", "MATHEMATICAL", "DOUBLE-STRUCK", "SCRIPT", "BLACK-LETTER")
NAMED_OTHERWISE = {"CJK": "Han", "IDEOGRAPHIC": "Han", "KATAKANA-HIRAGANA": "Katakana", "BOPOMOFO": "Han"}
# Blocks whose characters are all letters of one script: quicker than 90,000 names.
BLOCKS = (
    (0x3400, 0x4DC0, "Han"), (0x4E00, 0xA000, "Han"), (0xAC00, 0xD7A4, "Hangul"), (0xF900, 0xFB00, "Han"),
    (0x20000, 0x32000, "Han"),
)  # fmt: skip
NAMED_UP_TO = 0x20000

_USED_BY = {
    "Latin": "af an ast ay az bs br ca ceb co cs cy da de en eo es et eu fi fo fr fy ga gd gl gn ha haw hr ht hu ia id "
    "ig ilo io is it jv kl la lb ln lt lv mg mi ms mt nah nb nl nn no nv oc om pl pt qu rm ro rn rw sc se sk sl sm sn "
    "so sq st su sv sw tk tl tn to tr ts tw ty uz ve vi vo wa wo xh yo zu",
    "Cyrillic": "ab av ba be bg ce cv kk kv ky mk mn os ru tg tt uk",
    "Greek": "el", "Arabic": "ar fa ps sd ug ur ckb", "Hebrew": "he yi",
    "Devanagari": "hi mr ne sa", "Bengali": "as bn", "Gurmukhi": "pa", "Gujarati": "gu", "Oriya": "or", "Tamil": "ta",
    "Telugu": "te", "Kannada": "kn", "Malayalam": "ml", "Sinhala": "si", "Thai": "th", "Lao": "lo", "Tibetan": "bo dz",
    "Myanmar": "my", "Khmer": "km", "Georgian": "ka", "Armenian": "hy", "Ethiopic": "am ti", "Thaana": "dv",
    "Hangul Han": "ko", "Hiragana Katakana Han": "ja", "Han": "yue wuu zh",
    # Languages that are written in two scripts, or are changing from one to another.
    "Latin Cyrillic": "sr az uz kk tk tt", "Latin Arabic": "ku", "Gurmukhi Arabic": "pa", "Cyrillic Mongolian": "mn",
}  # fmt: skip
_SUBTAGS = {
    "latn": "Latin", "cyrl": "Cyrillic", "grek": "Greek", "arab": "Arabic", "hebr": "Hebrew", "deva": "Devanagari",
    "hans": "Han", "hant": "Han", "hani": "Han", "jpan": "Hiragana Katakana Han", "kore": "Hangul Han", "thai": "Thai",
    "beng": "Bengali", "guru": "Gurmukhi", "mong": "Mongolian", "tfng": "Tifinagh", "ethi": "Ethiopic",
}  # fmt: skip


def expected_scripts(tag: str) -> frozenset[str]:
    """The scripts that a language tag promises; empty where we do not know, and then nothing is claimed."""
    language, *rest = tag.lower().replace("_", "-").split("-")
    for part in rest:
        if part in _SUBTAGS:
            return frozenset(_SUBTAGS[part].split())
    return frozenset(
        script for scripts, languages in _USED_BY.items() if language in languages.split() for script in scripts.split()
    )


@cache
def _table() -> NDArray[np.uint8]:
    """The script of every character; 0 for what is no letter. Made from the names that Python knows, in 30 ms."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for start, end, script in BLOCKS:
        table[start:end] = _CODE[script]
    for code in range(NAMED_UP_TO):
        if not table[code] and unicodedata.category(character := chr(code))[0] == "L":
            table[code] = _by_name(unicodedata.name(character, ""))
    return table


def _by_name(name: str) -> int:
    """The script in a character's name: LATIN SMALL LETTER A, FULLWIDTH LATIN CAPITAL LETTER A."""
    words = name.split()
    if words and words[0] in ("FULLWIDTH", "HALFWIDTH"):
        words = words[1:]
    if not words or words[0] in NEUTRAL:
        return NONE
    return _CODE.get(NAMED_OTHERWISE.get(words[0], words[0].capitalize()), OTHER)


@dataclass(frozen=True, slots=True)
class Letters:
    """What many texts are written with; one number for each text."""

    letters: NDArray[np.int64]
    expected: NDArray[np.int64]  # letters in the scripts that were asked about
    worth: NDArray[np.int64]  # length, where a dense script counts for more


def count_letters(texts: Sequence[str], scripts: frozenset[str]) -> Letters:
    """The letters of each text, and how many of them are in these scripts."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    found = _table()[codes]
    ends = np.cumsum(lengths)
    wanted = np.zeros(len(SCRIPTS), dtype=np.bool_)
    wanted[[_CODE[script] for script in scripts]] = True
    more = np.zeros(len(SCRIPTS), dtype=np.int8)
    for script, worth in WORTH.items():
        more[_CODE[script]] = worth - 1
    return Letters(
        letters=_sums(found != NONE, lengths, ends),
        expected=_sums(wanted[found], lengths, ends),
        worth=lengths + _sums(more[found], lengths, ends),
    )


def _sums(
    values: NDArray[np.bool_] | NDArray[np.int8], lengths: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The sum of the values of each text, which stand one behind another."""
    running = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=running[1:])
    return running[ends] - running[ends - lengths]


def main_script(text: str) -> str | None:
    """The script that most letters of a text are in; None where there is no letter."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    counts = np.bincount(_table()[codes], minlength=len(SCRIPTS))
    counts[NONE] = 0
    return SCRIPTS[int(counts.argmax())] if counts.any() else None
