"""The page of a view: one HTML file that needs nothing else, neither network nor server.

Its policy (CSP) allows the one script and the one style that stand in it, told by their hashes, and nothing more. What
a model or a user wrote is data: JSON in a block that no browser runs, shown through `textContent` alone.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib import resources

from mirada.viewing.contract import View

# In this order: they share one scope, and what is used at once must stand before its use.
SCRIPTS = (
    "reading.js",
    "speaking.js",
    "drawing.js",
    "alignment.js",
    "heads.js",
    "matrix.js",
    "graph.js",
    "stage.js",
    "steps.js",
    "places.js",
    "page.js",
)


def as_page(view: View) -> str:
    """The page as HTML."""
    fields = {
        "policy": policy(),
        "title": html.escape(f"{view.text[:80]} · Mirada"),
        "style": style(),
        "script": script(),
        "view": _as_data(view.model_dump_json()),
        "words": _as_data(json.dumps(words(), ensure_ascii=False, separators=(",", ":"))),
    }
    # All at once, so that nothing that stands in a field is taken for the name of another.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fields[found[1]], _read("page.html"))


def policy() -> str:
    """What the browser may do for this page: run our script, apply our style, show our icon."""
    return (
        f"default-src 'none'; script-src '{_hash(script())}'; style-src '{_hash(style())}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def script() -> str:
    """The page's script, all parts of it."""
    return "\n".join(_read(name) for name in SCRIPTS)


@cache
def style() -> str:
    """The page's style."""
    return _read("page.css")


@cache
def words() -> dict[str, dict[str, str]]:
    """What the page says, in each of its languages."""
    found: dict[str, dict[str, str]] = json.loads(_read("words.json"))
    return found


def _read(name: str) -> str:
    return (resources.files("mirada.viewing") / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def _as_data(text: str) -> str:
    """JSON that cannot end the block it stands in, nor begin a comment: < is written by its number."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
