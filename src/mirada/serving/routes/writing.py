"""Writing: a language model goes on with a text."""

from fastapi import APIRouter, Request

from mirada.decoding.options import Search
from mirada.serving.messages import GenerateReply, GenerateRequest
from mirada.serving.service import TheService
from mirada.serving.works import Generating

router = APIRouter()


@router.post("/generate")
async def generate(asked: GenerateRequest, request: Request, service: TheService) -> GenerateReply:
    """Go on with a text as a language model would; the same for the same seed."""
    service.require_key(request, asked.api_key)
    service.limits.check_texts([asked.prompt])
    service.limits.check_writing(asked.n, asked.tokens)
    model = service.models.writer(asked.model)
    service.limits.check_tokens([asked.prompt], model.count_tokens)
    service.metrics.characters(model.name, len(asked.prompt))
    search = Search(sampling=True, temperature=asked.temperature, top_k=asked.top_k, top_p=asked.top_p)
    seeds = [asked.seed + number for number in range(asked.n)]
    texts = await service.ask(Generating(model, asked.prompt, asked.tokens, search), seeds)
    return GenerateReply(model=model.name, texts=texts)
