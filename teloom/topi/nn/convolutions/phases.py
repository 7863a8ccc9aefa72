"""Transposed convolutions by phases: results that are a stride apart have the same taps.

With p + padding = stride * q + r, position p of the result is the sum of taps r, r + stride, ...
times the elements q, q - 1, ... of the data. So the results of a phase r are a convolution of
the data with a stride of 1, of every stride-th tap, and no zeros between elements are multiplied.
Source: Shi et al., Is the deconvolution layer the same as a convolutional layer?, 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.elementwise import computed
from teloom.topi.nn.padding import pad
from teloom.topi.windows import Window

Weight = Callable[[Any, Any, Any, Sequence[Any]], Any]
"""The weight of a group, for an output and an input of it, and a tap."""


class Channels(NamedTuple):
    """The groups, and how many channels of the data and of the result are in each."""

    groups: int
    inputs: Any
    outputs: Any


class Phases(NamedTuple):
    """Phases along an axis that have as many taps: `count` of them, from `first` on."""

    first: int
    count: int
    taps: int


class Side(NamedTuple):
    """An axis of the data, and how many elements of the result lie `more` than those of windows."""

    window: Window
    extent: Any
    more: int

    @property
    def length(self) -> Any:
        """The extent of the result."""
        size, stride, _, before, after = self.window
        return (self.extent - 1) * stride + size - before - after + self.more

    @property
    def _behind(self) -> int:
        """How many positions more than elements of the data a phase has."""
        size, stride, _, before, after = self.window
        return -((stride + before + after - size - self.more) // stride)

    @property
    def numbers(self) -> Any:
        """The positions of a phase: those of the last one may end behind the result."""
        return self.extent + self._behind

    @property
    def padding(self) -> tuple[int, int]:
        """How many elements before and behind those of the data are read."""
        size, stride, _, before, _ = self.window
        ahead = -(-size // stride) - 1 - before // stride
        return max(0, ahead), max(0, self._behind + (before - 1) // stride + 1)

    @property
    def phases(self) -> list[Phases]:
        """The phases, but for those that have no taps.

        >>> Side(Window(5, 2, 1, 0, 0), 8, 0).phases
        [Phases(first=0, count=1, taps=3), Phases(first=1, count=1, taps=2)]
        """
        fewer, longer = divmod(self.window.size, self.window.stride)
        both = Phases(0, longer, fewer + 1), Phases(longer, self.window.stride - longer, fewer)
        return [one for one in both if one.count and one.taps]

    def place(self, phase: Any, number: Any, tap: Any) -> Any:
        """The element of the padded data that a tap of a phase is for."""
        _, stride, _, before, _ = self.window
        return number + (before + (stride - 1) - phase) // stride + self.padding[0] - tap


Kind = tuple[Phases, ...]
"""Phases along each axis."""


def summed_by_phases(
    name: str,
    data: te.Tensor,
    sides: Sequence[Side],
    channels: Channels,
    weight: Weight,
    dtype: Any,
) -> te.Tensor:
    """The transposed convolution of data NC and spatial axes, of windows of constant sizes."""
    before, after = zip((0, 0), (0, 0), *(side.padding for side in sides), strict=True)
    called = name.rpartition(".")[2]
    is_padded = any(before + after)
    source = pad(data, before, after, name=f"{called}_padded") if is_padded else data
    kinds = [*product(*(side.phases for side in sides))]
    made = {kind: _convolved(name, source, sides, kind, channels, weight, dtype) for kind in kinds}

    def value(n: Any, c: Any, *at: Any) -> Any:
        moved = [side.window for side in sides]
        numbers = [a // one.stride for a, one in zip(at, moved, strict=True)]
        phases = [(a + one.before) % one.stride for a, one in zip(at, moved, strict=True)]

        def element(kind: Kind) -> Any:
            inner = [phase - one.first for phase, one in zip(phases, kind, strict=True)]
            group, o = c // channels.outputs, c % channels.outputs
            return made[kind](n, group, *inner, o, *numbers)

        return _chosen(sides, phases, element, te.const(0, dtype))

    shape = [data.shape[0], channels.groups * channels.outputs, *(side.length for side in sides)]
    return computed(name, shape, value, called)


def _chosen(
    sides: Sequence[Side],
    phases: Sequence[Any],
    element: Callable[[Kind], Any],
    zero: Any,
    kind: Kind = (),
) -> Any:
    """The element of the phases that a position is in, zero where these have no taps."""
    if len(kind) == len(sides):
        return element(kind)
    side, phase = sides[len(kind)], phases[len(kind)]
    found = zero
    for one in reversed(side.phases):
        here = _chosen(sides, phases, element, zero, (*kind, one))
        end = one.first + one.count
        found = here if end == side.window.stride else te.if_then_else(phase < end, here, found)
    return found


def _convolved(
    name: str,
    source: te.Tensor,
    sides: Sequence[Side],
    kind: Kind,
    channels: Channels,
    weight: Weight,
    dtype: Any,
) -> te.Tensor:
    """The results of some phases: by image, group, phases, channel of the group, and numbers."""
    i = te.reduce_axis((0, channels.inputs), "i")
    taps = [te.reduce_axis((0, one.taps), f"k{k}") for k, one in enumerate(kind)]
    counts = [one.count for one in kind]
    numbers = [side.numbers for side in sides]

    def value(n: Any, g: Any, *at: Any) -> Any:
        inner, o, at = at[: len(kind)], at[len(kind)], at[len(kind) + 1 :]
        phases = [one.first + phase for one, phase in zip(kind, inner, strict=True)]
        each = [*zip(sides, phases, taps, strict=True)]
        places = [side.place(r, q, k) for (side, r, k), q in zip(each, at, strict=True)]
        factor = weight(g, o, i, [r + side.window.stride * k for side, r, k in each])
        here = source(n, g * channels.inputs + i, *places)
        return te.sum(here.astype(dtype) * factor.astype(dtype), axis=[i, *taps])

    first = "_".join(str(one.first) for one in kind)
    shape = [source.shape[0], channels.groups, *counts, channels.outputs, *numbers]
    return computed(f"{name}_phases_{first}", shape, value)
