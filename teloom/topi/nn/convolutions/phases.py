"""Transposed convolutions by phases: results that are a stride apart have the same taps.

With p + padding = stride * q + r, position p of the result is the sum of taps r, r + stride, ...
times the elements q, q - 1, ... of the data. So the results of a phase r are a convolution of
the data with a stride of 1, of every stride-th tap, and no zeros between elements are multiplied.
Source: Shi et al., Is the deconvolution layer the same as a convolutional layer?, 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


class PhaseAxis(NamedTuple):
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

    def taps(self, phase: Any) -> Any:
        """How many taps a phase has.

        >>> side = PhaseAxis(Window(5, 2, 1, 0, 0), 8, 0)
        >>> side.taps(0), side.taps(1)
        (3, 2)
        """
        size, stride = self.window.size, self.window.stride
        return size // stride if size % stride == 0 else (size + (stride - 1) - phase) // stride

    def tap(self, phase: Any, number: Any) -> Any:
        """The tap of the window that is one of a phase."""
        return phase + self.window.stride * number

    def place(self, phase: Any, number: Any, tap: Any) -> Any:
        """The element of the padded data that a tap of a phase is for."""
        _, stride, _, before, _ = self.window
        return number + (before + (stride - 1) - phase) // stride + self.padding[0] - tap


def summed_by_phases(
    name: str,
    data: te.Tensor,
    sides: Sequence[PhaseAxis],
    channels: Channels,
    weight: Weight,
    dtype: Any,
) -> te.Tensor:
    """The transposed convolution of data NC and spatial axes, of windows of constant sizes."""
    before, after = zip((0, 0), (0, 0), *(side.padding for side in sides), strict=True)
    called = name.rpartition(".")[2]
    is_padded = any(before + after)
    source = pad(data, before, after, name=f"{called}_padded") if is_padded else data
    made = _convolved(name, source, sides, channels, weight, dtype)

    def value(n: Any, c: Any, *at: Any) -> Any:
        moved = [side.window for side in sides]
        numbers = [a // one.stride for a, one in zip(at, moved, strict=True)]
        phases = [(a + one.before) % one.stride for a, one in zip(at, moved, strict=True)]
        group, o = c // channels.outputs, c % channels.outputs
        return made(n, group, *phases, o, *numbers)

    shape = [data.shape[0], channels.groups * channels.outputs, *(side.length for side in sides)]
    return computed(name, shape, value, called)


def _convolved(
    name: str,
    source: te.Tensor,
    sides: Sequence[PhaseAxis],
    channels: Channels,
    weight: Weight,
    dtype: Any,
) -> te.Tensor:
    """The results by image, group, phases, channel of the group, and numbers."""
    count = len(sides)
    weights = _by_phases(name, sides, channels, weight)

    def value(n: Any, g: Any, *at: Any) -> Any:
        phases, o, numbers = at[:count], at[count], at[count + 1 :]
        i = te.reduce_axis((0, channels.inputs), "i")
        each = [*zip(sides, phases, strict=True)]
        taps = [te.reduce_axis((0, one.taps(r)), f"k{k}") for k, (one, r) in enumerate(each)]
        places = [one.place(r, q, k) for (one, r), q, k in zip(each, numbers, taps, strict=True)]
        here = source(n, g * channels.inputs + i, *places)
        factor = weights(g, *phases, *taps, i, o)
        return te.sum(here.astype(dtype) * factor.astype(dtype), axis=[i, *taps])

    strides = [side.window.stride for side in sides]
    numbers = [side.numbers for side in sides]
    shape = [source.shape[0], channels.groups, *strides, channels.outputs, *numbers]
    return computed(f"{name}_phases", shape, value)


def _by_phases(
    name: str, sides: Sequence[PhaseAxis], channels: Channels, weight: Weight
) -> te.Tensor:
    """The weights by group, phases, their taps, inputs and outputs: those of lanes are contiguous.

    Phases that have a tap less than others have a zero behind their last one, which nobody reads.
    """
    count = len(sides)

    def value(g: Any, *at: Any) -> Any:
        phases, numbers, (i, o) = at[:count], at[count : 2 * count], at[2 * count :]
        each = [*zip(sides, phases, numbers, strict=True)]
        taps = [side.tap(r, k) for side, r, k in each]
        inside = [k < side.taps(r) for side, r, k in each if side.window.size % side.window.stride]
        here = weight(g, o, i, taps)
        return te.if_then_else(te.all(*inside), here, te.const(0, here.dtype)) if inside else here

    strides = [side.window.stride for side in sides]
    taps = [side.taps(0) for side in sides]
    shape = [channels.groups, *strides, *taps, channels.inputs, channels.outputs]
    return computed(f"{name}_weights", shape, value)
