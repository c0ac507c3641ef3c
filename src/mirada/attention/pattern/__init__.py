"""Patterns: N(i), who may be looked at; each has a name, and they are combined by & and |."""

from mirada.attention.pattern.base import Band, Pattern, PatternError, Tiles, cells, tiles
from mirada.attention.pattern.combined import Both, Either, Without
from mirada.attention.pattern.kinds import Causal, Fixed, Full, Grid, Strided, Window
from mirada.attention.pattern.text import FORMS, WORDS, parse

__all__ = [
    "FORMS",
    "WORDS",
    "Band",
    "Both",
    "Causal",
    "Either",
    "Fixed",
    "Full",
    "Grid",
    "Pattern",
    "PatternError",
    "Strided",
    "Tiles",
    "Window",
    "Without",
    "cells",
    "parse",
    "tiles",
]
