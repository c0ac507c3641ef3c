"""Plurals: how many forms a language has and which one a number takes, as gettext writes it."""

from __future__ import annotations

from mirada.corpora.languages import best

TWO = "nplurals=2; plural=(n != 1);"
ONE = "nplurals=1; plural=0;"
FEW = "n%10>=2 && n%10<=4 && (n%100<12 || n%100>14)"
EASTERN = f"nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : {FEW} ? 1 : 2);"
RULES = {
    **dict.fromkeys(("ja", "ko", "zh", "vi", "th", "id", "ms", "lo", "my", "km"), ONE),
    **dict.fromkeys(("fr", "pt-BR", "oc", "br", "ln", "mg"), "nplurals=2; plural=(n > 1);"),
    **dict.fromkeys(("ru", "uk", "be", "sr", "hr", "bs"), EASTERN),
    **dict.fromkeys(("cs", "sk"), "nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);"),
    "pl": f"nplurals=3; plural=(n==1 ? 0 : {FEW} ? 1 : 2);",
    "lt": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "lv": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);",
    "ro": "nplurals=3; plural=(n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2);",
    "sl": "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
}


def rule_of(language: str) -> str:
    """The line for the header of a catalogue. Two forms, one of them for 1, is what most languages have."""
    found = [tag for tag in best(language, RULES) if len(tag) <= len(language)]
    return RULES[found[0]] if found else TWO
