"""The reorganization of YOLO's networks: blocks of an image as channels."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import ravelled, unravelled
from teloom.topi.tag import INJECTIVE


def reorg(data: te.Tensor, stride: int) -> te.Tensor:
    """Blocks of `stride` x `stride` elements as channels, in the order of Darknet's reorg layer.

    (batch, c, h, w) gives (batch, c * stride^2, h / stride, w / stride); `stride` divides h and w,
    and its square c. It is Darknet's order, which is not that of a space to depth.

    >>> reorg(te.placeholder((1, 8, 4, 4), name="A"), 2)
    Tensor(shape=[1, 32, 2, 2], dtype=float32, name=reorg)
    """
    name = "vision.reorg"
    batch, channels, height, width = a_tensor(name, "data", data, 4).shape
    step = an_integer(name, "stride", stride, 1)
    sides = [channels, height, width]
    if not all(isinstance(one, int) for one in sides):
        raise wrong(name, "data", f"is {shown(data)}, whose last three extents must be constant")
    if channels % step**2 or height % step or width % step:
        problem = f"is {step}, which does not divide the sides, or its square the channels"
        raise wrong(name, "stride", f"{problem}, of {shown(data)}")
    inner = channels // step**2
    shape = [batch, channels * step**2, height // step, width // step]
    # Darknet fills an array of the data's shape, and then takes it for one of the result's.
    wide = [inner, height * step, width * step]

    def value(b: Any, *at: Any) -> Any:
        channel, y, x = unravelled(ravelled(at, shape[1:]), sides)
        offset = channel // inner
        place = [channel % inner, y * step + offset // step, x * step + offset % step]
        return data(b, *unravelled(ravelled(place, wide), sides))

    return computed(name, shape, value, INJECTIVE)
