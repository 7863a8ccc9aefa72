"""How alike the neighbourhoods of places in two tensors are."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, shown, wrong
from teloom.topi.elementwise import applied, computed
from teloom.topi.nn.convolutions.direct import padded
from teloom.topi.windows import windows


def correlation_nchw(
    data1: te.Tensor,
    data2: te.Tensor,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    padding: Any,
    is_multiply: bool,
) -> te.Tensor:
    """The mean products of squares around a place of `data1` with those around places of `data2`.

    The places of `data1` are `stride1` apart, the squares have sides of `kernel_size`, an odd
    number. Axis 1 of the result has the distances of the other place, row-major: along H and W
    each multiple of `stride2` up to `max_displacement`. Without `is_multiply`, the differences are
    taken, without their sign. Source: Dosovitskiy et al., FlowNet, 2015.

    >>> A, B = (te.placeholder((1, 4, 9, 9), name=name) for name in "AB")
    >>> correlation_nchw(A, B, 1, 2, 1, 1, 2, True)
    Tensor(shape=[1, 25, 9, 9], dtype=float32, name=correlation_nchw)
    """
    name = "nn.correlation_nchw"
    a_tensor(name, "data1", data1, 4)
    a_tensor(name, "data2", data2, 4)
    if data1.dtype != data2.dtype or not te.same_extents(data1.shape, data2.shape):
        raise wrong(name, "data2", f"is {shown(data2)}, but data1 is {shown(data1)}")
    size = an_integer(name, "kernel_size", kernel_size, 1)
    if size % 2 == 0:
        raise wrong(name, "kernel_size", f"is {size}, but must be odd")
    reach = an_integer(name, "max_displacement", max_displacement, 0)
    step, apart = (
        an_integer(name, argument, value, 1)
        for argument, value in (("stride1", stride1), ("stride2", stride2))
    )
    moved = windows(name, [size, size], step, padding, 1)
    one, other = (padded(name, data, [2, 3], moved) for data in (data1, data2))
    border = reach + size // 2
    numbers = [(extent - 2 * border + step - 1) // step for extent in one.shape[2:]]
    if any(isinstance(number, int) and number < 1 for number in numbers):
        problem = f"is {shown(data1)}, too small for squares of {size} that are moved by {reach}"
        raise wrong(name, "data1", problem)
    radius = reach // apart
    side = 2 * radius + 1
    c = te.reduce_axis((0, data1.shape[1]), "c")
    taps = [te.reduce_axis((0, size), f"k{k}") for k in range(2)]

    def value(n: Any, which: Any, y: Any, x: Any) -> Any:
        here = [at * step + reach + tap for at, tap in zip((y, x), taps, strict=True)]
        away = (which // side - radius) * apart, (which % side - radius) * apart
        there = [at + distance for at, distance in zip(here, away, strict=True)]
        u, v = one(n, c, *here), other(n, c, *there)
        return te.sum(u * v if is_multiply else te.abs(u - v), axis=[c, *taps])

    total = computed(
        f"{name}_sum", [data1.shape[0], side * side, *numbers], value, "correlation_nchw"
    )
    count = te.multiply(data1.shape[1] * (size * size), 1).astype(data1.dtype)
    return applied(name, lambda found: te.div(found, count), total)
