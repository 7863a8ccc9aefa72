"""Stages whose constant extents are too short for any tile of an intrinsic to be whole."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from xdsl.ir.affine import AffineConstantExpr

from teloom.dialects import schedule


def too_short(stage: schedule.StageOp, extents: Sequence[int], data_axes: int) -> str | None:
    """Why no schedule of a stage has a whole tile of these extents; None if one may have.

    The first extents are those of the last data axes. Those of reduce axes may be in any order.
    """
    ours = _constant_extents(stage)
    lengths = [inf if extent is None else extent for extent in ours]
    count = stage.data_axis_count
    data = zip(reversed(lengths[:count]), reversed(extents[:data_axes]), strict=False)
    reduces = zip(_longest_first(lengths[count:]), _longest_first(extents[data_axes:]))
    if 0 not in ours and all(has >= wants for has, wants in [*data, *reduces]):
        return None
    known = [
        f"axis {schedule.axis_name(axis)} has the extent {extent}"
        for axis, extent in zip(stage.root_axes, ours, strict=True)
        if extent is not None
    ]
    return f"no tile of {' x '.join(map(str, extents))} is whole: {', '.join(known)}"


def _constant_extents(stage: schedule.StageOp) -> list[int | None]:
    """The extents of the root axes; None for what is no constant."""
    box = stage.bounds.box(len(stage.root_axes))
    return [extent.value if isinstance(extent, AffineConstantExpr) else None for _, extent in box]


def _longest_first(extents: Sequence[float]) -> list[float]:
    return sorted(extents, reverse=True)
