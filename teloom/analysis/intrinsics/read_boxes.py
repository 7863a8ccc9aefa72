"""Whether the equation of an intrinsic reads its inputs from the first element to the last.

Then the box that its code gets of a tensor lies between elements that the loops read, so that it
is there.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects.builtin import TensorType
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.intrinsics.equations import Differs
from teloom.analysis.sets.integer_sets import first_and_last, in_box, map_of
from teloom.analysis.stages.queries import reads_of_tensor
from teloom.dialects import te


def check_read_whole(intrinsic: te.IntrinsicOp) -> None:
    """Raises `Differs` for an input that is not read from its first to its last element."""
    axes = intrinsic.equation.body.block.args
    ranges = {
        axis: (lower.value, upper.value - 1)
        for axis, (lower, upper) in zip(axes, intrinsic.equation.bounds.pairs(), strict=True)
        if isinstance(lower, AffineConstantExpr) and isinstance(upper, AffineConstantExpr)
    }
    for tensor in intrinsic.inputs:
        reads = [op for op in reads_of_tensor(tensor) if isinstance(op, te.ReadOp)]
        assert isinstance(tensor.type, TensorType)
        for axis, extent in enumerate(tensor.type.get_shape()):
            ends = [
                _ends(op.map.data.results[axis], [ranges.get(one) for one in op.operands_])
                for op in reads
            ]
            name = tensor.name_hint or "an input"
            found = [end for end in ends if end is not None]
            if len(found) < len(ends):
                raise Differs(
                    f"which elements of {name} its equation reads along axis {axis} is no constant"
                )
            first = min((a for a, _ in found), default=0)
            last = max((b for _, b in found), default=-1)
            if (first, last) != (0, extent - 1):
                raise Differs(
                    f"its equation reads {name} from {first} to {last} along axis {axis}, which "
                    f"has {extent} elements"
                )


def _ends(
    subscript: AffineExpr, ranges: Sequence[tuple[int, int] | None]
) -> tuple[int, int] | None:
    """The least and the greatest value of a subscript; None if an axis in it has no constant ends.

    Axes that never run give none, too.
    """
    used = {dim: ranges[dim] for dim in subscript.used_dims()}
    box: list[tuple[AffineExpr, AffineExpr]] = []
    for dim in range(len(ranges)):
        ends = used.get(dim, (0, 0))
        if ends is None:
            return None
        first, last = map(AffineExpr.constant, ends)
        box.append((first, last - first + 1))
    points = isl.Set.from_basic_set(in_box(isl.Context(), 0, box))
    found = first_and_last(map_of(points, [subscript]).range())
    return None if found is None else (found[0][0], found[1][0])
