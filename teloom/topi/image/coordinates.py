"""Where an element of a resized axis comes from: a coordinate between the positions of the axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from teloom import te
from teloom.topi.extents import is_one


class SourcePosition(Protocol):
    """A number from which the position below, above and next to it are asked for."""

    def moved(self, halves: int) -> SourcePosition:
        """The coordinate so many halves further on."""
        ...

    def floor(self) -> Any:
        """The greatest integer that is at most it."""
        ...

    def ceil(self) -> Any:
        """The least integer that is at least it."""
        ...

    def above(self, dtype: str) -> Any:
        """How much it is above its floor, as a float of a dtype."""
        ...


class ExactPosition(NamedTuple):
    """A coordinate that is a quotient of integers, so that nothing is rounded."""

    numerator: Any
    denominator: Any

    def moved(self, halves: int) -> ExactPosition:
        return ExactPosition(self.numerator * 2 + self.denominator * halves, self.denominator * 2)

    def floor(self) -> Any:
        return self.numerator // self.denominator

    def ceil(self) -> Any:
        return -(-self.numerator // self.denominator)

    def above(self, dtype: str) -> Any:
        rest = self.numerator % self.denominator
        return te.multiply(rest, 1).astype(dtype) / te.multiply(self.denominator, 1).astype(dtype)


class RoundedPosition(NamedTuple):
    """A coordinate that is computed in floats."""

    value: Any

    def moved(self, halves: int) -> RoundedPosition:
        return RoundedPosition(self.value + halves / 2)

    def floor(self) -> Any:
        return te.floor(self.value).astype("int32")

    def ceil(self) -> Any:
        return te.ceil(self.value).astype("int32")

    def above(self, dtype: str) -> Any:
        return (self.value - te.floor(self.value)).astype(dtype)


def near(value: Any, extent: Any) -> Any:
    """A float, at most two positions outside of an axis, so that it is one of int32; also NaN."""
    last = te.multiply(extent, 1).astype(value.dtype) + 1
    return te.min(last, te.max(te.const(-2, value.dtype), value))


QUOTIENTS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "half_pixel": lambda i, extent, size: ((i * 2 + 1) * extent - size, size * 2),
    "pytorch_half_pixel": lambda i, extent, size: (
        _unless_one(size, (i * 2 + 1) * extent - size),
        size * 2,
    ),
    "tf_half_pixel_for_nn": lambda i, extent, size: ((i * 2 + 1) * extent, size * 2),
    "asymmetric": lambda i, extent, size: (i * extent, size),
    "align_corners": lambda i, extent, size: (i * (extent - 1), _at_least_one(size - 1)),
}
"""The coordinate of an element as a numerator and a denominator, by the name of the mode.

They follow from its number, and from how many elements there are before and after resizing.
"""

CROP = "tf_crop_and_resize"

MODES = (*QUOTIENTS, CROP)


def _unless_one(size: Any, value: Any) -> Any:
    if isinstance(size, int):
        return 0 if is_one(size) else value
    return te.select(size > 1, value, 0)


def _at_least_one(count: Any) -> Any:
    return max(count, 1) if isinstance(count, int) else te.max(count, 1)


def cropped(i: Any, extent: Any, size: Any, begin: Any, end: Any, dtype: str) -> Any:
    """The coordinate of element `i` of `size` in a part of an axis of `extent` elements.

    `begin` and `end` of the part are 0 at the first element of the axis and 1 at the last one. Of
    one element, it is in the middle. The last of several is at the end without a sum, which would
    be rounded, and perhaps outside of the axis.
    """
    last = te.multiply(extent - 1, 1).astype(dtype)
    steps = te.multiply(_at_least_one(size - 1), 1).astype(dtype)
    between = begin * last + te.multiply(i, 1).astype(dtype) * ((end - begin) * last / steps)
    place = te.select(te.multiply(i, 1) == size - 1, end * last, between)
    middle = (begin + end) * last * te.const(0.5, dtype)
    if isinstance(size, int):
        return middle if is_one(size) else place
    return te.select(size > 1, place, middle)


ROUNDINGS: dict[str, Callable[[SourcePosition], Any]] = {
    "round": lambda x: x.moved(1).floor(),
    "round_prefer_ceil": lambda x: x.moved(1).floor(),
    "round_prefer_floor": lambda x: x.moved(-1).ceil(),
    "floor": lambda x: x.floor(),
    "ceil": lambda x: x.ceil(),
}
"""The position next to a coordinate: of the nearest ones, or on one side of it."""
