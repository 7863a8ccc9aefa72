"""Loops and branches that do nothing, once what they ask is settled."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.ir import Region
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter

from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.bodies.preorder import ops_in
from teloom.passes.code.code_motion import only_computes


def erase_idle(function: func.FuncOp) -> None:
    """Erases folds of the identity, and the loops and branches that do nothing."""
    for fold in ops_in(function, loop.ReduceOp):
        if _folds_nothing(fold):
            Rewriter.erase_op(fold)
    for op in reversed(ops_in(function, loop.ForOp, loop.IfOp)):
        if all(map(_is_idle, op.regions)):
            Rewriter.erase_op(op)
        elif isinstance(op, loop.IfOp) and _is_idle(op.then_body):
            _turn(op)


def _is_idle(region: Region) -> bool:
    return all(only_computes(op) for block in region.blocks for op in block.ops)


def _turn(op: loop.IfOp) -> None:
    """Asks for the opposite of one inequality, if there is something to do only where it fails."""
    one, *others = op.alternatives
    if others or one.equalities or len(one.inequalities) != 1 or op.else_body is None:
        return
    below = difference(AffineExpr.constant(-1), one.inequalities[0])
    body = op.detach_region(op.else_body)
    turned = loop.IfOp([Conjunction([], [below])], [*op.operands_], body)
    turned.location = op.location
    Rewriter.replace_op(op, turned)


def _folds_nothing(op: loop.ReduceOp) -> bool:
    """Whether the identity is folded, as where a condition holds in no iteration of a part."""
    values = [one.owner for one in op.values]
    constants = [one.value for one in values if isinstance(one, arith.ConstantOp)]
    return op.identity is not None and constants == [*op.identity]
