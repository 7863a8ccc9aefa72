"""The elements around a coordinate, and how much each of them weighs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.dtypes import is_float
from teloom.topi.image.coordinates import SourcePosition

Tap = tuple[Any, Any]
"""A position and its weight; None is that of the one element that is taken as it is."""


def linear(x: SourcePosition, dtype: str) -> list[Tap]:
    """The two positions around a coordinate."""
    first, part = x.floor(), x.above(dtype)
    return [(first, te.const(1, dtype) - part), (first + 1, part)]


def cubic(x: SourcePosition, alpha: float, dtype: str) -> list[Tap]:
    """The four positions around a coordinate.

    Source: R. Keys, "Cubic convolution interpolation for digital image processing", 1981, whose a
    is `alpha`.
    """
    first, t = x.floor(), x.above(dtype)
    weights = [
        ((t - 2) * t + 1) * t * alpha,
        ((alpha + 2) * t - (alpha + 3)) * t * t + 1,
        (((2 * alpha + 3) - (alpha + 2) * t) * t - alpha) * t,
        (te.const(1, dtype) - t) * t * t * alpha,
    ]
    return [(first + (k - 1), weight) for k, weight in enumerate(weights)]


def only_inside(taps: Sequence[Tap], extent: Any) -> list[Tap]:
    """Those of positions on the axis, whose weights are 1 together; the others weigh 0."""
    kept = [
        te.select((place >= 0) & (place < extent), weight, te.const(0, weight.dtype))
        for place, weight in taps
    ]
    total = kept[0]
    for weight in kept[1:]:
        total = total + weight
    return [(place, weight / total) for (place, _), weight in zip(taps, kept, strict=True)]


def clamped(place: Any, extent: Any) -> Any:
    """The position on an axis that is nearest to one that may be outside."""
    return te.bounded(te.max(te.min(place, extent - 1), 0), 0, extent)


def interpolated(
    read: Callable[[list[Any]], Any], taps: Sequence[Sequence[Tap]], dtype: str
) -> Any:
    """The weighted sum of the elements at all combinations of the taps of several axes."""

    def along(axis: int, places: list[Any]) -> Any:
        if axis == len(taps):
            return read(places)
        total = None
        for place, weight in taps[axis]:
            inner = along(axis + 1, [*places, place])
            term = inner if weight is None else inner.astype(dtype) * weight
            total = term if total is None else total + term
        return total

    return along(0, [])


def weights_dtype(*dtypes: str) -> str:
    """The float in which elements of one dtype are weighted, to become some of another."""
    wide = {"float64", "int32", "int64", "uint32", "uint64"}
    return "float64" if wide & {*dtypes} else "float32"


def rounded_to(value: Any, dtype: str) -> Any:
    """A weighted sum as an element: of small integers, one that is beyond them is the last."""
    if not is_float(value.dtype) or dtype not in ("int8", "uint8", "int16", "uint16"):
        return value.astype(dtype)
    low, high = (end.astype(value.dtype) for end in (te.min_value(dtype), te.max_value(dtype)))
    return te.max(te.min(value, high), low).astype(dtype)
