"""Regions that are worth to be looked at, of all anchors of a network that proposes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_list, a_number, a_tensor, an_integer, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import computed
from teloom.topi.points import over_buffers
from teloom.topi.sorting import argsort
from teloom.topi.vision.boxes import Candidates, choose

Corners = tuple[Any, Any, Any, Any]


def anchors(scales: Sequence[float], ratios: Sequence[float], stride: int) -> list[Corners]:
    """The corners of the boxes at the first position, in pixels of the image.

    Each has about the area of `stride` x `stride` pixels, times the square of a scale, and a ratio
    of height to width; sides are rounded as in the first network of this kind.

    >>> anchors([1.0], [1.0, 2.0], 16)
    [(0.0, 0.0, 15.0, 15.0), (2.5, -3.0, 12.5, 18.0)]
    """
    middle = 0.5 * (stride - 1)
    found = []
    for ratio in ratios:
        width = math.floor(math.sqrt(math.floor(stride * stride / ratio)) + 0.5)
        height = math.floor(width * ratio + 0.5)
        for scale in scales:
            x, y = 0.5 * (width * scale - 1), 0.5 * (height * scale - 1)
            found.append((middle - x, middle - y, middle + x, middle + y))
    return found


def _regressed(box: Corners, moves: Sequence[Any]) -> Corners:
    """A box whose middle moves by multiples of its sides, and whose sides grow by exponentials."""
    x1, y1, x2, y2 = box
    dx, dy, dw, dh = moves
    width, height = x2 - x1 + 1, y2 - y1 + 1
    x = dx * width + x1 + (width - 1) * 0.5
    y = dy * height + y1 + (height - 1) * 0.5
    half_width, half_height = ((te.exp(d) * s - 1) * 0.5 for d, s in ((dw, width), (dh, height)))
    return x - half_width, y - half_height, x + half_width, y + half_height


def _shifted(box: Corners, moves: Sequence[Any]) -> Corners:
    """A box whose corners move."""
    x1, y1, x2, y2 = (side + move for side, move in zip(box, moves, strict=True))
    return x1, y1, x2, y2


def _numbers(name: str, argument: str, value: Any) -> list[float]:
    listed = a_list(name, argument, value)
    if not listed or not all(isinstance(one, int | float) and one > 0 for one in listed):
        raise wrong(name, argument, f"is {listed}, not numbers above 0")
    return [float(one) for one in listed]


def proposal(
    cls_prob: te.Tensor,
    bbox_pred: te.Tensor,
    im_info: te.Tensor,
    scales: Any,
    ratios: Any,
    feature_stride: int,
    threshold: float,
    rpn_pre_nms_top_n: int,
    rpn_post_nms_top_n: int,
    rpn_min_size: int,
    iou_loss: bool,
) -> te.Tensor:
    """The regions of the best scores that do not overlap much: rows (image, x1, y1, x2, y2).

    `cls_prob` is (batch, 2 * anchors, height, width), scores of the background and then of objects,
    `bbox_pred` (batch, 4 * anchors, height, width), and `im_info` (batch, 3): height and width of
    the image, and its scale. There is an anchor for each of `ratios` and `scales` at every
    position, `feature_stride` pixels apart. `bbox_pred` moves it, by its corners with `iou_loss`,
    else by its middle and sides. It is cut at the image; one with a side below `rpn_min_size` times
    the scale comes last. The best `rpn_pre_nms_top_n` are taken, or all with -1; one is dropped
    whose overlap with a better one is above `threshold`. The result has `rpn_post_nms_top_n` rows
    for each image; if fewer are left, these again. Source: Ren et al., "Faster R-CNN", 2015.

    >>> p, d = te.placeholder((1, 6, 4, 4), name="p"), te.placeholder((1, 12, 4, 4), name="d")
    >>> image = te.placeholder((1, 3), name="image")
    >>> proposal(p, d, image, [8], [0.5, 1, 2], 16, 0.7, -1, 10, 16, False)
    Tensor(shape=[10, 5], dtype=float32, name=proposal)
    """
    name = "vision.proposal"
    stride = an_integer(name, "feature_stride", feature_stride, 1)
    boxes = anchors(_numbers(name, "scales", scales), _numbers(name, "ratios", ratios), stride)
    _check(name, {"cls_prob": cls_prob, "bbox_pred": bbox_pred, "im_info": im_info}, len(boxes))
    batch, _, height, width = cls_prob.shape
    number = height * width * len(boxes)
    most = an_integer(name, "rpn_pre_nms_top_n", rpn_pre_nms_top_n)
    count = min(most, number) if most > 0 else number
    rows = an_integer(name, "rpn_post_nms_top_n", rpn_post_nms_top_n, 1)
    bound = a_number(name, "threshold", threshold, precise(bbox_pred.dtype))
    least = float(an_integer(name, "rpn_min_size", rpn_min_size, 0))
    move = _shifted if a_flag(name, "iou_loss", iou_loss) else _regressed
    *corners, score = te.compute(
        (batch, number),
        lambda b, i: _predicted((cls_prob, bbox_pred, im_info), boxes, (stride, least), move, b, i),
        "proposal_boxes",
    )
    order = argsort(score, None, 1, False, "int32")
    places = _kept(corners, order, count, rows, bound)

    def value(row: Any, column: Any) -> Any:
        b = row // rows
        place = te.bounded(places(b, row % rows), 0, number)
        found = te.multiply(b, 1).astype(bbox_pred.dtype)
        for k, corner in enumerate(corners, 1):
            found = te.select(column == k, corner(b, place).astype(bbox_pred.dtype), found)
        return found

    return computed(name, [batch * rows, 5], value)


def _check(name: str, given: dict[str, te.Tensor], count: int) -> None:
    for argument, one in given.items():
        ndim = 2 if argument == "im_info" else 4
        of_kind(name, argument, a_tensor(name, argument, one, ndim), "float")
    of_classes = given["cls_prob"]
    batch, _, height, width = of_classes.shape
    if not all(isinstance(one, int) for one in (height, width)):
        raise wrong(name, "cls_prob", f"is {shown(of_classes)}; height and width must be constant")
    wanted = {
        "cls_prob": [batch, 2 * count, height, width],
        "bbox_pred": [batch, 4 * count, height, width],
        "im_info": [batch, 3],
    }
    for argument, one in given.items():
        if not te.same_extents(one.shape, wanted[argument]):
            problem = f"is {shown(one)}, but must be of shape {tuple(wanted[argument])}"
            raise wrong(name, argument, f"{problem}, with {count} anchors")


def _predicted(
    given: tuple[te.Tensor, te.Tensor, te.Tensor],
    boxes: Sequence[Corners],
    how: tuple[int, float],
    move: Callable[[Corners, Sequence[Any]], Corners],
    b: Any,
    i: Any,
) -> tuple[Any, ...]:
    """The corners and the score of box i of an image."""
    cls_prob, bbox_pred, im_info = given
    stride, least = how
    dtype, width = precise(bbox_pred.dtype), cls_prob.shape[3]
    which, y, x = i % len(boxes), i // len(boxes) // width, i // len(boxes) % width

    def side(k: int) -> Any:
        place = te.const(boxes[-1][k], dtype)
        for number in reversed(range(len(boxes) - 1)):
            place = te.select(which == number, te.const(boxes[number][k], dtype), place)
        return place + te.multiply((y if k % 2 else x) * stride, 1).astype(dtype)

    moves = [bbox_pred(b, which * 4 + k, y, x).astype(dtype) for k in range(4)]
    x1, y1, x2, y2 = move((side(0), side(1), side(2), side(3)), moves)
    high, wide, scale = (im_info(b, k).astype(dtype) for k in range(3))
    x1, x2 = (te.max(te.min(one, wide - 1), 0.0) for one in (x1, x2))
    y1, y2 = (te.max(te.min(one, high - 1), 0.0) for one in (y1, y2))
    smallest = scale * least
    is_small = (x2 - x1 + 1 < smallest) | (y2 - y1 + 1 < smallest)
    more = te.select(is_small, smallest / 2, te.const(0, dtype))
    in_image = [
        te.multiply(one, 1).astype(dtype) < te.trunc(size / stride)
        for one, size in ((y, high), (x, wide))
    ]
    score = cls_prob(b, which + len(boxes), y, x).astype(dtype)
    score = te.select(~is_small & in_image[0] & in_image[1], score, te.const(-1, dtype))
    return x1 - more, y1 - more, x2 + more, y2 + more, score


def _kept(
    corners: Sequence[te.Tensor], order: te.Tensor, count: int, rows: int, bound: Any
) -> te.Tensor:
    """The numbers of the boxes that are kept, as many as there are rows."""
    batch = order.shape[0]

    @over_buffers
    def body(ib: Any, *pointers: Any) -> None:
        *sides, best, places = pointers
        with ib.for_range(0, batch, "b") as b:

            def place(k: Any, b: Any = b) -> Any:
                return best[b, k]

            def keep(k: Any, n: Any, b: Any = b) -> None:
                places[b, n] = place(k)

            candidates = Candidates(
                lambda k, b=b: [one[b, place(k)] for one in sides],
                lambda k: te.const(True, "bool"),
                None,
                lambda shared: shared > bound,
                side=1,
            )
            found = choose(ib, candidates, count, count, te.const(rows), keep)
            with ib.for_range(0, rows, "row") as row, ib.if_scope(row >= found[()]):
                places[b, row] = places[b, row - found[()]]

    return te.extern((batch, rows), [*corners, order], body, name="proposal_kept", dtype="int32")
