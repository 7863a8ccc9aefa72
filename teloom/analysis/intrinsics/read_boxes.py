"""Whether the equation of an intrinsic reads its inputs from the first element to the last.

Then all of the box that the code gets exists, since the loops read its first and last element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.intrinsics.equations import Differs
from teloom.analysis.sets.ends import Side, constant_ends_inside
from teloom.analysis.stages.queries import reads_of_tensor
from teloom.dialects import te
from teloom.dialects.affine.linear_forms import difference


def check_read_whole(intrinsic: te.IntrinsicOp) -> None:
    """Raises `Differs` for an input that is not read from its first to its last element."""
    axes = intrinsic.equation.body.block.args
    bounds = intrinsic.equation.bounds.pairs()
    sides: dict[SSAValue, Side] = {
        axis: (lower, difference(upper, lower))
        for axis, (lower, upper) in zip(axes, bounds, strict=True)
    }
    for tensor in intrinsic.inputs:
        reads = [op for op in reads_of_tensor(tensor) if isinstance(op, te.ReadOp)]
        assert isinstance(tensor.type, TensorType)
        for axis, extent in enumerate(tensor.type.get_shape()):
            ends = [_ends(op.map.data.results[axis], op.operands_, sides) for op in reads]
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
    subscript: AffineExpr, values: Sequence[SSAValue], sides: Mapping[SSAValue, Side]
) -> tuple[int, int] | None:
    """The least and the greatest value; None if it uses more than axes, or one that never runs."""
    used = {dim: values[dim] for dim in subscript.used_dims()}
    if not sides.keys() >= {*used.values()}:
        return None
    return constant_ends_inside(subscript, {dim: sides[axis] for dim, axis in used.items()})
