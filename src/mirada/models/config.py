"""What a model is made of, as a config that can be written to a file: frozen, strict, all errors at once."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator
from pydantic.fields import FieldInfo

from mirada.attention import Additive, Collaborative, Cosine, Dot, Full, Learned, Rotary, ScaledDot, Sinusoidal
from mirada.attention.heads import Heads, divide
from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.layers.recurrent import CellKind, Directions, RecurrentNorm
from mirada.models.recurrent import When
from mirada.models.words import EnteredWord, InsideWord, PatternWord, RecurrentScoreWord, ScoreWord, write_word

WIDEST, DEEPEST = 65_536, 1_000  # a config from outside may not ask for more than any model has


class Strict(BaseModel):
    """A part of a config: frozen, and a key that is not known is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, validate_default=True, ser_json_inf_nan="constants"
    )


def unused(count: int) -> bool:
    """Whether a count is 0, or a switch off: what is not used is not written, so that older folders stay the same."""
    return count == 0


def unset(value: object) -> bool:
    """Whether nothing was said: runs that were begun before it could be said stay as they were."""
    return value is None


class AnyShape(Strict):
    """What the config of every model says, whatever its task."""

    kind: str

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return self.kind


class Shape(AnyShape):
    """What the config of a model says that the one training loop trains."""

    width: int
    norm: str


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


def check_heads(width: int, **looks: LookConfig) -> None:
    """Say so where the heads of a look do not divide the width, or its groups not the heads."""
    for name, look in looks.items():
        look.spec()
        divide(width, look.heads, "model.width", f"model.{name}.heads")


def size_of_two_stacks(encoder: StackConfig, decoder: StackConfig, width: int, feed_forward: int) -> str:
    """The size of a model with an encoder and a decoder in words."""
    layers = f"{encoder.layers} + {decoder.layers} layers"
    return f"{layers}, width {width}, feed-forward {feed_forward:,}, {encoder.heads} heads"


class TransformerConfig(Shape):
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

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return size_of_two_stacks(self.encoder, self.decoder, self.width, self.feed_forward)

    @model_validator(mode="after")
    def _heads_fit(self) -> TransformerConfig:
        check_heads(self.width, encoder=self.encoder, decoder=self.decoder, cross=self.cross)
        return self


class RecurrentStackConfig(Strict):
    """A stack of alike recurrent layers."""

    cell: CellKind = "lstm"
    width: int = Field(default=256, ge=2, le=WIDEST, description="of its states, both directions together")
    layers: int = Field(default=1, ge=1, le=DEEPEST)
    residual: bool = True


class RecurrentEncoderConfig(RecurrentStackConfig):
    """The stack that reads the source, from one end or from both."""

    directions: Directions = "both"


class RecurrentLookConfig(Strict):
    """How a recurrent decoder looks at the source: weighed how, when in its step, by how many heads."""

    score: RecurrentScoreWord = Additive()
    when: When = "after"  # all places at once: no worse than before the step, and a fifth faster to train
    feeding: bool = Field(default=False, description="whether the vector said last enters the next step")
    heads: int = Field(default=1, ge=1, le=1_024)


class RecurrentConfig(Shape):
    """The recurrent translator: an encoder, a decoder, and the look from one to the other, if there is one."""

    kind: Literal["recurrent"] = "recurrent"
    width: int = Field(default=256, ge=2, le=WIDEST, description="of the embedding")
    norm: RecurrentNorm = "none"
    tied: bool = Field(default=True, description="whether the embedding is the output's table too")
    encoder: RecurrentEncoderConfig = RecurrentEncoderConfig()
    decoder: RecurrentStackConfig = RecurrentStackConfig()
    attention: RecurrentLookConfig = RecurrentLookConfig()

    @property
    def places(self) -> None:
        """How many places the model has vectors for: it reads any number."""
        return

    @property
    def size(self) -> str:
        """The size of the model in words."""
        layers = f"{self.encoder.layers} + {self.decoder.layers} layers"
        cells = f"{self.encoder.cell} {self.encoder.width} to {self.decoder.cell} {self.decoder.width}"
        return f"{layers}, width {self.width}, {cells}, attention {self.look}"

    @property
    def look(self) -> str:
        """How the decoder looks at the source, in words."""
        look = self.attention
        if look.score is None:
            return "none"
        return f"{write_word(look.score)}, {look.when} the step" + (", fed" if look.feeding else "")

    @model_validator(mode="after")
    def _widths_fit(self) -> RecurrentConfig:
        encoder, decoder, look = self.encoder, self.decoder, self.attention
        if encoder.directions == "both":
            divide(encoder.width, 2, "model.encoder.width", "the directions of model.encoder")
        if look.feeding and (look.score is None or look.when == "before"):
            raise ValueError(
                "model.attention.feeding feeds what was said after a look: use model.attention.when = after with a "
                "score, or model.attention.feeding = false"
            )
        for name, width in (("encoder", encoder.width), ("decoder", decoder.width)):
            divide(width, look.heads, f"model.{name}.width", "model.attention.heads")
        unmapped = isinstance(look.score, Dot | ScaledDot | Cosine | Collaborative)
        if unmapped and encoder.width != decoder.width:
            raise ValueError(
                f"model.attention.score = {write_word(look.score)} compares states of one width, but "
                f"model.encoder.width = {encoder.width} and model.decoder.width = {decoder.width}; make them equal, "
                "or use bilinear or additive"
            )
        return self


class LearntLanguageShape(Shape):
    """What the configs of language models that learn share."""

    after_next: bool = Field(
        default=False,
        exclude_if=unused,
        description="while it learns, the token after the next is foretold as well, through a map of its own",
    )


class LanguageModelConfig(LearntLanguageShape):
    """The language model: one causal stack over a tied embedding (GPT, Radford et al. 2018)."""

    kind: Literal["language"] = "language"
    context: int = Field(default=64, ge=2, le=1_000_000, description="tokens that are read at once")
    width: int = Field(default=128, ge=2, le=WIDEST)
    feed_forward: int = Field(default=512, ge=1, le=8 * WIDEST)
    activation: Activation = "gelu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"
    position: EnteredWord = None
    convolution: int = Field(
        default=0,
        ge=0,
        le=64,
        exclude_if=unused,
        description="places that enter the stack together, a token and those just before it; 0: each by itself",
    )
    stack: StackConfig = StackConfig(layers=4, heads=4, position=Rotary())

    @property
    def size(self) -> str:
        """The size of the model in words."""
        looks = f"{self.stack.heads} heads, context {self.context:,}"
        entry = f", {self.convolution} places enter together" if self.convolution else ""
        return f"{self.stack.layers} layers, width {self.width}, feed-forward {self.feed_forward:,}, {looks}{entry}"

    @model_validator(mode="after")
    def _places_fit(self) -> LanguageModelConfig:
        check_heads(self.width, stack=self.stack)
        if isinstance(self.position, Learned) and self.position.places < self.context:
            raise ValueError(
                f"model.position = {write_word(self.position)} has fewer places than model.context = {self.context}; "
                f"use learned({self.context}), or a smaller context"
            )
        if self.norm == "batch":
            raise ValueError("model.norm = batch would look ahead through its statistics; use layer or rms")
        if self.convolution == 1:
            raise ValueError("model.convolution = 1 sees nothing before a token; use 0, or 2 or more")
        return self


class RecurrentLanguageConfig(LearntLanguageShape):
    """The recurrent language model: one stack over a tied embedding."""

    kind: Literal["recurrent_language"] = "recurrent_language"
    context: int = Field(default=64, ge=2, le=1_000_000, description="tokens that are trained on at once")
    width: int = Field(default=128, ge=2, le=WIDEST, description="of the embedding")
    norm: RecurrentNorm = "none"
    stack: RecurrentStackConfig = RecurrentStackConfig(layers=2)

    @property
    def size(self) -> str:
        """The size of the model in words."""
        stack = f"{self.stack.layers} layers of {self.stack.cell} {self.stack.width}"
        return f"{stack}, embedding {self.width}, context {self.context:,}"


class NgramConfig(AnyShape):
    """The n-gram model: counts of a few tokens in a row."""

    kind: Literal["ngram"] = "ngram"
    order: int = Field(default=6, ge=1, le=32, description="tokens in a row, the one that is said included")

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return f"up to {self.order} tokens in a row"


def by_kind(usual: str, *others: str) -> Discriminator:
    """What chooses a member of a union of configs: its `kind`, the usual one where it names none."""

    def kind_of(value: object) -> object:
        return value.get("kind", usual) if isinstance(value, dict) else getattr(value, "kind", None)

    *first, last = (usual, *others)
    return Discriminator(
        kind_of,
        custom_error_type="kind",
        custom_error_message=f"this kind is not known; use kind = {', '.join(first)} or {last}",
    )


ModelConfig = Annotated[
    Annotated[TransformerConfig, Tag("transformer")] | Annotated[RecurrentConfig, Tag("recurrent")],
    by_kind("transformer", "recurrent"),
]
LearntLanguageConfig = Annotated[
    Annotated[LanguageModelConfig, Tag("language")] | Annotated[RecurrentLanguageConfig, Tag("recurrent_language")],
    by_kind("language", "recurrent_language"),
]
LanguageConfig = Annotated[
    Annotated[LanguageModelConfig, Tag("language")]
    | Annotated[RecurrentLanguageConfig, Tag("recurrent_language")]
    | Annotated[NgramConfig, Tag("ngram")],
    by_kind("language", "recurrent_language", "ngram"),
]
AnyModelConfig = TransformerConfig | RecurrentConfig | LanguageModelConfig | RecurrentLanguageConfig


def problems(error: ValidationError, root: type[BaseModel], where: str) -> str:
    """All that is wrong with a config, in a sentence each; for a key that is not known, the nearest known one."""
    told = [_problem(found["loc"], found["msg"], found["type"], root) for found in error.errors()]
    return f"{where}: " + "; ".join(told)


def _problem(place: tuple[int | str, ...], message: str, kind: str, root: type[BaseModel]) -> str:
    place, kinds = _without_kinds(place, root)
    name = ".".join(map(str, place))
    if kind != "extra_forbidden":
        return f"{name}: {message.removeprefix('Value error, ')}" if name else message.removeprefix("Value error, ")
    known = _known_names(root, kinds)
    near = get_close_matches(name, known, 1, 0.5) or get_close_matches(str(place[-1]), known, 1, 0.5)
    return f"{name} is not known" + (f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known[:40])}")


def _without_kinds(place: tuple[int | str, ...], root: type[BaseModel]) -> tuple[tuple[int | str, ...], set[str]]:
    """The place of an error without the kinds that pydantic puts after the name of a union, and those kinds."""
    named: list[int | str] = []
    kinds: set[str] = set()
    inside: type[BaseModel] | None = root
    rest = list(place)
    while rest:
        name = rest.pop(0)
        named.append(name)
        field = None if inside is None else inside.model_fields.get(str(name))
        members = {} if field is None else _members(field)
        if len(members) > 1 and rest and rest[0] in members:
            kinds.add(str(rest[0]))
            inside = members[str(rest.pop(0))]
        else:
            inside = members.get("")
    return tuple(named), kinds


def _known_names(root: type[BaseModel], kinds: set[str], prefix: str = "") -> list[str]:
    """The full name of every value of a config; of a union, those of the kinds that are meant."""
    names = []
    for name, field in root.model_fields.items():
        members = _members(field)
        for kind, inner in members.items():
            if len(members) == 1 or kind in kinds:
                names += _known_names(inner, kinds, f"{prefix}{name}.")
        if not members:
            names.append(f"{prefix}{name}")
    return names


def _members(field: FieldInfo) -> dict[str, type[BaseModel]]:
    """The configs that a field may hold: those of a union by their kind, a single one under no name."""
    inner = field.annotation
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        return {"": inner}
    tagged = [get_args(member) for member in get_args(inner)]
    return {one[1].tag: one[0] for one in tagged if len(one) == 2 and isinstance(one[1], Tag)}
