"""Boxes of single shot detectors. Source: Liu et al., "SSD: single shot multibox detector", 2016.

A network says, for each of the boxes that are given beforehand, the anchors, which class it shows,
and how far it is to be moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_list, a_number, a_tensor, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import computed
from teloom.topi.extents import affine_total
from teloom.topi.math import clip as clipped
from teloom.topi.reduction import argmax, max
from teloom.topi.transform.slices import strided_slice
from teloom.topi.vision.boxes import true_first
from teloom.topi.vision.suppression import non_max_suppression

__all__ = ["multibox_detection", "multibox_prior", "multibox_transform_loc"]


def _numbers(name: str, argument: str, value: Any, count: int | None = None) -> list[float]:
    """Numbers that are known now; one may stand alone."""
    listed = [value] if isinstance(value, int | float) else a_list(name, argument, value)
    if not listed or not all(isinstance(one, int | float) for one in listed):
        raise wrong(name, argument, f"is {value!r}, not a list of numbers")
    if count is not None and len(listed) != count:
        raise wrong(name, argument, f"is {listed}, but must be {count} numbers")
    return [float(one) for one in listed]


def multibox_prior(
    data: te.Tensor,
    sizes: Any = (1,),
    ratios: Any = (1,),
    steps: Any = (-1, -1),
    offsets: Any = (0.5, 0.5),
    clip: bool = False,
) -> te.Tensor:
    """The anchors of each position of `data`, which is (batch, channels, height, width).

    The result is (1, height * width * (sizes + ratios - 1), 4), of float32: boxes (x1, y1, x2, y2)
    of each size with the first ratio as 1, and of the first size with each other ratio, of its
    width to its height. A size of 1 is the height of the image. Positions are `steps` apart, of y
    and x, or with -1 as many as cover the image, and begin at `offsets` steps. With `clip`, boxes
    end at the image, which is from 0 to 1.

    >>> multibox_prior(te.placeholder((1, 3, 8, 8), name="A"), (0.5, 0.2), (1, 2, 0.5))
    Tensor(shape=[1, 256, 4], dtype=float32, name=multibox_prior)
    """
    name = "vision.ssd.multibox_prior"
    height, width = a_tensor(name, "data", data, 4).shape[2:]
    lengths, shapes = _numbers(name, "sizes", sizes), _numbers(name, "ratios", ratios)
    if min(shapes) <= 0:
        raise wrong(name, "ratios", f"is {shapes}, but must be above 0")
    strides, begins = _numbers(name, "steps", steps, 2), _numbers(name, "offsets", offsets, 2)
    halves = [(one / 2, one / 2) for one in lengths]
    for ratio in shapes[1:]:
        root = math.sqrt(ratio)
        halves.append((lengths[0] * root / 2, lengths[0] / root / 2))
    count, is_clipped = len(halves), a_flag(name, "clip", clip)
    high, wide = (te.multiply(one, 1).astype("float32") for one in (height, width))

    def centre(index: Any, step: float, offset: float, size: Any) -> Any:
        place = te.multiply(index, 1).astype("float32") + offset
        return place * step if step > 0 else place / size

    def value(_: Any, number: Any, side: Any) -> Any:
        which, place = number % count, number // count
        x = centre(place % width, strides[1], begins[1], wide)
        y = centre(place // width, strides[0], begins[0], high)
        half_width = _nth(which, [half for half, _ in halves]) * high / wide
        half_height = _nth(which, [half for _, half in halves])
        sides = [x - half_width, y - half_height, x + half_width, y + half_height]
        return _nth(side, sides)

    shape = [1, affine_total(name, "data", data, [height, width, count]), 4]
    found = computed(name, shape, value)
    return clipped(found, 0, 1) if is_clipped else found


def _nth(k: Any, values: Sequence[Any]) -> Any:
    """The value with number k, of a few."""
    listed = [te.const(one, "float32") if isinstance(one, float) else one for one in values]
    found = listed[-1]
    for number in reversed(range(len(listed) - 1)):
        found = te.select(k == number, listed[number], found)
    return found


def multibox_transform_loc(
    cls_prob: te.Tensor,
    loc_pred: te.Tensor,
    anchor: te.Tensor,
    clip: bool = True,
    threshold: float = 0.01,
    variances: Any = (0.1, 0.1, 0.2, 0.2),
) -> list[te.Tensor]:
    """Anchors that show something, moved as a network says: rows (class, score, x1, y1, x2, y2).

    `cls_prob` is (batch, classes, anchors), of which class 0 is the background, `loc_pred` (batch,
    anchors * 4) and `anchor` (1, anchors, 4); of several sets of anchors, the first is that of all
    images. An anchor's class is the one with the highest score besides the background; it is
    numbered from 0 on. Those with a score below `threshold` are no rows. The four predictions,
    times `variances`, are the distances of the middles over the sides of the anchor, and the
    logarithms of the quotients of the sides. With `clip`, boxes end at the image, which is from 0
    to 1. The result is the rows, (batch, anchors, 6), in front of rows of -1, and how many there
    are, (batch,).

    >>> p, d = te.placeholder((1, 3, 16), name="p"), te.placeholder((1, 64), name="d")
    >>> rows, count = multibox_transform_loc(p, d, te.placeholder((1, 16, 4), name="a"))
    >>> rows.shape, count.shape
    ((1, 16, 6), (1,))
    """
    name = "vision.ssd.multibox_transform_loc"
    of_kind(name, "cls_prob", a_tensor(name, "cls_prob", cls_prob, 3), "float")
    batch, classes, anchors = cls_prob.shape
    if not isinstance(classes, int) or classes < 2:
        raise wrong(name, "cls_prob", f"is {shown(cls_prob)}, without a class and a background")
    for argument, one, shape in (
        ("loc_pred", loc_pred, [batch, anchors * 4]),
        ("anchor", anchor, [a_tensor(name, "anchor", anchor, 3).shape[0], anchors, 4]),
    ):
        of_kind(name, argument, a_tensor(name, argument, one, len(shape)), "float")
        if not te.same_extents(one.shape, shape):
            problem = f"is {shown(one)}, but must be of shape {tuple(shape)}"
            raise wrong(name, argument, f"{problem}, as cls_prob is {shown(cls_prob)}")
    factors = _numbers(name, "variances", variances, 4)
    is_clipped = a_flag(name, "clip", clip)
    dtype = precise(loc_pred.dtype)
    least = a_number(name, "threshold", threshold, cls_prob.dtype)
    shown_ones = strided_slice(cls_prob, [0, 1], [None, None])
    score, which = max(shown_ones, 1), argmax(shown_ones, 1)
    is_shown = computed(name, [batch, anchors], lambda *at: score(*at) >= least, name="is_shown")
    counts, places = true_first("multibox", is_shown)

    def moved(b: Any, k: Any, axis: int) -> list[Any]:
        """Both ends of a side, on x or on y."""
        begin, end = (anchor(0, k, axis + 2 * last).astype(dtype) for last in (0, 1))
        length = end - begin
        shift, growth = (
            loc_pred(b, k * 4 + part).astype(dtype) * factors[part] for part in (axis, axis + 2)
        )
        middle = shift * length + (begin + end) / 2
        half = te.exp(growth) * length / 2
        ends = [middle - half, middle + half]
        return [te.max(te.min(one, 1.0), 0.0) for one in ends] if is_clipped else ends

    def row(b: Any, k: Any, column: Any) -> Any:
        place = te.bounded(places(b, k), 0, anchors)
        (x1, x2), (y1, y2) = (moved(b, place, axis) for axis in (0, 1))
        values = [which(b, place).astype(dtype), score(b, place).astype(dtype), x1, y1, x2, y2]
        found = _nth(column, values).astype(loc_pred.dtype)
        return te.if_then_else(k < counts(b), found, te.const(-1, loc_pred.dtype))

    return [computed(name, [batch, anchors, 6], row), counts]


def multibox_detection(
    cls_prob: te.Tensor,
    loc_pred: te.Tensor,
    anchor: te.Tensor,
    clip: bool = True,
    threshold: float = 0.01,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Any = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
) -> te.Tensor:
    """The boxes that a network found: `multibox_transform_loc`, then `non_max_suppression`.

    >>> p, d = te.placeholder((1, 3, 16), name="p"), te.placeholder((1, 64), name="d")
    >>> multibox_detection(p, d, te.placeholder((1, 16, 4), name="a"))
    Tensor(shape=[1, 16, 6], dtype=float32, name=non_max_suppression)
    """
    rows, counts = multibox_transform_loc(cls_prob, loc_pred, anchor, clip, threshold, variances)
    return non_max_suppression(
        rows,
        counts,
        counts,
        -1,
        nms_threshold,
        force_suppress,
        nms_topk,
        return_indices=False,
    )
