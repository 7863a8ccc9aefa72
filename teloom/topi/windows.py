"""Windows that move over some axes of a tensor: of convolutions and of pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_text, integers, one_of, shown, wrong


class Window(NamedTuple):
    """How a window moves along one axis of a tensor.

    It has `size` taps, `dilation` apart, and begins at every `stride`-th position, from `before`
    positions before the axis until it ends `after` positions behind it.
    """

    size: Any
    stride: int
    dilation: int
    before: int
    after: int

    @property
    def reach(self) -> Any:
        """How many positions it spans."""
        return (self.size - 1) * self.dilation + 1

    def count(self, extent: Any, ceil_mode: bool = False) -> Any:
        """How many windows there are on an axis of that extent.

        With `ceil_mode` the last one may end behind the padding.
        """
        room = extent + (self.before + self.after) - self.reach
        return (room + (self.stride - 1 if ceil_mode else 0)) // self.stride + 1

    def place(self, number: Any, tap: Any) -> Any:
        """The position of a tap of a window on the axis, which may be outside."""
        return number * self.stride + tap * self.dilation - self.before

    def inside(self, number: Any, extent: Any, with_padding: bool = False) -> Any:
        """How many taps of a window are positions of the axis, or of that and its padding."""
        if with_padding:
            return self._replace(before=0).inside(number, extent + (self.before + self.after))
        begin = number * self.stride - self.before
        end = te.min((extent - begin + (self.dilation - 1)) // self.dilation, self.size)
        return te.max(end - te.max((self.dilation - 1 - begin) // self.dilation, 0), 0)


def windows(
    operator: str,
    sizes: Sequence[Any],
    strides: object,
    padding: object,
    dilation: object,
) -> list[Window]:
    """A window for each of several axes.

    `strides` and `dilation` are one integer or one for each axis. `padding` is one integer, one
    for each axis, first those before and then those behind all axes, "VALID", which is none, or
    "SAME", with which there are as many windows as positions at a stride of 1.
    """
    count = len(sizes)
    steps = integers(operator, "strides", strides, count, 1)
    apart = integers(operator, "dilation", dilation, count, 1)
    if isinstance(padding, str):
        same = one_of(operator, "padding", padding, ("VALID", "SAME")) == "SAME"
        reaches = [(size - 1) * d if same else 0 for size, d in zip(sizes, apart, strict=True)]
        if not all(isinstance(one, int) for one in reaches):
            raise wrong(
                operator, "padding", f"is {padding!r}, but the window {list(sizes)} is symbolic"
            )
        before, after = [(one + 1) // 2 for one in reaches], [one // 2 for one in reaches]
    elif isinstance(padding, tuple | list) and len(padding) == 2 * count:
        both = integers(operator, "padding", padding, 2 * count, 0)
        before, after = both[:count], both[count:]
    else:
        before = after = integers(operator, "padding", padding, count, 0)
    return [Window(*one) for one in zip(sizes, steps, apart, before, after, strict=True)]


def counts(
    operator: str,
    data: te.Tensor,
    axes: Sequence[int],
    moved: Sequence[Window],
    ceil_mode: bool = False,
) -> list[Any]:
    """How many windows there are on each of `axes` of `data`.

    Raises `teloom.Error` for a window that does not fit.
    """
    found = [one.count(data.shape[axis], ceil_mode) for axis, one in zip(axes, moved, strict=True)]
    for axis, one, number in zip(axes, moved, found, strict=True):
        if isinstance(number, int) and number < 1:
            size = f"window of {one.reach} on axis {axis}, with padding {one.before, one.after}"
            raise wrong(operator, "data", f"is {shown(data)}, too small for a {size}")
    return found


def spatial_axes(
    operator: str, argument: str, layout: str, data: te.Tensor, kept: str
) -> list[int]:
    """The axes of a layout but for those letters `kept`, each of which stands in it once."""
    letters = [*a_text(operator, argument, layout)]
    if len({*letters}) < len(letters) or not {*kept} <= {*letters} or not layout.isalpha():
        raise wrong(operator, argument, f"is {layout!r}, which is no layout with {kept}")
    if len(letters) != data.ndim:
        raise wrong(operator, "data", f"is {shown(data)}, for the layout {layout!r}")
    return [axis for axis, letter in enumerate(letters) if letter not in kept]
