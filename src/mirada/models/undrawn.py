"""Undrawn: a context in which a model is built without drawing its first numbers, because it is given its own at once.

A layer draws its numbers twice, by torch's habit and by ours: 0.04 s for 7 million, a second for 200 million.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch.overrides import TorchFunctionMode

DRAWING = frozenset({"uniform_", "normal_", "kaiming_uniform_"})  # methods of a tensor, and their names in nn.init


class Undrawn(TorchFunctionMode):
    """While it holds, a tensor that would be filled by chance stays as it was: what it holds has no meaning."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = dict(kwargs or {})
        if getattr(func, "__name__", "") in DRAWING:
            return args[0] if args else named["tensor"]
        return func(*args, **named)
