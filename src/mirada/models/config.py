"""What a model is made of, as a config that can be written to a file: frozen, strict, all errors at once."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mirada.attention import Full, Learned, ScaledDot, Sinusoidal
from mirada.attention.heads import Heads, divide
from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.models.words import EnteredWord, InsideWord, PatternWord, ScoreWord

WIDEST, DEEPEST = 65_536, 1_000  # a config from outside may not ask for more than any model has


class Strict(BaseModel):
    """A part of a config: frozen, and a key that is not known is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, validate_default=True, ser_json_inf_nan="constants"
    )


class LookConfig(Strict):
    """How a kind of layer looks: who, weighed how, in which order, by how many heads."""

    heads: int = Field(default=4, ge=1, le=1_024)
    groups: int | None = Field(default=None, ge=1, description="key and value heads; fewer than heads share them")
    pattern: PatternWord = Full()
    score: ScoreWord = ScaledDot()
    position: InsideWord = None

    def spec(self) -> Heads:
        """The heads as the attention takes them."""
        return Heads(self.heads, self.groups)


class StackConfig(LookConfig):
    """A stack of alike blocks; the pattern of a decoder is joined with `causal`."""

    layers: int = Field(default=3, ge=1, le=DEEPEST)


class TransformerConfig(Strict):
    """The Transformer: an encoder, a decoder and the look from one to the other."""

    kind: Literal["transformer"] = "transformer"
    width: int = Field(default=256, ge=2, le=WIDEST)
    feed_forward: int = Field(default=1_024, ge=1, le=8 * WIDEST)
    activation: Activation = "relu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"
    position: EnteredWord = Sinusoidal()
    position_join: Literal["add", "concatenate"] = "add"
    encoder: StackConfig = StackConfig()
    decoder: StackConfig = StackConfig()
    cross: LookConfig = LookConfig()

    @property
    def places(self) -> int | None:
        """How many places the model has vectors for; None where it knows every place."""
        return self.position.places if isinstance(self.position, Learned) else None

    @model_validator(mode="after")
    def _heads_fit(self) -> TransformerConfig:
        for name in ("encoder", "decoder", "cross"):
            look: LookConfig = getattr(self, name)
            look.spec()
            divide(self.width, look.heads, "model.width", f"model.{name}.heads")
        return self


ModelConfig = TransformerConfig  # grows into a union by `kind` as shapes of models are added


def problems(error: ValidationError, root: type[BaseModel], where: str) -> str:
    """All that is wrong with a config, in a sentence each; for a key that is not known, the nearest known one."""
    told = [_problem(found["loc"], found["msg"], found["type"], root) for found in error.errors()]
    return f"{where}: " + "; ".join(told)


def _problem(place: tuple[int | str, ...], message: str, kind: str, root: type[BaseModel]) -> str:
    name = ".".join(map(str, place))
    if kind != "extra_forbidden":
        return f"{name}: {message.removeprefix('Value error, ')}" if name else message.removeprefix("Value error, ")
    known = _known_names(root)
    near = get_close_matches(name, known, 1, 0.5) or get_close_matches(str(place[-1]), known, 1, 0.5)
    return f"{name} is not known" + (f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known[:40])}")


def _known_names(root: type[BaseModel], prefix: str = "") -> list[str]:
    """The full name of every value of a config."""
    names = []
    for name, field in root.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            names += _known_names(inner, f"{prefix}{name}.")
        else:
            names.append(f"{prefix}{name}")
    return names
