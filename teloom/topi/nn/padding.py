"""Tensors with more elements around or between those of another, and in one row."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, integers, one_of, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import total
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.shapes import reshape


def pad(
    data: te.Tensor,
    pad_before: Any,
    pad_after: Any = None,
    pad_value: Any = None,
    name: str = "PadInput",
    attrs: dict[str, Any] | None = None,
) -> te.Tensor:
    """`data` with so many elements more before and behind each axis, all of them `pad_value`.

    What is behind is by default as much as before, and the value 0. A value may be an expression
    of sizes. `attrs` are those of the operation.

    >>> pad(te.placeholder((8, te.var("n")), name="A"), [0, 1], [2, 1])
    Tensor(shape=[10, (n + 2)], dtype=float32, name=PadInput)
    """
    operator = "nn.pad"
    before, after = _widths(operator, data, pad_before, pad_after)
    zero = a_number(operator, "pad_value", 0 if pad_value is None else pad_value, data.dtype)
    shape = [one + (b + a) for one, b, a in zip(data.shape, before, after, strict=True)]

    def value(*at: Any) -> Any:
        inside = te.const(True, "bool")
        for k, (index, extent) in enumerate(zip(at, data.shape, strict=True)):
            if before[k]:
                inside = inside & (index >= before[k])
            if after[k]:
                inside = inside & (index < extent + before[k])
        here = data(*(index - b for index, b in zip(at, before, strict=True)))
        return te.if_then_else(inside, here, zero) if any(before + after) else here

    return computed(operator, shape, value, "injective,pad", name, attrs)


def _widths(operator: str, data: object, before: Any, after: Any) -> tuple[list[int], list[int]]:
    ndim = a_tensor(operator, "data", data).ndim
    front = integers(operator, "pad_before", before, ndim, 0)
    return front, front if after is None else integers(operator, "pad_after", after, ndim, 0)


def mirror_pad(
    data: te.Tensor,
    pad_before: Any,
    pad_after: Any = None,
    mode: str = "SYMMETRIC",
    name: str = "MirrorPadInput",
) -> te.Tensor:
    """`data` with its own elements, mirrored, before and behind each axis.

    With the mode SYMMETRIC the outermost element is doubled, with REFLECT it is not, as in NumPy's
    pad. An axis is mirrored once at most.

    >>> mirror_pad(te.placeholder((8, 4), name="A"), [0, 1])
    Tensor(shape=[8, 6], dtype=float32, name=MirrorPadInput)
    """
    operator = "nn.mirror_pad"
    before, after = _widths(operator, data, pad_before, pad_after)
    skipped = int(one_of(operator, "mode", mode, ("SYMMETRIC", "REFLECT")) == "REFLECT")
    for axis, (extent, most) in enumerate(zip(data.shape, map(max, before, after), strict=True)):
        if most:
            _expect_mirrored(operator, data, axis, extent, most + skipped)

    def mirrored(index: Any, extent: Any, front: int, back: int) -> Any:
        if not front and not back:
            return index
        at = index - front
        inner = te.select(at < 0, -at - 1 + skipped, at)
        outer = te.select(at >= extent, extent * 2 - at - 1 - skipped, inner)
        return te.bounded(outer, 0, extent)

    def value(*at: Any) -> Any:
        return data(*map(mirrored, at, data.shape, before, after))

    shape = [one + (b + a) for one, b, a in zip(data.shape, before, after, strict=True)]
    return computed(operator, shape, value, INJECTIVE, name)


def _expect_mirrored(operator: str, data: te.Tensor, axis: int, extent: Any, needed: int) -> None:
    """Raises `teloom.Error` unless an axis has so many elements, whatever the sizes are."""
    if (te.least_over_sizes(extent) or 0) >= needed:
        return
    has, legal = "may have", f"; an extent such as n + {needed} never has"
    if isinstance(extent, int):
        has, legal = "has", ""
    problem = f"fewer than the {needed} elements that are wanted to mirror it{legal}"
    raise wrong(operator, "data", f"is {shown(data)}, whose axis {axis} {has} {problem}")


def dilate(
    data: te.Tensor, strides: Any, dilation_value: Any = 0.0, name: str = "DilatedInput"
) -> te.Tensor:
    """`data` with its elements `strides` apart on each axis, and `dilation_value` between them.

    A symbolic extent is at least 1.

    >>> dilate(te.placeholder((8, 4), name="A"), [1, 3])
    Tensor(shape=[8, 10], dtype=float32, name=DilatedInput)
    """
    operator = "nn.dilate"
    steps = integers(operator, "strides", strides, a_tensor(operator, "data", data).ndim, 1)
    between = a_number(operator, "dilation_value", dilation_value, data.dtype)
    shape = [
        max(0, (one - 1) * step + 1) if isinstance(one, int) else (one - 1) * step + 1
        for one, step in zip(data.shape, steps, strict=True)
    ]

    def value(*at: Any) -> Any:
        here = data(*(index // step for index, step in zip(at, steps, strict=True)))
        there = [index % step == 0 for index, step in zip(at, steps, strict=True) if step > 1]
        return te.if_then_else(te.all(*there), here, between) if there else here

    return computed(operator, shape, value, INJECTIVE, name)


def flatten(data: te.Tensor) -> te.Tensor:
    """`data` with all axes behind the first one as one, in row-major order.

    >>> flatten(te.placeholder((te.var("n"), 4, 3), name="A"))
    Tensor(shape=[n, 12], dtype=float32, name=reshape)
    """
    shape = a_tensor("nn.flatten", "data", data).shape
    if not shape:
        raise wrong("nn.flatten", "data", f"is {shown(data)}, which has no axes")
    return reshape(data, (shape[0], total(shape[1:])))
