"""What the bounds of a `loop.for` say of its number of iterations."""

from teloom.analysis import polynomials
from teloom.analysis.polynomials import Polynomial
from teloom.dialects import loop


def extents(op: loop.ForOp) -> list[Polynomial]:
    """The differences of upper and lower bounds: the extent is the least, or 0 if negative."""
    lowers = polynomials.of_exprs(op.lower.data.results, op.operands_)
    uppers = polynomials.of_exprs(op.upper.data.results, op.operands_)
    return [upper - lower for upper in uppers for lower in lowers]


def constant_extent(op: loop.ForOp) -> int | None:
    """The number of iterations, if it is the same for all values of the operands."""
    found = [extent.as_constant() for extent in extents(op)]
    known = [extent for extent in found if extent is not None]
    if len(known) == len(found):
        return max(0, min(known))
    return 0 if any(extent <= 0 for extent in known) else None
