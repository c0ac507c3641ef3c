"""Translating and detecting, as LibreTranslate does it."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, Request

from mirada.decoding.options import Search
from mirada.serving.languages import Guess, guesses
from mirada.serving.markup import Fragment
from mirada.serving.messages import Detected, DetectRequest, TranslateReply, TranslateRequest, listed
from mirada.serving.served import ServedTranslator
from mirada.serving.service import Service, TheService
from mirada.serving.works import Translating
from mirada.translator import Alternative, Translation

LEAST_CHANCE = 0.05  # of a second language that a text may be in
UNKNOWN = "en"  # what LibreTranslate says of a text that is in no language, where no translator reads another

router = APIRouter()


@router.post("/translate", response_model_exclude_none=True)
async def translate(asked: TranslateRequest, request: Request, service: TheService) -> TranslateReply:
    """Translate a text, or a list of texts, from a language into another."""
    service.require_key(request, asked.api_key)
    single = isinstance(asked.q, str)
    texts = listed(asked.q)
    service.limits.check_texts(texts)
    search = _search(asked, service)
    chosen = [service.choose(asked, text) for text in texts]
    made = await _translated(service, texts, [model for model, _ in chosen], search, asked.format == "html")
    detected = [_detected(guess) for _, guess in chosen if guess is not None] or None
    others = [_others(one) for one in made] if asked.alternatives else None
    if not single:
        return TranslateReply(translatedText=[one.text for one in made], detectedLanguage=detected, alternatives=others)
    return TranslateReply(
        translatedText=made[0].text,
        detectedLanguage=None if detected is None else detected[0],
        alternatives=None if others is None else others[0],
    )


@router.post("/detect")
async def detect(asked: DetectRequest, request: Request, service: TheService) -> list[Detected]:
    """The languages that a text is likely in, the likeliest first; at least one, if need be without confidence."""
    service.require_key(request, asked.api_key)
    service.limits.check_texts([asked.q])
    found = guesses(asked.q) or [Guess(next((one.source for one in service.models.translators), UNKNOWN), 0.0)]
    return [_detected(guess) for guess in found if guess is found[0] or guess.chance >= LEAST_CHANCE]


def _search(asked: TranslateRequest, service: Service) -> Search:
    beam = asked.beam or service.options.beam
    if asked.beam is not None or asked.alternatives:
        service.limits.check_search(asked.beam or 1, asked.alternatives)
    return Search(beam=max(beam, asked.alternatives + 1), n_best=asked.alternatives + 1)


async def _translated(
    service: Service, texts: Sequence[str], models: Sequence[ServedTranslator], search: Search, markup: bool
) -> list[Translation]:
    """The translations of texts, each by its model, in order."""
    found: dict[int, Translation] = {}
    for model in dict.fromkeys(models):
        places = [place for place, one in enumerate(models) if one is model]
        own = [texts[place] for place in places]
        service.limits.check_tokens(own, model.count_tokens)
        service.metrics.characters(model.name, sum(map(len, own)))
        work = Translating(model, search)
        made = await (_translated_markup(service, work, own) if markup else service.ask(work, own))
        found |= dict(zip(places, made, strict=True))
    return [found[place] for place in range(len(texts))]


async def _translated_markup(service: Service, work: Translating, texts: Sequence[str]) -> list[Translation]:
    """The translations of HTML fragments: their sentences, and those once more that lost their tags."""
    fragments = [Fragment(text) for text in texts]
    made = await service.ask(work, [text for fragment in fragments for text in fragment.texts])
    said = _dealt(made, [len(fragment.texts) for fragment in fragments])
    lost = [fragment.lost([one.text for one in own]) for fragment, own in zip(fragments, said, strict=True)]
    again = _dealt(await service.ask(work, [text for own in lost for text in own]), [len(own) for own in lost])
    return [
        _joined(text, fragment, first, second)
        for text, fragment, first, second in zip(texts, fragments, said, again, strict=True)
    ]


def _dealt(made: Sequence[Translation], counts: Sequence[int]) -> list[list[Translation]]:
    """Translations in lists of these lengths."""
    rest = iter(made)
    return [[next(rest) for _ in range(count)] for count in counts]


def _joined(source: str, fragment: Fragment, said: Sequence[Translation], again: Sequence[Translation]) -> Translation:
    """A fragment's translation; its n-th alternative is made of the n-th ones of its sentences."""
    repaired = [one.text for one in again]
    ranks = range(1, 1 + max((len(one.alternatives) for one in said), default=0))
    best = Translation(source, fragment.joined([one.text for one in said], repaired), 0.0)
    others = [[_ranked(one, rank) for one in said] for rank in ranks]
    # Another translation whose tags were lost has nothing to be repaired with.
    whole = [Alternative(fragment.joined(texts, []), 0.0) for texts in others if not fragment.lost(texts)]
    return replace(best, alternatives=tuple(whole))


def _ranked(one: Translation, rank: int) -> str:
    return ([one.text, *(other.text for other in one.alternatives)])[min(rank, len(one.alternatives))]


def _others(one: Translation) -> list[str]:
    """The alternatives, each once."""
    texts = dict.fromkeys(other.text for other in one.alternatives)
    return [text for text in texts if text != one.text]


def _detected(guess: Guess) -> Detected:
    return Detected(confidence=round(100 * guess.chance, 1), language=guess.language)
