"""Small translators of every kind, sentences for them, and small language models."""

import torch
from jaxtyping import Int
from torch import Tensor

from mirada.attention import (
    Additive,
    Attention,
    Causal,
    Full,
    Heads,
    Padding,
    Rotary,
    Shaw,
    Sinusoidal,
    Strided,
    Uniform,
    Window,
)
from mirada.layers.block import Block
from mirada.layers.embedding import Embedding
from mirada.layers.feed_forward import FeedForward
from mirada.layers.stack import Stack
from mirada.models.build import build
from mirada.models.config import LanguageModelConfig, RecurrentConfig, StackConfig
from mirada.models.language import CausalTransformer
from mirada.models.recurrent import Recurrent
from mirada.models.transformer import Transformer

BEGIN, END, VOCABULARY = 1, 2, 23

TRANSFORMERS = {
    "as in the paper": {"order": "post"},
    "pre-norm": {},
    "root mean square, SwiGLU, rotary": {"norm": "rms", "activation": "swiglu", "position": Rotary(), "entered": None},
    "batch norm, GELU": {"norm": "batch", "activation": "gelu"},
    "additive, Shaw": {"score": Additive(), "position": Shaw(3)},
    "windows": {"pattern": Window(2, 1)},
    "strides": {"pattern": Strided(2) | Window(1, 1)},
    "the plain mean": {"score": Uniform()},
    "positions beside": {"join": "concatenate"},
    "looking by places, rotary": {"across": {"position": Rotary()}},
    "looking by places, Shaw": {"across": {"position": Shaw(3)}},
    "looking through a window": {"across": {"pattern": Window(2, 3)}},
}

RECURRENT = {
    "no attention": {"score": "none"},
    "mean, before": {"score": "mean", "when": "before"},
    "mean, after": {"score": "mean", "when": "after", "cell": "gru"},
    "dot, after": {"score": "dot", "when": "after"},
    "dot, before": {"score": "dot", "when": "before", "layers": 2},
    "bilinear, fed": {"score": "bilinear", "when": "after", "feeding": True},
    "bilinear, after": {"score": "bilinear", "when": "after", "layers": 2, "norm": "rms"},
    "additive, after": {},
    "additive, before": {"when": "before"},
    "additive, GRU, deep": {"when": "before", "layers": 3, "cell": "gru", "norm": "layer", "residual": False},
    "additive, fed, deep": {"score": "additive", "when": "after", "feeding": True, "layers": 2, "cell": "rnn"},
    "one direction, two heads": {"when": "before", "heads": 2, "directions": "forward", "tied": False},
}


def small_transformer(
    vocabulary=VOCABULARY,
    width=16,
    layers=2,
    heads=2,
    order="pre",
    norm="layer",
    activation="relu",
    score=None,
    position=None,
    pattern=None,
    entered=Sinusoidal(100.0),  # noqa: B008 frozen
    join="add",
    across=None,
) -> Transformer:
    """Encoder and decoder of `layers` blocks each; `across` is how the decoder looks at the source."""
    pattern = Full() if pattern is None else pattern
    across = {"score": score} if across is None else across

    def block(cross: bool) -> Block:
        own = Causal() & pattern if cross else pattern
        return Block(
            Attention(width, heads=Heads(heads), score=score, position=position, pattern=own),
            Attention(width, heads=Heads(heads), **across) if cross else None,
            FeedForward(width, 2 * width, activation),
            norm=norm,
            order=order,
        )

    return Transformer(
        Embedding(vocabulary, width, entered, join),
        Stack([block(False) for _ in range(layers)], norm),
        Stack([block(True) for _ in range(layers)], norm),
    )


def small_recurrent(
    layers=1, norm="none", residual=True, tied=True, cell="lstm", directions="both", **look
) -> Recurrent:
    """A model of unlike widths but where the score compares states as they are."""
    same = look.get("score") == "dot"
    config = RecurrentConfig.model_validate(
        {
            "width": 10,
            "norm": norm,
            "tied": tied,
            "encoder": {"cell": cell, "width": 14, "layers": layers, "residual": residual, "directions": directions},
            "decoder": {"cell": cell, "width": 14 if same else 12, "layers": layers, "residual": residual},
            "attention": look,
        }
    )
    return build(config, VOCABULARY, seed=5)


def sentences(lengths: list[int], seed: int = 0) -> tuple[Int[Tensor, "B N"], Padding]:
    """Rows of random words, padded at the end."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(3, VOCABULARY, (len(lengths), max(lengths)), generator=generator)
    padding = Padding.from_lengths(lengths)
    return tokens.masked_fill(~padding.real, 0), padding


def differing_recurrent(choice: str) -> Recurrent:
    """A recurrent model of the choices, whose states differ enough for a mistake to show."""
    made = small_recurrent(**RECURRENT[choice]).double().eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(2).add_(0.05 * torch.randn_like(parameter))
    return made


def small_language_model(context: int, entered: object, stack: StackConfig, convolution: int = 0) -> CausalTransformer:
    """A causal stack in float64, the same numbers at every call."""
    config = LanguageModelConfig(
        context=context, width=12, feed_forward=17, position=entered, convolution=convolution, stack=stack
    )
    model = build(config, VOCABULARY, seed=5).eval().double()
    assert isinstance(model, CausalTransformer)
    return model
