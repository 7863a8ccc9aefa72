"""Where chunks of a parallel loop may have partial results of all elements of a tensor.

That is for reductions whose elements are chosen by data, as in a histogram.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.accesses.lane_counts import largest_extent
from teloom.analysis.accesses.partial_results import (
    CHUNKS,
    is_computed,
    is_used_otherwise,
    values_of,
)
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.captured import captured
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.bodies.preorder import ops_in

MOST_BYTES = 2**22
"""The most memory that the partial results of all chunks take, in bytes."""


@dataclass(frozen=True)
class WholeResults:
    """`count` partial results of `reduce` for each element of its tensors, in a loop.

    Each has the box (start, extent) per axis, in numbers.
    """

    reduce: loop.ReduceOp
    divided: loop.ForOp
    count: int
    box: Sequence[tuple[int, int]]


def reductions_by_data(op: loop.ForOp) -> list[loop.ReduceOp]:
    """The reductions in a loop whose elements are chosen by data that the loop loads."""
    found = ops_in(op.body, loop.ReduceOp)
    outside = (one for one in found if not op.is_ancestor(one.tensors[0].owner))
    return [one for one in outside if _is_by_data(op, one) and not _tells_apart(op, one)]


def whole_results(op: loop.ForOp, reduce: loop.ReduceOp) -> WholeResults | None:
    """Partial results of all elements for chunks; None if they would be wrong or too large."""
    box = _box(reduce.tensors[0])
    most = largest_extent(op)
    count = CHUNKS if most is None else min(CHUNKS, most)
    if reduce.identity is None or box is None:
        return None
    if any(_box(tensor) != box for tensor in reduce.tensors):
        return None
    width = sum(byte_width(value.type) for value in reduce.values)
    if count * width * prod(extent for _, extent in box) > MOST_BYTES:
        return None
    if any(is_used_otherwise(tensor, op, reduce) for tensor in reduce.tensors):
        return None
    if any(op.is_ancestor(value.owner) for value in captured(reduce.combine)):
        return None
    return WholeResults(reduce, op, count, box)


def _is_by_data(op: loop.ForOp, reduce: loop.ReduceOp) -> bool:
    subscripts = values_of(reduce.subscripts, reduce.operands_)
    made = (v for v in postorder(subscripts, operands_of) if isinstance(v.owner, Operation))
    return any(op.is_ancestor(value.owner) and not is_computed(value) for value in made)


def _tells_apart(op: loop.ForOp, reduce: loop.ReduceOp) -> bool:
    """Whether a subscript proves that any two iterations fold into different elements."""
    here = (op.induction_variable,)
    for form in AffineIndexForms().of_exprs(reduce.subscripts, reduce.operands_):
        others = form - Polynomial.of(here[0]).times(form.terms.get(here, 0))
        atoms = [*others.atoms()]
        known = [one for one in atoms if isinstance(one, SSAValue)]
        is_linear = here in form.terms and len(known) == len(atoms)
        if is_linear and not any(op.is_ancestor(one.owner) for one in known):
            return True
    return False


def _box(tensor: SSAValue) -> list[tuple[int, int]] | None:
    """The box of a tensor, if it is constant."""
    region = tensor.owner
    if not isinstance(region, loop.RealizeOp | loop.BindOp):
        return None
    sides = zip(region.offsets.data.results, region.extents.data.results, strict=True)
    found = [(_number(offset), _number(extent)) for offset, extent in sides]
    known = [(start, extent) for start, extent in found if start is not None and extent is not None]
    return known if len(known) == len(found) else None


def _number(expr: AffineExpr) -> int | None:
    return expr.value if isinstance(expr, AffineConstantExpr) else None
