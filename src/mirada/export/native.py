"""The engine of our own, for exports in int8: it finds what CTranslate2 finds with the same numbers, sooner.

Every source has its own limit, sentences come and go within a step, and there is no padding (`mirada.native`). What it
does not do (translations that begin with something given, links, the scores of given targets) CTranslate2 does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from mirada.decoding.demand import NOTHING_DEMANDED, Demand, limit_of
from mirada.decoding.engine import About, Link
from mirada.decoding.hypothesis import NOTHING, Hypothesis
from mirada.decoding.limits import GRAM
from mirada.decoding.options import Search
from mirada.export.engine import ExportedEngine, ranked, threads
from mirada.export.folder import MODEL, SHORTLIST, Exported, read_about, read_subwords
from mirada.export.variables import Variables, read
from mirada.native import library
from mirada.native.library import Shape
from mirada.native.loading import NativeError
from mirada.native.model import NativeModel, Rounded
from mirada.text.subwords import BEGIN, END, Subwords

ACTIVATIONS = {0: 0, 3: 1, 2: 2}  # CTranslate2's ReLU, GELU and Swish as the engine's ReLU, GELU and SwiGLU
SIDES = ("encoder", "decoder")
ENCODER_TOKENS, DECODER_TOKENS = "encoder/embeddings_0", "decoder/embeddings"
PROJECTION = "decoder/projection"
SWIGLU = 2
ROUNDED = "int8"


@dataclass(frozen=True, eq=False)
class NativeEngine:
    """An exported folder as an engine."""

    folder: Path
    exported: Exported
    subwords: Subwords
    model: NativeModel
    held: bool = False  # by the rein

    @classmethod
    def load(cls, folder: Path) -> NativeEngine:
        """The engine of a folder; `NativeError` with the reason where it cannot be computed by it."""
        exported = read_about(folder)
        if exported.quantization != ROUNDED:
            raise NativeError(f"its numbers are {exported.form}, and the engine computes {ROUNDED}")
        library.load()  # before anything large is read in vain
        subwords = read_subwords(folder, exported)
        said = _said(folder / SHORTLIST, subwords) if exported.shortlist is not None else None
        return cls(folder, exported, subwords, build(read(folder / MODEL), exported.vocabulary, said))

    @property
    def name(self) -> str:
        return "native"

    @cached_property
    def about(self) -> About:
        return self.exported.about

    def decode(
        self, sources: Sequence[Sequence[int]], search: Search, demands: Sequence[Demand] = ()
    ) -> list[list[Hypothesis]]:
        if search.sampling or any(demand.tokens for demand in demands):
            return self.other.decode(sources, search, demands)
        if not sources:
            return []
        limits = [limit_of(len(source), NOTHING_DEMANDED, search.longest) for source in sources]
        gram = GRAM if self.held else 0
        found = self.model.search(sources, limits, search.beam, gram, min(threads(), len(sources)))
        said = ([Hypothesis(one.tokens, one.log_probability, one.finished) for one in each] for each in found)
        return [ranked(hypotheses, search) or [NOTHING] for hypotheses in said]

    def reined(self) -> NativeEngine:
        return replace(self, held=True)

    def require_alignment(self) -> None:
        """Nothing: what has a CTranslate2 form looks at its source."""

    def align(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], before: Sequence[int] = ()
    ) -> list[list[Link]]:
        return self.other.align(sources, targets, before)

    def score(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """The log-probability of each token of each target (see `mirada.decoding.scoring`)."""
        return self.other.score(sources, targets)

    @cached_property
    def other(self) -> ExportedEngine:
        """CTranslate2 with the same folder, for what is left to it."""
        engine = ExportedEngine.load(self.folder)
        return engine.reined() if self.held else engine


def build(variables: Variables, vocabulary: int, said: list[int] | None = None) -> NativeModel:
    """A model from CTranslate2's variables; `said` are the tokens, rising, that alone can be said."""
    shape = _shape(variables, vocabulary)
    model = NativeModel(shape)
    parts = {name.rpartition("/")[0] for name in variables.names if name.endswith(("/weight", "/gamma"))}
    for name in sorted(parts - {ENCODER_TOKENS, DECODER_TOKENS, PROJECTION}):
        if variables.get(f"{name}/gamma") is not None:
            model.set_norm(name, variables[f"{name}/gamma"], variables.get(f"{name}/beta"))
        else:
            model.set_linear(name, _rounded(variables, name), variables.get(f"{name}/bias"))
    projection, bias = _rounded(variables, PROJECTION), variables[f"{PROJECTION}/bias"]
    if said is not None:
        rows = np.array(said, np.int32)
        model.set_said(rows)
        projection, bias = Rounded(projection.weights[rows], projection.scales[rows]), bias[rows]
    model.set_linear(PROJECTION, projection, bias)
    for side, tokens in (("encoder", ENCODER_TOKENS), ("decoder", DECODER_TOKENS)):
        places = variables.get(f"{side}/position_encodings/encodings")
        model.set_tokens(side == "encoder", _rounded(variables, tokens), places)
    model.require_whole()
    return model


def _shape(variables: Variables, vocabulary: int) -> Shape:
    """What the variables say of the model, if the engine knows all of it."""
    unknown = [name for name in variables.names if "relative_position" in name]
    if unknown:
        raise NativeError("the engine knows no relative positions")
    settings = {name: {variables.number(f"{side}/{name}") for side in SIDES} for name in ("activation", "pre_norm")}
    if any(len(found) > 1 for found in settings.values()):
        raise NativeError("its encoder and its decoder are made differently")
    activation = int(settings["activation"].pop())
    gated = variables.get("decoder/layer_0/ffn/linear_0_noact/weight") is not None
    if activation not in ACTIVATIONS or gated != (ACTIVATIONS[activation] == SWIGLU):
        raise NativeError("the engine does not know its activation")
    inner, width = variables["decoder/layer_0/ffn/linear_0/weight"].shape
    tables = [variables.get(f"{side}/position_encodings/encodings") for side in SIDES]
    return Shape(
        width=width,
        feed_forward=inner,
        vocabulary=vocabulary,
        encoder_layers=variables.layers("encoder"),
        encoder_heads=int(variables.number("encoder/num_heads")),
        decoder_layers=variables.layers("decoder"),
        decoder_heads=int(variables.number("decoder/num_heads")),
        pre_norm=int(settings["pre_norm"].pop()),
        root_mean_square=int(variables.get("decoder/layer_0/ffn/layer_norm/beta") is None),
        activation=ACTIVATIONS[activation],
        encoder_rotary=variables.number("encoder/layer_0/self_attention/rotary_base"),
        decoder_rotary=variables.number("decoder/layer_0/self_attention/rotary_base"),
        begin=BEGIN,
        end=END,
        places=max((len(table) for table in tables if table is not None), default=0),
    )


def _rounded(variables: Variables, name: str) -> Rounded:
    weights, scales = variables[f"{name}/weight"], variables.get(f"{name}/weight_scale")
    if weights.dtype != np.int8 or scales is None:
        raise NativeError(f"{name} is not rounded to {ROUNDED}")
    return Rounded(weights, scales)


def _said(path: Path, subwords: Subwords) -> list[int]:
    """The ids on a shortlist (`mirada.export.shortlist`), rising."""
    ids = {piece: one for one, piece in enumerate(subwords.pieces)}
    listed = path.read_text(encoding="utf-8").rstrip("\n").removeprefix("\t").split(" ")
    try:
        return sorted(ids[piece] for piece in listed)
    except KeyError:
        raise NativeError(f"{path} names subwords that the model does not have") from None
