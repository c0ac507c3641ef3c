"""The page for people with a browser."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from mirada.serving.pages import live_page, live_policy
from mirada.serving.security import POLICY
from mirada.serving.service import TheService

router = APIRouter(include_in_schema=False)


@router.get("/", response_class=HTMLResponse)
async def page(service: TheService) -> HTMLResponse:
    """Type, translate, look."""
    return HTMLResponse(live_page(service), headers={POLICY: live_policy()})
