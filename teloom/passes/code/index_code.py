"""Index values from polynomials: an operand, a constant or one `affine.apply`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index import polynomials
from teloom.analysis.index.polynomials import Polynomial
from teloom.dialects import loop
from teloom.dialects.affine.operands import OperandList, map_of

# Puts an op where its value is wanted, and returns that value.
Emit = Callable[[Operation], SSAValue]


def emit_before(op: Operation) -> Emit:
    """Puts ops in front of `op`."""

    def emit(new: Operation) -> SSAValue:
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.results[0]

    return emit


def emit_index(polynomial: Polynomial, emit: Emit, name: str | None = None) -> SSAValue:
    """The value of `polynomial`, in which no two atoms are multiplied.

    Nothing is emitted where that is one of its atoms; `name` is of what is emitted.
    """
    operands = OperandList()
    expr = polynomials.to_expr(polynomial, operands)
    if isinstance(expr, AffineDimExpr):
        return operands.values[expr.position]
    if isinstance(expr, AffineConstantExpr):
        value = emit(constant_index(expr.value))
    else:
        value = emit(affine.ApplyOp(operands.values, map_of([expr], operands.values)))
    value.name_hint = name
    return value


def emit_one_of(
    bounds: Sequence[Polynomial], kind: type[arith.MaxSIOp | arith.MinSIOp], emit: Emit
) -> Polynomial:
    """The only bound, or the value that counts of several."""
    if len(bounds) == 1:
        return bounds[0]
    first, *others = (emit_index(bound, emit) for bound in bounds)
    for other in others:
        first = emit(kind(first, other))
    return Polynomial.of(first)


def constant_index(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))


def element_count(extents: Sequence[Polynomial]) -> loop.ElementCountOp:
    """Counts the elements of a buffer of these extents, in which no two atoms are multiplied."""
    operands = OperandList()
    exprs = [polynomials.to_expr(extent, operands) for extent in extents]
    counted = [expr for expr in exprs if expr != AffineExpr.constant(1)]
    return loop.ElementCountOp(counted or exprs[:1], operands.values)
