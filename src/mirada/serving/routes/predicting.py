"""Predicting: what masked models, taggers and classifiers say of texts."""

from fastapi import APIRouter, Request

from mirada.serving.messages import PredictReply, PredictRequest, listed
from mirada.serving.problem import Problem
from mirada.serving.service import TheService
from mirada.serving.works import Predicting

router = APIRouter()


@router.post("/predict")
async def predict(asked: PredictRequest, request: Request, service: TheService) -> PredictReply:
    """Fill the gaps of a text, label its words, or say what it is: whatever the model is for."""
    service.require_key(request, asked.api_key)
    texts = listed(asked.q)
    service.limits.check_texts(texts)
    service.limits.check_candidates(asked.count)
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            raise Problem.wrong(f"text {number} is empty; give one with words")
    model = service.models.predictor(asked.model)
    service.limits.check_tokens(texts, model.count_tokens)
    service.metrics.characters(model.name, sum(map(len, texts)))
    said = await service.ask(Predicting(model, asked.count), texts)
    return PredictReply(model=model.name, task=model.task, predictions=said)
