"""`infer_bounds`: the range of every axis of a schedule, as a box."""

from __future__ import annotations

from teloom.frontend.expr.expressions import Expr, Extent
from teloom.frontend.report.inferred import inferred
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import IterVar, Range


def infer_bounds(s: Schedule) -> dict[IterVar, Range]:
    """The range of every axis: root axes, axes made by a schedule, and leaves.

    A root axis of a stage that is computed in a loop of another one starts at the start of the
    region there. Axes made from it are counted from that start, so they start at 0 unless a
    shift or a skew moved them. The ranges are those of the stored box;
    `teloom.lower(s, args, level="schedule")` shows the exact ones. Axes of inlined stages have
    none. Raises what `teloom.lower` raises. Source: TVM's InferBound.

    >>> from teloom import te
    >>> A = te.placeholder((34,), name="A")
    >>> B = te.compute((34,), lambda i: A[i] + 1, name="B")
    >>> C = te.compute((32,), lambda i: B[i] + B[i + 2], name="C")
    >>> s = te.create_schedule(C)
    >>> outer, inner = s[C].split(C.op.axis[0], factor=8)
    >>> s[B].compute_at(s[C], outer)
    >>> bounds = te.infer_bounds(s)
    >>> bounds[outer], bounds[inner]
    (Range(min=0, extent=4), Range(min=0, extent=8))
    >>> bounds[B.op.axis[0]].extent
    10
    >>> print(bounds[B.op.axis[0]].min)
    (i.outer * 8)
    """
    found = inferred(s)
    bounds: dict[IterVar, Range] = {}
    for region in found.regions.values():
        for axis, extent in region.extents.items():
            ends = (found.expr(end, region) for end in (region.starts[axis], extent))
            bounds[found.applied.axes[axis]] = Range(*map(_shown, ends))
    return bounds


def _shown(end: int | Expr) -> Extent | Expr:
    """Constants as extents: integers that have TVM's `value`."""
    return Extent(end) if isinstance(end, int) else end
