"""A Transformer written as CTranslate2 reads it.

    ours                            theirs
    query_map, key_map, value_map   one matrix under another (the look at the source: key and value only)
    groups of heads                 each key and value head once for every head that shares it
    Sinusoidal, Learned, none       a table of places: theirs sets sines before cosines, ours beside each other
    Rotary, d with d + D/2          rotary_interleave off
    Shaw                            relative_position; a table that the model does not have is one of zeros
    √width · E, output bias         scale_embeddings, projection.bias; one matrix serves both, as with us

Numbers are float32 until CTranslate2 itself rounds them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import torch
from ctranslate2.specs import TransformerSpec
from ctranslate2.specs.attention_spec import MultiHeadAttentionSpec
from ctranslate2.specs.common_spec import Activation, LayerNormSpec, LinearSpec
from ctranslate2.specs.transformer_spec import (
    FeedForwardSpec,
    TransformerDecoderSpec,
    TransformerEncoderSpec,
)
from numpy.typing import NDArray
from torch import Tensor, nn

from mirada import __version__
from mirada.attention import Attention, PositionalInput, Rotary, Shaw
from mirada.attention.position import RelativePositions
from mirada.decoding.engine import LONGEST_LIMIT
from mirada.decoding.limits import cap
from mirada.export.capability import require_form
from mirada.export.folder import ABOUT, CARD, SHORTLIST, SUBWORDS, Exported, ExportError, Quantization, fingerprint
from mirada.export.shortlist import Shortlist
from mirada.export.shortlist import write as write_shortlist
from mirada.layers.block import Block
from mirada.layers.feed_forward import FeedForward
from mirada.layers.norm import Norm
from mirada.layers.stack import Stack
from mirada.models import folder as model_folder
from mirada.models.config import StackConfig, TransformerConfig
from mirada.models.engine import alignment_layer
from mirada.models.folder import Loaded
from mirada.models.transformer import Transformer
from mirada.text.subwords import BEGIN, END, UNKNOWN

Matrix = NDArray[np.float32]
Affine = tuple[Matrix, Matrix]  # weight and bias
PLACES = cap(LONGEST_LIMIT) + 1  # of a table that could have any number: all that a translation can reach


def write(
    loaded: Loaded,
    folder: Path,
    quantization: Quantization = "none",
    weights: Path | None = None,
    shortlist: Shortlist | None = None,
) -> Exported:
    """Write a model into a folder that is there and empty; `weights` is the file that the model was read from."""
    require_form(loaded.config.model)
    spec = build_spec(loaded)
    if shortlist is not None:
        spec.decoder.projection.bias[shortlist.ids] += shortlist.raised
        write_shortlist(shortlist, loaded.subwords, folder / SHORTLIST)
    pieces = list(loaded.subwords.pieces)
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = (pieces[one] for one in (UNKNOWN, BEGIN, END))
    spec.config.decoder_start_token = pieces[BEGIN]
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(None if quantization == "none" else quantization)
    spec.save(str(folder))
    (folder / SUBWORDS).write_bytes(loaded.subwords.to_bytes())
    if weights is not None and (weights.parent / model_folder.CARD).is_file():
        shutil.copy(weights.parent / model_folder.CARD, folder / CARD)
    about = Exported(
        mirada=__version__,
        source=loaded.config.source,
        target=loaded.config.target,
        vocabulary=loaded.config.vocabulary,
        slots=loaded.config.slots,
        longest=loaded.config.longest,
        context=loaded.config.context,
        longest_text=loaded.config.longest_text,
        places=loaded.config.model.places,
        quantization=quantization,
        shortlist=None if shortlist is None else len(shortlist.ids),
        weights="" if weights is None else fingerprint(weights),
    )
    (folder / ABOUT).write_text(about.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return about


def build_spec(loaded: Loaded) -> TransformerSpec:
    """The model as a specification with all its numbers."""
    config, model = loaded.config.model, loaded.model
    if not isinstance(config, TransformerConfig) or not isinstance(model, Transformer):
        raise ExportError(f"a model of the kind '{config.kind}' has no CTranslate2 form")
    spec = TransformerSpec(_encoder_spec(config), _decoder_spec(config, alignment_layer(loaded)))
    embedding = _numbers(model.embedding.weight)
    spec.encoder.embeddings[0].weight = embedding
    spec.decoder.embeddings.weight = embedding
    spec.decoder.projection.weight = _numbers(model.output.weight)
    spec.decoder.projection.bias = _numbers(model.output.bias)
    for look, side in ((config.encoder, spec.encoder), (config.decoder, spec.decoder)):
        if look.position is None:
            side.position_encodings.encodings = _places(config, model.embedding.places)
    _fill_stack(spec.encoder, model.encoder)
    _fill_stack(spec.decoder, model.decoder)
    return spec


def _encoder_spec(config: TransformerConfig) -> TransformerEncoderSpec:
    look = config.encoder
    return TransformerEncoderSpec(
        look.layers,
        look.heads,
        pre_norm=config.norm_order == "pre",
        activation=_activation(config),
        relative_position=isinstance(look.position, Shaw),
        ffn_glu=config.activation == "swiglu",
        rms_norm=config.norm == "rms",
        rotary_dim=_rotary_width(look),
        rotary_interleave=False,
        rotary_base=_rotary_base(look),
    )


def _decoder_spec(config: TransformerConfig, layer: int) -> TransformerDecoderSpec:
    look = config.decoder
    return TransformerDecoderSpec(
        look.layers,
        look.heads,
        pre_norm=config.norm_order == "pre",
        activation=_activation(config),
        relative_position=isinstance(look.position, Shaw),
        alignment_layer=layer,
        alignment_heads=0,  # the mean of all
        ffn_glu=config.activation == "swiglu",
        rms_norm=config.norm == "rms",
        rotary_dim=_rotary_width(look),
        rotary_interleave=False,
        rotary_base=_rotary_base(look),
    )


def _activation(config: TransformerConfig) -> Activation:
    return {"relu": Activation.RELU, "gelu": Activation.GELU, "swiglu": Activation.SWISH}[config.activation]


def _rotary_width(look: StackConfig) -> int | None:
    return 0 if isinstance(look.position, Rotary) else None  # 0: all of a head


def _rotary_base(look: StackConfig) -> float:
    return look.position.base if isinstance(look.position, Rotary) else Rotary().base


def _places(config: TransformerConfig, table: PositionalInput | None) -> Matrix:
    """The vector of each place; zeros where the model knows no places."""
    if table is None:
        return np.zeros((PLACES, config.width), dtype=np.float32)
    return _numbers(table.vectors(torch.arange(config.places or PLACES)))


def _fill_stack(spec: TransformerEncoderSpec | TransformerDecoderSpec, stack: Stack) -> None:
    if stack.last_norm is not None:
        _fill_norm(spec.layer_norm, stack.last_norm)
    for layer, block in zip(spec.layer, stack.blocks, strict=True):
        if not isinstance(block, Block):  # a module list forgets what it holds
            continue
        _fill_norm(layer.self_attention.layer_norm, block.self_norm)
        _fill_self_attention(layer.self_attention, block.self_attention)
        if block.cross_attention is not None and block.cross_norm is not None:
            _fill_norm(layer.attention.layer_norm, block.cross_norm)
            _fill_cross_attention(layer.attention, block.cross_attention)
        _fill_norm(layer.ffn.layer_norm, block.feed_norm)
        _fill_feed_forward(layer.ffn, block.feed_forward)


def _fill_self_attention(spec: MultiHeadAttentionSpec, attention: Attention) -> None:
    query, key, value, output = _maps(attention)
    _fill_linear(spec.linear[0], query, key, value)
    _fill_linear(spec.linear[1], output)
    if attention.relative is not None:
        spec.relative_position_keys, spec.relative_position_values = _relative(attention, attention.relative)


def _fill_cross_attention(spec: MultiHeadAttentionSpec, attention: Attention) -> None:
    query, key, value, output = _maps(attention)
    _fill_linear(spec.linear[0], query)
    _fill_linear(spec.linear[1], key, value)
    _fill_linear(spec.linear[2], output)


def _maps(attention: Attention) -> tuple[Affine, Affine, Affine, Affine]:
    """The four maps, with a key and a value head for each head."""
    linears = (attention.query_map, attention.key_map, attention.value_map, attention.output_map)
    query, key, value, output = (_affine(linear) for linear in linears if linear is not None)
    copies = attention.heads.count // attention.heads.shared
    return (
        query,
        _repeated(key, attention.heads.shared, copies),
        _repeated(value, attention.heads.shared, copies),
        output,
    )


def _affine(linear: nn.Linear) -> Affine:
    return _numbers(linear.weight), _numbers(linear.bias)


def _repeated(affine: Affine, heads: int, copies: int) -> Affine:
    """Each head `copies` times in a row: head h of the queries looks at key head h // copies."""
    weight, bias = affine
    wide = weight.reshape(heads, -1, weight.shape[1]).repeat(copies, 0)
    return wide.reshape(-1, weight.shape[1]), bias.reshape(heads, -1).repeat(copies, 0).reshape(-1)


def _relative(attention: Attention, tables: RelativePositions) -> tuple[Matrix, Matrix]:
    """The tables of Shaw for keys and for values."""
    none = np.zeros((2 * tables.radius + 1, attention.head_width), dtype=np.float32)
    keys, values = (none if table is None else _numbers(table) for table in (tables.keys, tables.values))
    return keys, values


def _fill_feed_forward(spec: FeedForwardSpec, layer: FeedForward) -> None:
    weight, bias = _affine(layer.inner_map)
    if layer.activation == "swiglu":
        half = len(bias) // 2
        _fill_linear(spec.linear_0, (weight[:half], bias[:half]))
        _fill_linear(spec.linear_0_noact, (weight[half:], bias[half:]))
    else:
        _fill_linear(spec.linear_0, (weight, bias))
    _fill_linear(spec.linear_1, _affine(layer.output_map))


def _fill_linear(spec: LinearSpec, *maps: Affine) -> None:
    """Maps of the same states, one under another."""
    spec.weight = np.concatenate([weight for weight, _ in maps])
    spec.bias = np.concatenate([bias for _, bias in maps])


def _fill_norm(spec: LayerNormSpec, norm: Norm) -> None:
    match norm.inner:
        case nn.LayerNorm() as layer:
            spec.gamma, spec.beta = _numbers(layer.weight), _numbers(layer.bias)
        case nn.RMSNorm() as root_mean_square:
            spec.gamma = _numbers(root_mean_square.weight)


def _numbers(tensor: Tensor) -> Matrix:
    """The numbers of a tensor, a copy that CTranslate2 may change."""
    numbers: Matrix = tensor.detach().float().cpu().numpy().copy()
    return numbers
