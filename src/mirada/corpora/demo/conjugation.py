"""Conjugation: Spanish verbs from their infinitive, the irregular ones from a table."""

from __future__ import annotations

from mirada.corpora.demo.words import Conjugation

PRESENT = {"ar": "o as a amos an", "er": "o es e emos en", "ir": "o es e imos en"}
PRETERITE = {"ar": "é aste ó amos aron", "er": "í iste ió imos ieron", "ir": "í iste ió imos ieron"}
AFTER_VOWEL = "í íste yó ímos yeron"  # leer: leí, leyó
STRONG = "e iste o imos ieron"  # tener: tuve, tuvo
IMPERFECT = {"ar": "aba abas aba ábamos aban", "er": "ía ías ía íamos ían", "ir": "ía ías ía íamos ían"}
FUTURE = "é ás á emos án"

STRESSED_STEM = {  # the stem of every person but "we"
    "cerrar": "cierr",
    "perder": "pierd",
    "querer": "quier",
    "encontrar": "encuentr",
    "mostrar": "muestr",
    "dormir": "duerm",
    "jugar": "jueg",
    "poder": "pued",
    "tener": "tien",
    "venir": "vien",
    "decir": "dic",
    "enviar": "enví",
}
FIRST_PERSON = {
    "traer": "traigo",
    "tener": "tengo",
    "venir": "vengo",
    "salir": "salgo",
    "saber": "sé",
    "conocer": "conozco",
    "decir": "digo",
    "caber": "quepo",
    "ver": "veo",
}
WHOLE_PRESENT = {
    "ser": "soy eres es somos son",
    "estar": "estoy estás está estamos están",
    "ir": "voy vas va vamos van",
    "dar": "doy das da damos dan",
}
STRONG_STEM = {
    "tener": "tuv",
    "estar": "estuv",
    "poder": "pud",
    "venir": "vin",
    "querer": "quis",
    "saber": "sup",
    "caber": "cup",
    "traer": "traj",
    "decir": "dij",
}
WHOLE_PRETERITE = {
    "ser": "fui fuiste fue fuimos fueron",
    "ir": "fui fuiste fue fuimos fueron",
    "dar": "di diste dio dimos dieron",
    "ver": "vi viste vio vimos vieron",
    "dormir": "dormí dormiste durmió dormimos durmieron",
}
WHOLE_IMPERFECT = {
    "ser": "era eras era éramos eran",
    "ir": "iba ibas iba íbamos iban",
    "ver": "veía veías veía veíamos veían",
}
FUTURE_STEM = {
    "tener": "tendr",
    "venir": "vendr",
    "salir": "saldr",
    "poder": "podr",
    "querer": "querr",
    "saber": "sabr",
    "caber": "cabr",
    "decir": "dir",
}
GERUND = {
    "dormir": "durmiendo",
    "venir": "viniendo",
    "decir": "diciendo",
    "poder": "pudiendo",
    "ir": "yendo",
}
HARD = {"c": "qu", "g": "gu", "z": "c"}  # busqué, llegué, crucé


def conjugate(infinitive: str) -> Conjugation:
    """All forms of a verb that the grammar uses."""
    return Conjugation(
        infinitive=infinitive,
        gerund=_gerund(infinitive),
        present=_present(infinitive),
        preterite=_preterite(infinitive),
        imperfect=_imperfect(infinitive),
        future=_with_endings(FUTURE_STEM.get(infinitive, infinitive), FUTURE),
    )


def _with_endings(stem: str, endings: str) -> tuple[str, ...]:
    return tuple(stem + ending for ending in endings.split(" "))


def _present(infinitive: str) -> tuple[str, ...]:
    if infinitive in WHOLE_PRESENT:
        return tuple(WHOLE_PRESENT[infinitive].split(" "))
    stem, ending = infinitive[:-2], infinitive[-2:]
    forms = list(_with_endings(STRESSED_STEM.get(infinitive, stem), PRESENT[ending]))
    forms[3] = _with_endings(stem, PRESENT[ending])[3]
    forms[0] = FIRST_PERSON.get(infinitive, forms[0])
    return tuple(forms)


def _preterite(infinitive: str) -> tuple[str, ...]:
    if infinitive in WHOLE_PRETERITE:
        return tuple(WHOLE_PRETERITE[infinitive].split(" "))
    if infinitive in STRONG_STEM:
        forms = _with_endings(STRONG_STEM[infinitive], STRONG)
        return tuple(form.replace("jieron", "jeron") for form in forms)  # trajeron, dijeron
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending != "ar" and stem[-1] in "aeo":
        return _with_endings(stem, AFTER_VOWEL)
    forms = _with_endings(stem, PRETERITE[ending])
    if ending == "ar" and stem[-1] in HARD:
        return (stem[:-1] + HARD[stem[-1]] + "é", *forms[1:])
    return forms


def _imperfect(infinitive: str) -> tuple[str, ...]:
    if infinitive in WHOLE_IMPERFECT:
        return tuple(WHOLE_IMPERFECT[infinitive].split(" "))
    return _with_endings(infinitive[:-2], IMPERFECT[infinitive[-2:]])


def _gerund(infinitive: str) -> str:
    stem, ending = infinitive[:-2], infinitive[-2:]
    if infinitive in GERUND:
        return GERUND[infinitive]
    if ending == "ar":
        return stem + "ando"
    return stem + ("yendo" if stem and stem[-1] in "aeo" else "iendo")  # leyendo, trayendo
