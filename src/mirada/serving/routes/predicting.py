"""Predicting: what masked models, taggers and classifiers say of texts."""

import json

from fastapi import APIRouter, Request, Response

from mirada.serving.messages import PredictReply, PredictRequest, listed
from mirada.serving.problem import Problem
from mirada.serving.service import TheService
from mirada.serving.works import Predicting

router = APIRouter()


@router.post("/predict", response_model=PredictReply)
async def predict(asked: PredictRequest, request: Request, service: TheService) -> Response:
    """Fill the gaps of a text, label its words, or say what it is: whatever the model is for."""
    service.require_key(request, asked.api_key)
    texts = listed(asked.q)
    service.limits.check_texts(texts)
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            raise Problem.wrong(f"text {number} is empty; give one with words")
    model = service.models.predictor(asked.model)
    service.limits.check_candidates(asked.count, model.count_gaps(texts))
    service.limits.check_tokens(texts, model.count_tokens)
    service.metrics.characters(model.name, sum(map(len, texts)))
    said = await service.ask(Predicting(model, asked.count), texts)
    about = f'"model":{json.dumps(model.name)},"task":{json.dumps(model.task)}'
    return Response(f'{{{about},"predictions":[{",".join(said)}]}}', media_type="application/json")
