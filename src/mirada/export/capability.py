"""Capability: whether CTranslate2 can compute a model, and if not, every reason at once."""

from __future__ import annotations

from collections.abc import Iterator

from mirada.attention import Causal, Full, ScaledDot
from mirada.export.folder import ExportError
from mirada.models.config import LookConfig, ModelConfig, TransformerConfig
from mirada.models.words import write_word


def reasons_against(config: ModelConfig) -> list[str]:
    """Why a model of this config has no CTranslate2 form, each in plain words; none where it has one."""
    if not isinstance(config, TransformerConfig):
        return [f"it is of the kind '{config.kind}', and only a 'transformer' has a form there"]
    return [*_whole(config), *_positions(config), *_looks(config)]


def require_form(config: ModelConfig) -> None:
    """Raise where a model has no CTranslate2 form."""
    found = reasons_against(config)
    if found:
        raise ExportError("this model has no CTranslate2 form: " + "; and ".join(found))


def _whole(config: TransformerConfig) -> Iterator[str]:
    if config.norm == "batch":
        yield "model.norm = 'batch' is not known there; use 'layer' or 'rms'"
    if config.position is not None and config.position_join == "concatenate":
        yield "model.position_join = 'concatenate' is not known there; use 'add'"
    if config.cross.heads != config.decoder.heads:
        yield (
            f"model.cross.heads = {config.cross.heads} differs from model.decoder.heads = {config.decoder.heads}; "
            "use the same number"
        )


def _positions(config: TransformerConfig) -> Iterator[str]:
    """Positions stand at the embedding or within the attention there, never at both."""
    for name, look in (("encoder", config.encoder), ("decoder", config.decoder)):
        if look.position is not None and config.position is not None:
            yield (
                f"model.{name}.position = '{write_word(look.position)}' goes with no position at the embedding there; "
                "use model.position = 'none'"
            )


def _looks(config: TransformerConfig) -> Iterator[str]:
    for name, look in (("encoder", config.encoder), ("decoder", config.decoder), ("cross", config.cross)):
        yield from _look(name, look)
    if config.cross.position is not None:
        yield f"model.cross.position = '{write_word(config.cross.position)}' is not known there; use 'none'"


def _look(name: str, look: LookConfig) -> Iterator[str]:
    if not isinstance(look.score, ScaledDot):
        yield f"model.{name}.score = '{write_word(look.score)}' is not known there; use 'scaled_dot'"
    # A decoder's pattern is joined with `causal`.
    if look.pattern != Full() and not (name == "decoder" and look.pattern == Causal()):
        yield f"model.{name}.pattern = '{look.pattern}' is not known there; use 'full'"
