"""The page of a view: one HTML file that needs nothing else, neither network nor server.

A server serves the same page without a view, and with an addition that asks it for views.

Its policy (CSP) allows the one script and the one style that stand in it, told by their hashes, and nothing more. What
a model or a user wrote is data: JSON in a block that no browser runs, shown through `textContent` alone.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import get_args

from mirada import __version__
from mirada.viewing.contract import Task, View

# In this order: they share one scope, and what is used at once must stand before its use.
SCRIPTS = (
    "reading.js",
    "speaking.js",
    "drawing.js",
    "sentence.js",
    "alignment.js",
    "heads.js",
    "matrix.js",
    "graph.js",
    "stage.js",
    "picture.js",
    "steps.js",
    "lens.js",
    "places.js",
    "page.js",
)

PICTURE = "picture.js"  # is needed where patches are looked at
# What is said of a text alone, and not of a translation.
ONE_SEQUENCE = frozenset(
    {"line", "class", "mask", "text_read", "mean_log", "stands_first", "stands_rank", "chosen_open"}
)


@dataclass(frozen=True, slots=True)
class Addition:
    """What a page that a server feeds has beside the page of a file."""

    html: str = ""  # stands before all else
    style: str = ""
    script: str = ""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by language
    foot: str = "foot"  # the key of the words at the foot
    policy: str = ""  # what the browser may do more, such as "connect-src 'self'; "


FILE = Addition()


def as_page(view: View) -> str:
    """The page as HTML."""
    return assemble(f"{view.text[:80]} · Mirada", view.model_dump_json(), contents=contents_of(view))


@dataclass(frozen=True, slots=True)
class Contents:
    """What a page is made of: its scripts, and what it has no use for among the words."""

    scripts: tuple[str, ...] = SCRIPTS
    unsaid: frozenset[str] = frozenset()


EVERYTHING = Contents()


def contents_of(view: View) -> Contents:
    """What the page of one view needs: a file is to be small, and never shows another."""
    groups = {one.group for one in view.maps}
    unsaid = {f"help_{task}{of}" for task in get_args(Task) if task != view.task for of in ("", "_picture")}
    unsaid |= {
        f"{what}_{group}{of}"
        for what in ("help", "group")
        for group in ("rollout", "pooling", "cross")
        for of in ("", "_picture")
        if group not in groups
    }
    if "written" in view.sequences:
        unsaid |= ONE_SEQUENCE
    if any(one.kind == "patches" for one in view.sequences.values()):
        return Contents(SCRIPTS, frozenset(unsaid))
    unsaid |= {key for key in words()["en"] if key.endswith("picture")}
    return Contents(tuple(one for one in SCRIPTS if one != PICTURE), frozenset(unsaid))


def assemble(title: str, view: str, addition: Addition = FILE, contents: Contents = EVERYTHING) -> str:
    """A page with a view as JSON; "null" where there is none yet."""
    unsaid = contents.unsaid
    said = {
        language: {key: text for key, text in {**own, **addition.words.get(language, {})}.items() if key not in unsaid}
        for language, own in words().items()
    }
    fields = {
        "policy": policy(addition, contents),
        "title": html.escape(title),
        "style": style() + addition.style,
        "script": script(contents.scripts) + addition.script,
        "live": addition.html,
        "foot": addition.foot,
        "version": __version__,
        "view": as_data(view),
        "words": as_data(json.dumps(said, ensure_ascii=False, separators=(",", ":"))),
    }
    # All at once, so that nothing that stands in a field is taken for the name of another.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fields[found[1]], _read("page.html"))


def policy(addition: Addition = FILE, contents: Contents = EVERYTHING) -> str:
    """What the browser may do for this page: run our script, apply our style, show our icon."""
    return (
        f"default-src 'none'; script-src '{_hash(script(contents.scripts) + addition.script)}'; "
        f"style-src '{_hash(style() + addition.style)}'; img-src data:; {addition.policy}"
        "base-uri 'none'; form-action 'none'"
    )


@cache
def script(names: tuple[str, ...] = SCRIPTS) -> str:
    """The page's script, all parts of it or some."""
    return "\n".join(lean(_read(name)) for name in names)


@cache
def style() -> str:
    """The page's style."""
    return lean(_read("page.css"))


@cache
def words() -> dict[str, dict[str, str]]:
    """What the page says, in each of its languages."""
    found: dict[str, dict[str, str]] = json.loads(_read("words.json"))
    return found


def lean(text: str) -> str:
    """A script or a style without what only its writers read: a seventh of a page, for which a view has better use."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _read(name: str) -> str:
    return (resources.files("mirada.viewing") / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def as_data(text: str) -> str:
    """JSON that cannot end the block it stands in, nor begin a comment: < is written by its number."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
