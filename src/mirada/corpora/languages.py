"""Languages: BCP-47 tags, how an asked one matches a found one, and those in the names of files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from mirada.corpora.opening import unpacked_name
from mirada.corpora.pair import CorpusError

TAG_LENGTH = 35  # what BCP-47 asks software to bear, and enough
SHAPE = re.compile(r"(?:[A-Za-z]{2,3}|[xX]-[A-Za-z0-9]{1,8})(?:-[A-Za-z0-9]{1,8})*")
MODIFIERS = {"latin": "Latn", "cyrillic": "Cyrl", "arabic": "Arab", "devanagari": "Deva"}

# ISO 639-1. Needed only to tell languages from other words in names of files and of columns.
TWO_LETTERS = frozenset(
    re.findall(
        r"\w+",
        """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
    ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na
    nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so
    sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """,
    )
)
# ISO 639-2 and 639-3 codes of languages that have a shorter one; BCP-47 wants the shorter.
THREE_LETTERS = dict(
    re.findall(
        r"(\w+):(\w+)",
        """
    afr:af alb:sq amh:am ara:ar arm:hy aym:ay aze:az baq:eu bel:be ben:bn bos:bs bre:br bul:bg bur:my cat:ca
    ces:cs chi:zh cos:co cym:cy cze:cs dan:da deu:de dut:nl ell:el eng:en epo:eo est:et eus:eu fao:fo fas:fa
    fin:fi fra:fr fre:fr fry:fy gla:gd gle:ga geo:ka ger:de glg:gl gre:el grn:gn guj:gu hat:ht hau:ha heb:he
    hin:hi hrv:hr hun:hu hye:hy ibo:ig ice:is ind:id isl:is ita:it jav:jv jpn:ja kan:kn kat:ka kaz:kk khm:km
    kin:rw kir:ky kor:ko kur:ku lao:lo lat:la lav:lv lin:ln lit:lt ltz:lb mac:mk mal:ml may:ms mar:mr mkd:mk
    mlg:mg mlt:mt mon:mn mri:mi msa:ms mya:my nep:ne nld:nl nno:nn nob:nb nor:no oci:oc pan:pa per:fa pol:pl
    por:pt pus:ps que:qu roh:rm ron:ro rum:ro rus:ru san:sa sin:si slk:sk slo:sk slv:sl sna:sn snd:sd som:so
    spa:es sqi:sq srp:sr sun:su swa:sw swe:sv tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tib:bo tuk:tk tur:tr
    uig:ug ukr:uk urd:ur uzb:uz vie:vi wel:cy wol:wo xho:xh yid:yi yor:yo zho:zh zul:zu
    """,
    )
)


def normalise(tag: str) -> str:
    """A tag in the form that BCP-47 recommends: en_us is en-US, eng is en, sr@latin is sr-Latn."""
    plain, _, modifier = tag.strip().partition("@")
    plain = plain.partition(".")[0].replace("_", "-")  # en_US.UTF-8, as systems write it
    if modifier.lower() in MODIFIERS:
        plain = f"{plain}-{MODIFIERS[modifier.lower()]}"
    if len(plain) > TAG_LENGTH or not SHAPE.fullmatch(plain):
        raise ValueError(f"{tag[:TAG_LENGTH]!r} is no language tag; use one such as en, es or pt-BR")
    first, *rest = plain.lower().split("-")
    if first == "x":
        return "-".join([first, *rest])
    return "-".join([THREE_LETTERS.get(first, first), *(_cased(part) for part in rest)])


def _cased(part: str) -> str:
    if len(part) == 2:
        return part.upper()  # a region
    return part.title() if len(part) == 4 and part.isalpha() else part  # a script, or the rest


def is_tag(word: str) -> bool:
    """Whether a word has the shape of a tag."""
    try:
        normalise(word)
    except ValueError:
        return False
    return True


def is_known(word: str) -> bool:
    """Whether a word is a tag of a language with a short code: `en`, `spa`, `pt-BR`, but not `txt`."""
    return is_tag(word) and normalise(word).split("-")[0] in TWO_LETTERS


@lru_cache(4096)
def rank(asked: str, found: str) -> int | None:
    """How well a found tag serves: 0 the same, 1 more exact than asked, 2 less exact, None another language."""
    if not is_tag(found):
        return None
    wanted, given = normalise(asked).split("-"), normalise(found).split("-")
    if wanted == given:
        return 0
    if given[: len(wanted)] == wanted:
        return 1
    return 2 if wanted[: len(given)] == given else None


def matches(asked: str, found: str) -> bool:
    """Whether a found tag serves at all."""
    return rank(asked, found) is not None


def best(asked: str, found: Iterable[str]) -> list[str]:
    """The found tags that serve best, in their order; several when none is better than the others."""
    return list(_best(asked, tuple(found)))


@lru_cache(4096)
def _best(asked: str, found: tuple[str, ...]) -> tuple[str, ...]:
    ranks = [(tag, rank(asked, tag)) for tag in found]
    lowest = min((value for _, value in ranks if value is not None), default=None)
    return tuple(tag for tag, value in ranks if value is not None and value == lowest)


def wrong_languages(file: Path, found: Iterable[str], source: str, target: str) -> CorpusError:
    """The error that says which languages a file holds, and which were asked for."""
    listed = ", ".join(sorted(set(found))) or "none that is named"
    return CorpusError(
        f"{file} holds the languages {listed}; {source} and {target} were asked for; "
        f"set --from and --to to two that it holds, or leave the file out"
    )


def in_name(name: str, asked: Iterable[str] = ()) -> tuple[str, str] | None:
    """The stem and the language at the end of a name without format: `train.en`, `news-pt_BR`, `x.gn`.

    A word counts as a language if it was asked for or has a short code.
    """
    wanted = list(asked)
    parts = re.split(r"([._-])", name)
    for length in (5, 3, 1):  # up to two separators within a tag: zh-Hant-TW
        stem, tag = "".join(parts[:-length]), "".join(parts[-length:])
        if "." not in tag and _is_language(tag, wanted) and (not stem or stem[-1] in "._-"):
            return stem[:-1], tag
    return None


def _is_language(tag: str, wanted: list[str]) -> bool:
    return is_known(tag) or any(matches(one, tag) for one in wanted)


PAIR = re.compile(r"(?:^|[._-])([a-z]{2,3}(?:[-_][A-Z]{2})?)-([a-z]{2,3}(?:[-_][A-Z]{2})?)$")


def pair_in_name(path: Path, asked: Iterable[str] = ()) -> tuple[str, str] | None:
    """The two languages that a file is named after: `en-es.tsv`, `news.en-pt_BR.tmx.gz`."""
    found = PAIR.search(unpacked_name(path).rpartition(".")[0])
    if found is None:
        return None
    first, second = found.groups()
    wanted = list(asked)
    return (first, second) if _is_language(first, wanted) and _is_language(second, wanted) else None
