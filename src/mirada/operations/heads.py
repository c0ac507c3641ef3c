"""How the numbers of heads lie in memory, as the library is told.

Legend: B batch, H heads, N places, D head width.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from mirada.native.learning import Strides


def dense(x: Float[Tensor, "B H N D"]) -> Float[Tensor, "B H N D"]:
    """The same numbers without gaps, place by place or head by head: what is made like them lies as they do."""
    return x if x.transpose(1, 2).is_contiguous() else x.contiguous()


def strides(x: Float[Tensor, "B H N D"]) -> Strides:
    """Numbers from one sequence, one head, one place to the next."""
    return Strides(x.stride(0), x.stride(1), x.stride(2))
