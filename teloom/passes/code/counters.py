"""Puts an expression in the place of a value, in all that is computed from it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.operands import exprs_of_forms, map_of, substitute
from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.code.index_code import IndexCode

_SEGMENTS = "operandSegmentSizes"


def put_in_place(value: SSAValue, polynomial: Polynomial, block: Block) -> None:
    """Puts `polynomial` in the place of `value`, which is used in `block` alone.

    Affine maps get it as an expression, all other uses as a value at the start of the block.
    """
    (expr,), values = exprs_of_forms([polynomial])
    for op in dict.fromkeys(use.operation for use in value.uses):
        _into_maps(op, value, expr, values)
    if any(value.uses):
        start = InsertPoint.at_start(block)
        code = IndexCode(lambda new: Rewriter.insert_op(new, start))
        value.replace_all_uses_with(code.of(polynomial, value.name_hint))


def _into_maps(
    op: Operation, value: SSAValue, expr: AffineExpr, values: Sequence[SSAValue]
) -> None:
    """Replaces `value` as an operand of the affine maps of an op: these are its last operands."""
    maps = {name: a.data for name, a in op.properties.items() if isinstance(a, AffineMapAttr)}
    if not maps:
        return
    (count,) = {map.num_dims + map.num_symbols for map in maps.values()}
    first = len(op.operands) - count
    before, old = op.operands[:first], op.operands[first:]
    exprs = [one for map in maps.values() for one in over_dims(map)]
    packed, new = substitute(exprs, old, {value: (expr, values)})
    found = iter(packed.data.results)
    for name, map in maps.items():
        op.properties[name] = map_of([next(found) for _ in map.results], new)
    op.operands = [*before, *new]
    if _SEGMENTS in op.properties:
        *sizes, _ = op.properties[_SEGMENTS].get_values()  # pyright: ignore
        op.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, [*sizes, len(new)])
