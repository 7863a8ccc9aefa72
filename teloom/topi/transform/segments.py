"""Folds over parts of an axis, the segments, which numbers that are data tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, check_defined, shown, wrong
from teloom.topi.dtypes import highest, lowest, of_kind, precise
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, same
from teloom.topi.tag import BROADCAST
from teloom.topi.transform.fills import full
from teloom.topi.transform.positions import positions


def _folded(
    name: str,
    data: te.Tensor,
    segment_ids: te.Tensor,
    num_segments: Any,
    identity: Callable[[str], Any],
    combine: Callable[[Any, Any], Any],
) -> te.Tensor:
    if not a_tensor(name, "data", data).ndim:
        raise wrong(name, "data", f"is {shown(data)}, which has no axes")
    check_defined(name, data, combine)
    positions(name, "segment_ids", a_tensor(name, "segment_ids", segment_ids, 1))
    if not same(segment_ids.shape[0], data.shape[0]):
        raise wrong(name, "segment_ids", f"is {shown(segment_ids)}, but data is {shown(data)}")
    (count,) = as_extents(name, "num_segments", [num_segments])
    start = full([count, *data.shape[1:]], data.dtype, identity(data.dtype))
    points = [te.reduce_axis((0, extent), f"k{k}") for k, extent in enumerate(data.shape)]

    def point(state: te.Tensor, *at: Any) -> Any:
        segment = segment_ids(at[0])
        wide = segment.astype("int64" if "64" in segment.dtype else "int32")
        inside = (wide >= 0) & (wide < count)
        target = (te.bounded(te.select(inside, wide, 0), 0, count), *at[1:])
        return target, te.select(inside, combine(state(*target), data(*at)), state(*target))

    if same(count, 0):
        return start
    return te.update(start, points, point, name=name)


def segment_sum(data: te.Tensor, segment_ids: te.Tensor, num_segments: Any) -> te.Tensor:
    """The sums of the elements along axis 0 of each segment; of an empty one, 0.

    `segment_ids` has the number of the segment of each position on axis 0, in any order; those
    outside of 0 to, not including, `num_segments` are in none. As JAX's segment_sum.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((8,), "int32", name="at")
    >>> segment_sum(A, at, 3)
    Tensor(shape=[3, 4], dtype=float32, name=segment_sum)
    """
    zero: Callable[[str], Any] = lambda dtype: te.const(0, dtype)  # noqa: E731
    return _folded("segment_sum", data, segment_ids, num_segments, zero, te.add)


def segment_prod(data: te.Tensor, segment_ids: te.Tensor, num_segments: Any) -> te.Tensor:
    """The products of the elements of each segment; of an empty one, 1. See `segment_sum`.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((8,), "int32", name="at")
    >>> segment_prod(A, at, 3)
    Tensor(shape=[3, 4], dtype=float32, name=segment_prod)
    """
    one: Callable[[str], Any] = lambda dtype: te.const(1, dtype)  # noqa: E731
    return _folded("segment_prod", data, segment_ids, num_segments, one, te.multiply)


def segment_max(data: te.Tensor, segment_ids: te.Tensor, num_segments: Any) -> te.Tensor:
    """The greatest elements of each segment; of an empty one, the least number that there is.

    That is minus infinity for floats. NaN if one is NaN. See `segment_sum`.

    >>> A, at = te.placeholder((8, 4), "int8", name="A"), te.placeholder((8,), "int32", name="at")
    >>> segment_max(A, at, 3)
    Tensor(shape=[3, 4], dtype=int8, name=segment_max)
    """
    return _folded("segment_max", data, segment_ids, num_segments, lowest, te.maximum)


def segment_min(data: te.Tensor, segment_ids: te.Tensor, num_segments: Any) -> te.Tensor:
    """The least elements of each segment; of an empty one, the greatest number that there is.

    That is infinity for floats. NaN if one is NaN. See `segment_sum`.

    >>> A, at = te.placeholder((8, 4), "int8", name="A"), te.placeholder((8,), "int32", name="at")
    >>> segment_min(A, at, 3)
    Tensor(shape=[3, 4], dtype=int8, name=segment_min)
    """
    return _folded("segment_min", data, segment_ids, num_segments, highest, te.minimum)


def segment_mean(data: te.Tensor, segment_ids: te.Tensor, num_segments: Any) -> te.Tensor:
    """The means of the elements of each segment, of floats; of an empty one, 0.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((8,), "int32", name="at")
    >>> segment_mean(A, at, te.var("n"))
    Tensor(shape=[n, 4], dtype=float32, name=segment_mean)
    """
    name = "segment_mean"
    of_kind(name, "data", a_tensor(name, "data", data), "float")
    dtype = precise(data.dtype)
    wide = data if dtype == data.dtype else applied("wide", lambda v: v.astype(dtype), data)
    total = segment_sum(wide, segment_ids, num_segments)
    ones = applied("ones", lambda k: te.const(1, "int32"), segment_ids)
    counts = segment_sum(ones, segment_ids, num_segments)

    def value(*at: Any) -> Any:
        return (total(*at) / te.max(counts(at[0]), 1).astype(dtype)).astype(data.dtype)

    return computed(name, total.shape, value, BROADCAST)
