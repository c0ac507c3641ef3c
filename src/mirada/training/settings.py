"""Settings: a run's config put together from a preset, a TOML file and the command line, the later ones winning."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from mirada.corpora.verdict import PRESETS
from mirada.models.config import Strict, problems
from mirada.training.config import RunConfig

Tree = dict[str, object]
AnyConfig = TypeVar("AnyConfig", bound=Strict)
HEAD_WIDTH, FEWEST_HEADS = 64, 4
# Small models on little data learn more from many small steps; large ones need steadier gradients.
BATCH_TOKENS = {"tiny": 1_400, "small": 2_000, "base": 4_000, "big": 8_000}
# A recurrent layer is slow to train, and little is gained by more than a few: each has as many weights as two others.
RECURRENT_LAYERS = {"tiny": 1, "small": 1, "base": 2, "big": 4}
# A deep encoder makes good for a shallow decoder, whose steps are what translating takes its time for (Kasai et al.
# 2021): with CTranslate2 in int8 and beam 5, small-fast translates 1.5 times as much as small, tiny-fast 1.45 times as
# much as tiny and 2.8 times as much as small. Heads that share keys and values (Ainslie et al. 2023) spare torch
# memory; an export writes them out.
FAST, FAST_DEPTH, FAST_GROUPS = "-fast", 2, 2
LARGEST_FILE = 1_000_000  # bytes of a TOML file


class ConfigError(ValueError):
    """A config that cannot be used: where, and all that is wrong with it."""


def preset_tree(name: str, kind: str = "transformer") -> Tree:
    """The model of a preset, of this kind; `small-fast` is `small` made to translate fast."""
    known = {preset.name: preset for preset in PRESETS}
    size = name.removesuffix(FAST)
    if size not in known:
        raise ConfigError(f"--preset {name} is not known; use {', '.join(known)}, each also as {PRESETS[0].name}{FAST}")
    preset, fast = known[size], size != name
    training: Tree = {"batch_tokens": BATCH_TOKENS[size]}
    if kind == "recurrent" and fast:
        raise ConfigError(f"--preset {name} is a shape of the transformer; use --preset {size} for a recurrent model")
    if kind == "recurrent":
        stack: Tree = {"width": preset.width, "layers": RECURRENT_LAYERS[size]}
        recurrent: Tree = {"kind": kind, "width": preset.width, "encoder": stack, "decoder": stack}
        return {"model": recurrent, "training": training}
    look: Tree = {"heads": max(FEWEST_HEADS, preset.width // HEAD_WIDTH)}
    depth = (FAST_DEPTH * preset.layers, 1) if fast else (preset.layers, preset.layers)
    shared = look | ({"groups": FAST_GROUPS} if fast else {})  # what the decoder looks with
    stacks: Tree = {"encoder": look | {"layers": depth[0]}, "decoder": shared | {"layers": depth[1]}, "cross": shared}
    model: Tree = {"width": preset.width, "feed_forward": preset.feed_forward}
    return {"model": model | stacks, "training": training}


def kind_in(settings: Mapping[str, object]) -> str:
    """The kind of model that settings ask for; the Transformer where they name none."""
    model = settings.get("model")
    return str(model.get("kind", "transformer")) if isinstance(model, Mapping) else "transformer"


def shape_model(settings: Mapping[str, object]) -> bool:
    """Whether settings say more of the model than its kind."""
    model = settings.get("model")
    return model is not None and not (isinstance(model, Mapping) and set(model) <= {"kind"})


def read_toml(path: Path) -> Tree:
    """The config in a TOML file."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigError(f"{path} has {path.stat().st_size:,} bytes; a config has at most {LARGEST_FILE:,}")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML file: {error}") from None


def read_sets(sets: Sequence[str]) -> Tree:
    """The config of `--set model.width=256` and its like; a value is written as in TOML, quotes may be left out."""
    tree: Tree = {}
    for one in sets:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--set {one} has no value; write it as --set model.width=256")
        tree = merge(tree, nested(name.strip(), _value(value.strip())))
    return tree


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def nested(name: str, value: object) -> Tree:
    """`a.b.c` and a value as a tree."""
    for part in reversed(name.split(".")):
        value = {part: value}
    return value if isinstance(value, dict) else {}


def merge(below: Mapping[str, object], above: Mapping[str, object]) -> Tree:
    """Two trees as one; where both have a value, that of `above`."""
    merged = dict(below)
    for name, value in above.items():
        own = merged.get(name)
        merged[name] = merge(own, value) if isinstance(own, Mapping) and isinstance(value, Mapping) else value
    return merged


def validate(tree: Tree, where: str) -> RunConfig:
    """The config of a translator."""
    return validate_as(RunConfig, tree, where)


def validate_as(kind: type[AnyConfig], tree: Tree, where: str) -> AnyConfig:
    """The config of a tree, or all that is wrong with it in one error."""
    try:
        return kind.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(problems(error, kind, where)) from None
