"""Looking into a model: where it looks, how likely it finds a translation, which words belong together."""

from fastapi import APIRouter, Request, Response

from mirada.serving.messages import AlignReply, AttentionRequest, PairRequest, ScoreReply, listed
from mirada.serving.problem import Problem
from mirada.serving.served import ServedTranslator
from mirada.serving.service import Service, TheService
from mirada.serving.works import Aligning, Look, Looking, Pair, Scoring
from mirada.viewing.contract import View

router = APIRouter()


@router.post("/attention", response_model=View)
async def attention(asked: AttentionRequest, request: Request, service: TheService) -> Response:
    """All that is seen of a model at one sentence: who looks at whom in every head, what it says, a beam's tree."""
    service.require_key(request, asked.api_key)
    texts = [asked.q] if asked.reference is None else [asked.q, asked.reference]
    service.limits.check_texts(texts)
    service.limits.check_search(asked.beam or 1, 0)
    model = service.choose_to_look(asked)
    if not model.attention:
        raise Problem.wrong(f"{model.name} {model.unseen}")
    service.limits.check_tokens(texts, model.count_tokens)
    work = Looking(model, asked.beam or service.options.beam)
    (view,) = await service.ask(work, [Look(asked.q, asked.reference)])
    return Response(view, media_type="application/json")


@router.post("/score")
async def score(asked: PairRequest, request: Request, service: TheService) -> list[ScoreReply]:
    """How likely a model finds each translation, token by token."""
    model, pairs = _pairs(asked, request, service)
    return [
        ScoreReply(
            tokens=list(one.tokens),
            log_probabilities=[round(value, 5) for value in one.log_probabilities],
            log_probability=sum(one.log_probabilities),
            score=sum(one.log_probabilities) / len(one.log_probabilities),
        )
        for one in await service.ask(Scoring(model), pairs)
    ]


@router.post("/align")
async def align(asked: PairRequest, request: Request, service: TheService) -> list[AlignReply]:
    """Which token of each text every token of its translation belongs to, by where the model looks."""
    model, pairs = _pairs(asked, request, service)
    return [
        AlignReply(
            source_tokens=list(one.source_tokens),
            tokens=list(one.tokens),
            links=list(one.links),
            word_links=list(one.words),
        )
        for one in await service.ask(Aligning(model), pairs)
    ]


def _pairs(asked: PairRequest, request: Request, service: Service) -> tuple[ServedTranslator, list[Pair]]:
    """The model and the pairs of a request, within its limits."""
    service.require_key(request, asked.api_key)
    texts, translations = listed(asked.q), listed(asked.translation)
    if len(texts) != len(translations):
        raise Problem.wrong(f"there are {len(texts):,} texts and {len(translations):,} translations; give one for each")
    service.limits.check_texts([*texts, *translations])
    model, _ = service.choose(asked, " ".join(texts)[:1_000])
    service.limits.check_tokens([*texts, *translations], model.count_tokens)
    return model, list(zip(texts, translations, strict=True))
