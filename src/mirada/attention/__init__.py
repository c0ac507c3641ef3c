"""The formula h_i = Σ_{j ∈ N(i)} α(x_i, x_j) · ψ_v(x_j), and its four vocabularies: Pattern, Score, Position, Heads."""

from mirada.attention.attend import Explanation, Kernel, Plan, attend, explain, plan
from mirada.attention.core import Attention, Maps, Memory
from mirada.attention.heads import Heads
from mirada.attention.neighbourhood import Edges, Facts, Neighbourhood, Padding
from mirada.attention.packing import Packing
from mirada.attention.pattern import Causal, Fixed, Full, Grid, Pattern, PatternError, Strided, Window, parse
from mirada.attention.position import Learned, Position, PositionalInput, Rotary, Shaw, Sinusoidal, sinusoidal
from mirada.attention.problem import Problem
from mirada.attention.record import Look, record
from mirada.attention.score import (
    Additive,
    Bilinear,
    Collaborative,
    Cosine,
    Dot,
    Free,
    ScaledDot,
    Score,
    Uniform,
)
from mirada.attention.static import Static

__all__ = [
    "Additive",
    "Attention",
    "Bilinear",
    "Causal",
    "Collaborative",
    "Cosine",
    "Dot",
    "Edges",
    "Explanation",
    "Facts",
    "Fixed",
    "Free",
    "Full",
    "Grid",
    "Heads",
    "Kernel",
    "Learned",
    "Look",
    "Maps",
    "Memory",
    "Neighbourhood",
    "Packing",
    "Padding",
    "Pattern",
    "PatternError",
    "Plan",
    "Position",
    "PositionalInput",
    "Problem",
    "Rotary",
    "ScaledDot",
    "Score",
    "Shaw",
    "Sinusoidal",
    "Static",
    "Strided",
    "Uniform",
    "Window",
    "attend",
    "explain",
    "parse",
    "plan",
    "record",
    "sinusoidal",
]
