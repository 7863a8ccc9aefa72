"""How many elements a buffer has, as arithmetic that does not wrap."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.index import polynomials
from teloom.analysis.index.limits import MANY, most_of
from teloom.dialects import loop
from teloom.passes.code.affine_to_arith import AffineCode

_UGE = 9


def emit_count(op: loop.ElementCountOp, code: AffineCode) -> SSAValue:
    """The value of `op`."""
    # Each is clamped alone: the product of two negative ones would look like a size.
    values = [_not_negative(extent, op, code) for extent in op.extents]
    forms = polynomials.of_exprs(op.extents, op.operands_)
    limits = [most_of(form) for form in forms]
    value, limit = values[0], limits[0]
    for other, factor in zip(values[1:], limits[1:], strict=True):
        fits = limit * factor <= MANY
        value = code.binary(arith.MuliOp, value, other) if fits else _product(value, other, code)
        limit = min(limit * factor, MANY)
    return value


def _not_negative(extent: AffineExpr, op: loop.ElementCountOp, code: AffineCode) -> SSAValue:
    if isinstance(extent, AffineConstantExpr):
        return code.constant(max(0, extent.value))
    return code.binary(arith.MaxSIOp, code.expr(extent, op.operands_), code.constant(0))


def _product(lhs: SSAValue, rhs: SSAValue, code: AffineCode) -> SSAValue:
    """The product of two values that are not negative, or `MANY`: then that is no more."""

    def insert(op: Operation) -> SSAValue:
        code.insert(op)
        return op.results[0]

    value = code.binary(arith.MuliOp, lhs, rhs)
    # Of b and c bits: less than 2**62 if b + c <= 62, else 2**61 or more.
    in_lhs, in_rhs = (insert(math.CountLeadingZerosOp(one)) for one in (lhs, rhs))
    zeros = code.binary(arith.AddiOp, in_lhs, in_rhs)
    fits = insert(arith.CmpiOp(zeros, code.constant(2 * 64 - 62), _UGE))
    return insert(arith.SelectOp(fits, value, code.constant(MANY)))
