"""Recurrent layers: RNN, GRU and LSTM over whole sequences, or one place at a time.

Legend: B batch, N places, I width of what enters, L width of what enters late, W width of the states, G = gates · W.

Whole sequences go through torch's own kernels. A step shares their weights: the part of what is known beforehand is
mapped for all places at once (`project`), and only what depends on the step before enters late.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Padding
from mirada.layers.noise import Noise
from mirada.layers.norm import Norm

CellKind = Literal["rnn", "gru", "lstm"]
Directions = Literal["forward", "both"]
RecurrentNorm = Literal["none", "layer", "rms"]
GATES: dict[CellKind, int] = {"rnn": 1, "gru": 3, "lstm": 4}

CellState = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM, each B × W


class Recurrence(nn.Module):
    """h_t = f(x_t, h_{t−1}), from the first place to the last.

    rnn:  h = tanh(W x + U h′ + b) (Elman 1990).
    gru:  h = (1 − z) n + z h′ with n = tanh(W x + r (U h′)) and gates r, z (Cho et al. 2014, as torch has it).
    lstm: h = o tanh(c), c = f c′ + i g, with gates i, f, o (Hochreiter and Schmidhuber 1997; Gers et al. 2000).

    What enters has `entered` coordinates and, after them, `late` more that are known only at their step.
    """

    def __init__(self, cell: CellKind, entered: int, width: int, late: int = 0) -> None:
        super().__init__()
        self.cell, self.entered, self.width = cell, entered, width
        self.parts = 2 if cell == "lstm" else 1
        gates = GATES[cell] * width
        self.weight = nn.Parameter(torch.empty(gates, entered + late))
        self.recurrent = nn.Parameter(torch.empty(gates, width))
        self.bias = nn.Parameter(torch.zeros(gates))
        self.recurrent_bias = nn.Parameter(torch.zeros(gates))
        self._begin()

    @torch.no_grad()
    def _begin(self) -> None:
        """Orthogonal recurrence, so that a state neither grows nor fades; an LSTM that at first forgets little."""
        for rows in range(0, len(self.recurrent), self.width):  # each gate by itself
            nn.init.xavier_uniform_(self.weight[rows : rows + self.width])
            if not self.recurrent.is_meta:
                nn.init.orthogonal_(self.recurrent[rows : rows + self.width])
        if self.cell == "lstm":  # a forget bias of 1 (Jozefowicz et al. 2015)
            nn.init.ones_(self.bias[self.width : 2 * self.width])

    def forward(self, x: Float[Tensor, "B N I"], start: CellState | None = None) -> Float[Tensor, "B N W"]:
        """h at every place; from zeros where no start is given."""
        if start is None:
            start = (x.new_zeros(len(x), self.width),) * self.parts
        first = [part[None].contiguous() for part in start]
        weights = (self.weight, self.recurrent, self.bias, self.recurrent_bias)
        # Biases, layers, dropout, training (without dropout: whether a gradient may follow), two ways, batch first.
        rest = (True, 1, 0.0, torch.is_grad_enabled(), False, True)
        if self.cell == "lstm":
            return torch.lstm(x, first, weights, *rest)[0]
        kernel = torch.gru if self.cell == "gru" else torch.rnn_tanh
        return kernel(x, first[0], weights, *rest)[0]

    def project(self, x: Float[Tensor, "B N I"]) -> Float[Tensor, "N B G"]:
        """The part of the gates that is known before any step, place by place."""
        # A GRU's reset gate multiplies the recurrent bias, so there it stays with the step.
        bias = self.bias if self.cell == "gru" else self.bias + self.recurrent_bias
        return functional.linear(x.transpose(0, 1), self.weight[:, : self.entered], bias)

    def step(
        self, projected: Float[Tensor, "B G"], state: CellState, late: Float[Tensor, "B L"] | None = None
    ) -> CellState:
        """The state after one more place, from its projected part and what enters late."""
        if self.cell == "gru":
            return (self._gru(projected, state[0], late),)
        gates = torch.addmm(projected, state[0], self.recurrent.T)
        if late is not None:
            gates = torch.addmm(gates, late, self.weight[:, self.entered :].T)
        if self.cell == "rnn":
            return (gates.tanh(),)
        enter, keep, new, show = gates.chunk(4, -1)
        memory = keep.sigmoid() * state[1] + enter.sigmoid() * new.tanh()
        return show.sigmoid() * memory.tanh(), memory

    def _gru(
        self, projected: Float[Tensor, "B G"], state: Float[Tensor, "B W"], late: Float[Tensor, "B L"] | None
    ) -> Float[Tensor, "B W"]:
        if late is not None:
            projected = torch.addmm(projected, late, self.weight[:, self.entered :].T)
        recurrent = functional.linear(state, self.recurrent, self.recurrent_bias)
        width = self.width
        reset, keep = (projected[:, : 2 * width] + recurrent[:, : 2 * width]).sigmoid().chunk(2, -1)
        new = torch.tanh(projected[:, 2 * width :] + reset * recurrent[:, 2 * width :])
        return torch.lerp(new, state, keep)


class BothWays(nn.Module):
    """Two recurrences side by side, one from each end: each place knows what is before and what is after it.

    The backward one reads every row from its last real place, so that it never sees padding. (Rows turned by a gather
    and read forward take three quarters of the time of torch's packed sequences on a CPU.)
    """

    def __init__(self, cell: CellKind, entered: int, width: int) -> None:
        super().__init__()
        if width % 2:
            raise ValueError(f"width = {width} cannot be shared by two directions; use an even one")
        self.width = width
        self.forth = Recurrence(cell, entered, width // 2)
        self.back = Recurrence(cell, entered, width // 2)

    def forward(self, x: Float[Tensor, "B N I"], turned: Int[Tensor, "B N"]) -> Float[Tensor, "B N W"]:
        """The states of both; `turned` is the place that stands at each place of the rows read backwards."""
        return torch.cat([self.forth(x), turn(self.back(turn(x, turned)), turned)], -1)


def turn(x: Float[Tensor, "B N W"], turned: Int[Tensor, "B N"]) -> Float[Tensor, "B N W"]:
    """Rows read backwards; twice is as it was."""
    return x.gather(1, turned[..., None].expand_as(x))


class RecurrentEncoder(nn.Module):
    """A stack of recurrences over a source: y = f(norm(x)), or x + f(norm(x)) from the second layer on (residual).

    No norm follows the last layer: its states stay between −1 and 1 for each layer, and scores that grow with the
    length of a state (dot, bilinear) do not begin saturated.
    """

    def __init__(
        self,
        cell: CellKind,
        entered: int,
        width: int,
        layers: int = 1,
        directions: Directions = "both",
        *,
        residual: bool = True,
        norm: RecurrentNorm = "none",
    ) -> None:
        super().__init__()
        self.width, self.residual, self.directions = width, residual, directions
        kind = BothWays if directions == "both" else Recurrence
        widths = [entered] + [width] * (layers - 1)
        self.layers = nn.ModuleList(kind(cell, one, width) for one in widths)
        self.norms = norms_for(widths, norm)

    def forward(
        self, x: Float[Tensor, "B N I"], padding: Padding | None, noise: Noise | None = None
    ) -> tuple[Float[Tensor, "B N W"], Float[Tensor, "B W"]]:
        """The state of every place, and the last one: of each direction where it has read the whole row."""
        lengths = lengths_of(x, padding)
        places = torch.arange(x.shape[1], device=x.device)[None]
        # Padding stays where it is, after all real places in both orders.
        turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
        for number, layer in enumerate(self.layers):
            inside = hold(noise, normed(self.norms, number, x))
            states = layer(inside, turned) if isinstance(layer, BothWays) else layer(inside)
            x = x + states if self.residual and number else states
        last = x[torch.arange(len(x), device=x.device), lengths - 1]
        if self.directions == "both":
            last = torch.cat([last[:, : self.width // 2], x[:, 0, self.width // 2 :]], -1)
        return x, last


class RecurrentStack(nn.Module):
    """A stack of recurrences that can be taken one place at a time; residual and norm as in `RecurrentEncoder`."""

    def __init__(
        self,
        cell: CellKind,
        entered: int,
        width: int,
        layers: int = 1,
        *,
        late: int = 0,
        residual: bool = True,
        norm: RecurrentNorm = "none",
    ) -> None:
        super().__init__()
        self.width, self.residual = width, residual
        widths = [entered] + [width] * (layers - 1)
        self.layers = nn.ModuleList(
            Recurrence(cell, one, width, 0 if number else late) for number, one in enumerate(widths)
        )
        self.norms = norms_for(widths, norm)

    @property
    def cells(self) -> list[Recurrence]:
        """The layers, as what they are (a module list forgets it)."""
        return [layer for layer in self.layers if isinstance(layer, Recurrence)]

    def forward(
        self,
        x: Float[Tensor, "B N I"],
        start: Sequence[CellState],
        late: Float[Tensor, "B N L"] | None = None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        """The states of all places, where nothing that enters waits for a step."""
        for number, layer in enumerate(self.cells):
            inside = hold(noise, normed(self.norms, number, x))
            inside = inside if late is None or number else torch.cat([inside, late], -1)
            states = layer(inside, start[number])
            x = x + states if self.residual and number else states
        return x

    def project(self, x: Float[Tensor, "B N I"], noise: Noise | None = None) -> Float[Tensor, "N B G"]:
        """The first layer's part that is known before any step."""
        return self.cells[0].project(hold(noise, normed(self.norms, 0, x)))

    def masks(self, noise: Noise | None, like: Float[Tensor, "B N I"]) -> list[Float[Tensor, "B 1 W"] | None]:
        """The dropout of the later layers, drawn once for all steps."""
        rows = like.new_empty(len(like), 1, self.width)
        return [None if noise is None else noise.mask(rows) for _ in self.cells[1:]]

    def step(
        self,
        projected: Float[Tensor, "B G"],
        states: Sequence[CellState],
        late: Float[Tensor, "B L"] | None = None,
        masks: Sequence[Float[Tensor, "B 1 W"] | None] = (),
    ) -> tuple[Float[Tensor, "B W"], list[CellState]]:
        """What leaves the stack at one more place, and the states of its layers."""
        first = self.cells[0].step(projected, states[0], late)
        x, after = first[0], [first]
        for number, layer in enumerate(self.cells[1:], 1):
            inside = normed(self.norms, number, x[:, None])
            mask = masks[number - 1] if masks else None
            inside = inside if mask is None else inside * mask
            after.append(layer.step(layer.project(inside)[0], states[number]))
            x = x + after[-1][0] if self.residual else after[-1][0]
        return x, after


def norms_for(widths: Sequence[int], kind: RecurrentNorm) -> nn.ModuleList | None:
    """A norm before each layer, or none at all."""
    return None if kind == "none" else nn.ModuleList(Norm(width, kind) for width in widths)


def normed(norms: nn.ModuleList | None, number: int, x: Float[Tensor, "B N W"]) -> Float[Tensor, "B N W"]:
    """What enters a layer, after its norm if there is one."""
    return x if norms is None else norms[number](x)


def hold(noise: Noise | None, x: Float[Tensor, "B N W"]) -> Float[Tensor, "B N W"]:
    """x through variational dropout: a row drops the same coordinates at all its places (Gal and Ghahramani 2016, 4).

    The recurrent connections themselves are left alone, which torch's kernels of whole sequences ask for.
    """
    mask = None if noise is None else noise.mask(x[:, :1])
    return x if mask is None else x * mask


def lengths_of(x: Float[Tensor, "B N W"], padding: Padding | None) -> Int[Tensor, "B"]:
    """How many places of each row are real."""
    if padding is None:
        return torch.full((len(x),), x.shape[1], device=x.device)
    if not padding.at_the_end or padding.shortest < 1:
        raise ValueError("a recurrent layer reads rows of one real place or more, padded at the end only")
    return padding.real.sum(1)
