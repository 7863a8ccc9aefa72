"""Whether the equation of an intrinsic reads its inputs from the first element to the last.

Then the box that its code gets of a tensor lies between elements that the loops read, so that it
is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.intrinsics.equations import Differs
from teloom.analysis.stages.queries import reads_of_tensor
from teloom.dialects import te
from teloom.dialects.affine.linear_forms import linear_terms


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
            found = [end for end in ends if end is not None]
            first, last = (
                min((a for a, _ in found), default=0),
                max((b for _, b in found), default=-1),
            )
            if len(found) < len(ends) or (first, last) != (0, extent - 1):
                name = tensor.name_hint or "an input"
                raise Differs(
                    f"its equation reads {name} from {first} to {last} along axis {axis}, which "
                    f"has {extent} elements"
                )


def _ends(
    subscript: AffineExpr, ranges: Sequence[tuple[int, int] | None]
) -> tuple[int, int] | None:
    """The least and the greatest value of a subscript; None if it is no sum of multiples."""
    linear, constant, divisions = linear_terms((subscript, 1))
    if divisions or any(ranges[dim] is None for dim in linear):
        return None
    first = last = constant
    for dim, step in linear.items():
        ends = sorted(step * end for end in ranges[dim] or ())
        first, last = first + ends[0], last + ends[-1]
    return first, last
