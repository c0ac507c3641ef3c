"""Languages: what they are called, which of them a server has, and which one a text is in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mirada.serving.models import Models
from mirada.text.identify import likeliest, primary

GUESSES = 16  # of the identifier; the languages behind them are as good as impossible

# LibreTranslate names languages in English. What is not here is called by its tag.
NAMES = dict(
    re.findall(
        r"(\w+):(\w+)",
        """
    af:Afrikaans am:Amharic ar:Arabic ay:Aymara az:Azerbaijani be:Belarusian bg:Bulgarian bn:Bengali bs:Bosnian
    ca:Catalan cs:Czech cy:Welsh da:Danish de:German el:Greek en:English eo:Esperanto es:Spanish et:Estonian eu:Basque
    fa:Persian fi:Finnish fr:French ga:Irish gl:Galician gn:Guarani gu:Gujarati ha:Hausa he:Hebrew hi:Hindi hr:Croatian
    hu:Hungarian hy:Armenian id:Indonesian ig:Igbo is:Icelandic it:Italian ja:Japanese ka:Georgian kk:Kazakh km:Khmer
    kn:Kannada ko:Korean ku:Kurdish ky:Kyrgyz lo:Lao lt:Lithuanian lv:Latvian mg:Malagasy mi:Maori mk:Macedonian
    ml:Malayalam mn:Mongolian mr:Marathi ms:Malay mt:Maltese my:Burmese nb:Norwegian ne:Nepali nl:Dutch no:Norwegian
    oc:Occitan pa:Punjabi pl:Polish ps:Pashto pt:Portuguese qu:Quechua ro:Romanian ru:Russian rw:Kinyarwanda
    si:Sinhala sk:Slovak sl:Slovenian so:Somali sq:Albanian sr:Serbian sv:Swedish sw:Swahili ta:Tamil te:Telugu
    tg:Tajik th:Thai tk:Turkmen tl:Tagalog tr:Turkish tt:Tatar ug:Uyghur uk:Ukrainian ur:Urdu uz:Uzbek vi:Vietnamese
    wo:Wolof xh:Xhosa yi:Yiddish yo:Yoruba zh:Chinese zu:Zulu
    """,
    )
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A language that a text may be in, and how likely it is, from 0 to 1."""

    language: str
    chance: float


def name_of(tag: str) -> str:
    """A language's name, with what else its tag says behind it: Portuguese (BR)."""
    language, _, rest = tag.partition("-")
    name = NAMES.get(language, language)
    return f"{name} ({rest})" if rest else name


def all_languages(models: Models) -> dict[str, list[str]]:
    """Every language that is read or written, and what it can be translated into."""
    directions = models.directions
    tags = dict.fromkeys([*directions, *(target for targets in directions.values() for target in targets)])
    return {tag: directions.get(tag, []) for tag in tags}


def guesses(text: str) -> list[Guess]:
    """The languages that a text is likely in, the likeliest first; at least one for every text with letters."""
    line = " ".join(text.split())  # the identifier reads one line
    found = likeliest(line, GUESSES) if any(map(str.isalpha, line)) else []
    return [Guess(language, min(1.0, chance)) for language, chance in found]


def guess_among(text: str, languages: Sequence[str]) -> Guess:
    """The likeliest of some languages; the first of them, with no confidence, where none is likely."""
    for guess in guesses(text):
        if served := [one for one in languages if primary(one) == guess.language]:
            return Guess(served[0], guess.chance)
    return Guess(languages[0], 0.0)
