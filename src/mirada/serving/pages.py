"""The live page: the page of a view, with a field to type into, which the server feeds with views."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from mirada.serving.service import Service
from mirada.viewing.page import Addition, as_data, assemble, lean, policy

SCRIPTS = ("asking.js", "kinds.js", "answers.js", "curves.js", "live.js")  # in this order, behind those of the view
DATA = "{{served}}"
FRAMING = "; frame-ancestors 'none'"  # which a page cannot say of itself


def live_page(service: Service) -> str:
    """The page as HTML."""
    return assemble("Mirada", "null", addition(_served(service)))


def live_policy() -> str:
    """What the browser may do for it."""
    return policy(addition()) + FRAMING


def addition(served: Mapping[str, object] | None = None) -> Addition:
    """What the live page has beside the page of a view; the page's own facts about the server as JSON in a block."""
    return Addition(
        html=_read("live.html").replace(DATA, as_data(json.dumps(served or {}))),
        style=lean(_read("live.css")),
        script=live_script(),
        words=live_words(),
        foot="foot_live",
        policy="connect-src 'self'; ",
    )


def _served(service: Service) -> dict[str, object]:
    return {
        "models": [
            {
                "name": one.name,
                "task": one.task,
                "source": one.source or "",
                "target": one.target or "",
                "attention": one.attention,
            }
            for one in service.models.served
        ],
        "key": bool(service.options.keys),
        "run": service.options.run is not None,
        "characters": service.limits.characters,
        "written": service.limits.written,
        "samples": service.limits.samples,
    }


@cache
def live_script() -> str:
    """The script of the addition, all parts of it."""
    return "\n".join(["", *(lean(_read(name)) for name in SCRIPTS)])


@cache
def live_words() -> dict[str, dict[str, str]]:
    """What the addition says, in each language of the page."""
    found: dict[str, dict[str, str]] = json.loads(_read("words.json"))
    return found


@cache
def _read(name: str) -> str:
    return (resources.files("mirada.serving") / "page" / name).read_text(encoding="utf-8")
