"""The number of iterations of a `loop.for`, read off its bounds."""

from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.index.forms import AffineIndexForms
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial


def lower_bounds(op: loop.ForOp) -> list[Polynomial]:
    """The loop begins at the largest."""
    return AffineIndexForms().of_exprs(op.lower.data.results, op.operands_)


def upper_bounds(op: loop.ForOp) -> list[Polynomial]:
    """The loop ends before the least."""
    return AffineIndexForms().of_exprs(op.upper.data.results, op.operands_)


def extents(op: loop.ForOp) -> list[Polynomial]:
    """The differences of upper and lower bounds: the extent is the least, or 0 if negative."""
    lowers = lower_bounds(op)
    return [upper - lower for upper in upper_bounds(op) for lower in lowers]


def constant_extent(op: loop.ForOp) -> int | None:
    """The number of iterations, if it is the same for all values of the operands."""
    lower, upper = op.lower.data.results[0], op.upper.data.results
    if type(lower) is AffineConstantExpr and type(upper[0]) is AffineConstantExpr:
        if len(op.lower.data.results) == len(upper) == 1:
            return max(0, upper[0].value - lower.value)
    found = [extent.as_constant() for extent in extents(op)]
    known = [extent for extent in found if extent is not None]
    if len(known) == len(found):
        return max(0, min(known))
    return 0 if any(extent <= 0 for extent in known) else None
