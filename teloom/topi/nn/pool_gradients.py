"""Gradients of pools by their data, from those by their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, integers, one_of, shown, wrong
from teloom.topi.dtypes import lowest, of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import ravelled, with_extents
from teloom.topi.nn.pooling import axes_in, counted, divided, tap_of
from teloom.topi.tag import COMM_REDUCE_IDX
from teloom.topi.windows import Window, counts, windows


def pool_grad(
    grads: te.Tensor,
    data: te.Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    layout: str = "NCHW",
) -> te.Tensor:
    """The gradient of `pool2d` by `data`; `grads` is that by its result.

    An element has the sum over the windows that it is in: with "avg" a share of the gradient of
    each, with "max" the whole of each in which it is the greatest, the first of equal ones.

    >>> A, G = te.placeholder((1, 3, 9, 8), name="A"), te.placeholder((1, 3, 5, 4), name="G")
    >>> pool_grad(G, A, 3, 2, [1, 1, 1, 1], "max")
    Tensor(shape=[1, 3, 9, 8], dtype=float32, name=pool_grad)
    """
    name = "nn.pool_grad"
    axes = axes_in(name, of_kind(name, "data", a_tensor(name, "data", data), "float"), layout, "HW")
    sizes = integers(name, "kernel", kernel, 2, 1)
    moved = windows(name, sizes, stride, padding, 1)
    is_max = one_of(name, "pool_type", pool_type, ("max", "avg")) == "max"
    shape = with_extents(data.shape, axes, counts(name, data, axes, moved, ceil_mode))
    a_tensor(name, "grads", grads)
    if grads.dtype != data.dtype or not te.same_extents(grads.shape, shape):
        problem = f"is {shown(grads)}, but must be of shape {tuple(shape)} and dtype {data.dtype}"
        raise wrong(name, "grads", problem)
    chosen = _chosen(name, data, axes, moved, shape, ceil_mode) if is_max else None
    extents, zero = [data.shape[axis] for axis in axes], te.const(0, data.dtype)
    before = [
        te.reduce_axis((0, (one.size + one.stride - 1) // one.stride), f"k{k}")
        for k, one in enumerate(moved)
    ]

    def value(*at: Any) -> Any:
        places, numbers, taps, conditions = list(at), [], [], []
        for axis, one, back in zip(axes, moved, before, strict=True):
            position = at[axis] + one.before
            numbers.append(position // one.stride - back)
            taps.append(position - numbers[-1] * one.stride)
            conditions += [numbers[-1] >= 0, numbers[-1] < grads.shape[axis], taps[-1] < one.size]
            places[axis] = numbers[-1]
        here = grads(*places)
        if chosen is None:
            here = divided(here, counted(moved, numbers, extents, count_include_pad, ceil_mode))
        else:
            here = te.if_then_else(chosen(*places) == ravelled(taps, sizes), here, zero)
        # The window has to exist before it is asked which tap it chose.
        return te.sum(te.if_then_else(te.all(*conditions), here, zero), axis=before)

    return computed(name, data.shape, value, f"pool_grad_{pool_type}")


def _chosen(
    name: str,
    data: te.Tensor,
    axes: Sequence[int],
    moved: Sequence[Window],
    shape: Sequence[Any],
    ceil_mode: bool,
) -> te.Tensor:
    """The first tap of each window at which its greatest element stands, row-major.

    A window that has no element but NaN has a number that no tap has.
    """
    sizes = [one.size for one in moved]
    taps = [te.reduce_axis((0, size), f"t{k}") for k, size in enumerate(sizes)]

    def combine(x: Any, y: Any) -> Any:
        wins = (y[1] > x[1]) | (y[1] == x[1]) & (y[0] < x[0])
        return te.select(wins, y[0], x[0]), te.select(wins, y[1], x[1])

    def identity(position: str, value: str) -> Any:
        return te.max_value(position), lowest(value)

    greatest = te.comm_reducer(combine, identity, name="greatest")
    none = te.const(2**31 - 1, "int32"), lowest(data.dtype)

    def value(*at: Any) -> Any:
        here, inside = tap_of(data, at, axes, moved, taps, ceil_mode)
        pair = te.multiply(ravelled(taps, sizes), 1).astype("int32"), here
        if inside is not None:
            pair = tuple(te.if_then_else(inside, x, y) for x, y in zip(pair, none, strict=True))
        return greatest(pair, axis=taps)

    results: Any = computed(f"{name}_greatest", shape, value, COMM_REDUCE_IDX)
    return results[0]
