"""Turning a `te.scan` into a stage, with its steps in the loop of time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.rewriter import InsertPoint

from teloom.dialects import schedule, te
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import scalar_type
from teloom.passes.code.index_code import IndexCode


def scan_stage(scan: te.ScanOp) -> schedule.StageOp:
    """A new, detached stage for a scan whose steps are stages already.

    Time is its outermost loop, in which the steps are computed. Its equation copies the elements
    of that time from the results of the steps, or from the init.
    """
    axes = scan.axes
    block = Block(arg_types=[schedule.AXIS] * len(axes))
    for axis, named in zip(block.args, axes, strict=True):
        axis.name_hint = named.name_hint
    block.add_op(schedule.OrderOp(block.args, [LoopKind.SERIAL] * len(axes)))
    for number, old in enumerate(scan.states):
        state = schedule.StateOp(number, old.type)
        state.location = scan.location
        state.tensor.name_hint = old.name_hint
        old.replace_all_uses_with(state.tensor)
        block.add_op(state)
    for step in list(scan.body.block.ops):
        if isinstance(step, schedule.StageOp):
            step.detach()
            step.set_at(block.args[0])
            block.add_op(step)
    block.add_op(schedule.EquationOp(_chosen(scan)))
    types = [tensor.type for tensor in scan.tensors]
    return schedule.StageOp(
        scan.stage_name.data, scan.bounds, len(axes), None, Region(block), types
    )


def _chosen(scan: te.ScanOp) -> EquationParts:
    """The equation: elements of the init at initial times, of the updates later."""
    block = Block(arg_types=[IndexType()] * len(scan.axes))
    for axis, named in zip(block.args, scan.axes, strict=True):
        axis.name_hint = named.name_hint
    builder = Builder(InsertPoint.at_end(block))
    code = IndexCode(builder.insert)
    if isinstance(scan.until, AffineConstantExpr):
        until = code.constant(scan.until.value)
    else:
        until = code.expr(scan.until, scan.until_sizes)
    is_initial = builder.insert(arith.CmpiOp(block.args[0], until, "slt")).result
    types = [scalar_type(tensor.type) for tensor in scan.tensors]
    initial, following = (_elements(one, block.args) for one in (scan.inits, scan.updates))
    choice = builder.insert(scf.IfOp(is_initial, types, initial, following))
    builder.insert(te.YieldOp(choice.results))
    for op in preorder(block):
        op.location = scan.location
    return EquationParts(Region(block), Region(), None, Region())


def _elements(tensors: Sequence[SSAValue], axes: Sequence[SSAValue]) -> Region:
    """A branch that yields the elements of tensors at one point."""
    at = AffineMapAttr(AffineMap.identity(len(axes)))
    reads = [te.ReadOp(tensor, at, axes) for tensor in tensors]
    return Region(Block([*reads, scf.YieldOp(*(read.value for read in reads))]))
