"""Convolutions whose taps are moved by offsets that are data.

Source: Dai et al., Deformable Convolutional Networks, 2017. An element between four others is
weighted by the distances to them; behind the last row and column these are 0. What is outside of
the data, also by less than 1, is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, shown, wrong
from teloom.topi.dtypes import of_kind, of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import same, with_extents
from teloom.topi.nn.convolutions.direct import check_channels
from teloom.topi.windows import Window, counts, windows


def deformable_conv2d_nchw(
    data: te.Tensor,
    offset: te.Tensor,
    kernel: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    deformable_groups: int,
    groups: int,
    out_dtype: Any,
) -> te.Tensor:
    """`conv2d` of NCHW and OIHW, whose taps are moved by `offset`.

    Axis 1 of `offset` has, for each of `deformable_groups` equal parts of the channels and for
    each tap, a distance along H and one along W. Its other axes are those of the result.

    >>> A, W = te.placeholder((1, 4, 9, 9), name="A"), te.placeholder((6, 4, 3, 3), name="W")
    >>> deformable_conv2d_nchw(A, te.placeholder((1, 18, 9, 9)), W, 1, 1, 1, 1, 1, "float32")
    Tensor(shape=[1, 6, 9, 9], dtype=float32, name=deformable_conv2d_nchw)
    """
    how = strides, padding, dilation, deformable_groups, groups, out_dtype
    given = data, offset, kernel
    return _deformable("nn.deformable_conv2d_nchw", given, how, "NCHW", "OIHW")


def deformable_conv2d_nhwc(
    data: te.Tensor,
    offset: te.Tensor,
    kernel: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    deformable_groups: int,
    groups: int,
    out_dtype: Any,
) -> te.Tensor:
    """`deformable_conv2d_nchw` of NHWC and HWIO; the last axis of `offset` has the distances.

    >>> A, W = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((3, 3, 4, 6), name="W")
    >>> deformable_conv2d_nhwc(A, te.placeholder((1, 9, 9, 18)), W, 1, 1, 1, 1, 1, "float32")
    Tensor(shape=[1, 9, 9, 6], dtype=float32, name=deformable_conv2d_nhwc)
    """
    how = strides, padding, dilation, deformable_groups, groups, out_dtype
    given = data, offset, kernel
    return _deformable("nn.deformable_conv2d_nhwc", given, how, "NHWC", "HWIO")


def _deformable(
    name: str,
    given: tuple[te.Tensor, te.Tensor, te.Tensor],
    how: Sequence[Any],
    layout: str,
    kernel_layout: str,
) -> te.Tensor:
    data, offset, kernel = given
    strides, padding, dilation, deformable_groups, groups, out_dtype = how
    for argument, one in zip(("data", "offset", "kernel"), given, strict=True):
        of_kind(name, argument, a_tensor(name, argument, one, 4), "float")
    channel, space = layout.index("C"), [layout.index("H"), layout.index("W")]
    extents = dict(zip(kernel_layout, kernel.shape, strict=True))
    check_channels(name, data, kernel, channel, extents, groups)
    sizes = [extents["H"], extents["W"]]
    moved = windows(name, sizes, strides, padding, dilation)
    shape = with_extents(data.shape, space, counts(name, data, space, moved))
    parts = an_integer(name, "deformable_groups", deformable_groups, 1)
    _check_offset(name, data, offset, shape, channel, parts, sizes)
    each = data.shape[channel] // parts
    sampled = _sampled(name, data, offset, moved, channel, space, each, shape)

    i = te.reduce_axis((0, extents["I"]), "i")
    taps = [te.reduce_axis((0, size), f"k{k}") for k, size in enumerate(sizes)]
    dtype = of_results(name, out_dtype, [data.dtype, kernel.dtype])
    of_group = extents["O"] // groups
    shape[channel] = extents["O"]

    def value(*at: Any) -> Any:
        o = at[channel]
        places = list(at)
        places[channel] = (o // of_group * extents["I"] if groups > 1 else 0) + i
        place = {"O": o, "I": i, "H": taps[0], "W": taps[1]}
        weight = kernel(*(place[letter] for letter in kernel_layout))
        return te.sum(sampled(*places, *taps).astype(dtype) * weight.astype(dtype), axis=[i, *taps])

    return computed(name, shape, value, name.partition(".")[2])


def _check_offset(
    name: str,
    data: te.Tensor,
    offset: te.Tensor,
    shape: Sequence[Any],
    channel: int,
    parts: int,
    sizes: Sequence[Any],
) -> None:
    channels = data.shape[channel]
    if not same(channels // parts * parts, channels):
        problem = f"is {parts}, which does not divide the {channels} channels of {shown(data)}"
        raise wrong(name, "deformable_groups", problem)
    expected = with_extents(shape, [channel], [sizes[0] * sizes[1] * (parts * 2)])
    if not te.same_extents(offset.shape, expected):
        raise wrong(name, "offset", f"is {shown(offset)}, but must be of shape {tuple(expected)}")


def _sampled(
    name: str,
    data: te.Tensor,
    offset: te.Tensor,
    moved: Sequence[Window],
    channel: int,
    space: Sequence[int],
    each: Any,
    shape: Sequence[Any],
) -> te.Tensor:
    """The element at each tap of each window; the taps are two axes more, behind the others."""
    sizes = [one.size for one in moved]
    dtype = "float64" if offset.dtype == "float64" else "float32"

    def value(*at: Any) -> Any:
        window, taps = at[:4], at[4:]
        places = list(window)
        pair = ((window[channel] // each * sizes[0] + taps[0]) * sizes[1] + taps[1]) * 2
        positions = []
        for k, (axis, one) in enumerate(zip(space, moved, strict=True)):
            places[channel] = pair + k
            whole = one.place(window[axis], taps[k])
            positions.append(te.multiply(whole, 1).astype(dtype) + offset(*places).astype(dtype))

        def element(y: Any, x: Any) -> Any:
            there = list(window)
            there[space[0]], there[space[1]] = y, x
            return data(*there)

        return _between(element, positions, [data.shape[axis] for axis in space], data.dtype)

    return computed(f"{name}_sampled", [*shape, *sizes], value, "data_deform")


def _between(
    element: Callable[[Any, Any], Any], positions: Sequence[Any], extents: Sequence[Any], dtype: str
) -> Any:
    """The element at a position that is no integer; 0 outside, and at NaN."""
    inside, places, shares = te.const(True, "bool"), [], []
    zero = te.const(0, dtype)
    for position, extent in zip(positions, extents, strict=True):
        within = (position >= 0) & (position < te.multiply(extent, 1).astype(position.dtype))
        inside = inside & within
        # Outside, a position may be no int32.
        lower = te.floor(te.select(within, position, te.const(0, position.dtype)))
        first = lower.astype("int32")
        behind = te.bounded(te.min(first + 1, extent - 1), 0, extent)
        places.append([(te.bounded(first, 0, extent), None), (behind, first + 1 < extent)])
        shares.append((position - lower).astype(dtype))

    def there(value: Any, is_there: Any) -> Any:
        return value if is_there is None else te.select(is_there, value, zero)

    rows = []
    for y, has_row in places[0]:
        left, right = (there(element(y, x), has_column) for x, has_column in places[1])
        rows.append(there(left * (1 - shares[1]) + right * shares[1], has_row))
    found = rows[0] * (1 - shares[0]) + rows[1] * shares[0]
    return te.if_then_else(inside, found, zero)
