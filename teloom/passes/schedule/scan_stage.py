"""Turning a `te.scan` into a stage, with its steps in the loop of time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, StridedLayoutAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import ZERO, scalar_type, shape_in_type
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import copy_elements

INDEX = IndexType()
ONE = AffineExpr.constant(1)


def scan_stage(scan: te.ScanOp) -> schedule.StageOp:
    """A new, detached stage for a scan whose steps are stages already.

    Time is its outermost loop, in which the steps are computed. Its equation copies the elements
    of that time from the results of the steps, or from the init. Results of different shapes are
    copied by an extern, slice by slice.
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
    if scan.shapes is None:
        block.add_op(schedule.EquationOp(_chosen(scan)))
    else:
        block.add_op(schedule.ExternOp(_slices(scan)))
    types = [tensor.type for tensor in scan.tensors]
    return schedule.StageOp(
        scan.stage_name.data, scan.bounds, len(axes), None, Region(block), types
    )


def _chosen(scan: te.ScanOp) -> EquationParts:
    """The equation: elements of the init at initial times, of the updates later."""
    block = Block(arg_types=[INDEX] * len(scan.axes))
    for axis, named in zip(block.args, scan.axes, strict=True):
        axis.name_hint = named.name_hint
    builder = Builder(InsertPoint.at_end(block))
    if scan.inits:
        values = _by_time(scan, block, builder)
    else:
        values = [builder.insert(read).value for read in _elements(scan.updates, block.args)]
    builder.insert(te.YieldOp(values))
    for op in preorder(block):
        op.location = scan.location
    return EquationParts(Region(block), Region(), None, Region())


def _by_time(scan: te.ScanOp, block: Block, builder: Builder) -> Sequence[SSAValue]:
    code = IndexCode(builder.insert)
    if isinstance(scan.until, AffineConstantExpr):
        until = code.constant(scan.until.value)
    else:
        until = code.expr(scan.until, scan.until_sizes)
    is_initial = builder.insert(arith.CmpiOp(block.args[0], until, "slt")).result
    types = [scalar_type(tensor.type) for tensor in scan.tensors]
    initial, following = (_elements(one, block.args) for one in (scan.inits, scan.updates))
    initial, following = (
        Region(Block([*reads, scf.YieldOp(*(read.value for read in reads))]))
        for reads in (initial, following)
    )
    return builder.insert(scf.IfOp(is_initial, types, initial, following)).results


def _elements(tensors: Sequence[SSAValue], axes: Sequence[SSAValue]) -> list[te.ReadOp]:
    """The reads of the elements of tensors at one point."""
    at = AffineMapAttr(AffineMap.identity(len(axes)))
    return [te.ReadOp(tensor, at, axes) for tensor in tensors]


def _slices(scan: te.ScanOp) -> ExternParts:
    """The body of an extern that copies, at each point of the axes, the slices of the updates."""
    count, types = len(scan.axes), [tensor.type for tensor in scan.tensors]
    block = Block(arg_types=[*[INDEX] * count, *types])
    for argument, named in zip(block.args, (*scan.axes, *scan.states), strict=True):
        argument.name_hint = named.name_hint
    values = [*block.args[:count], *scan.sizes]
    shapes = [scan.shape_of(number) for number in range(len(types))]
    for update, result, shape in zip(scan.updates, block.args[count:], shapes, strict=True):
        over = [replace_dims(one, lambda dim: AffineExpr.dimension(count + dim)) for one in shape]
        point = [(AffineExpr.dimension(axis), ONE) for axis in range(count)]
        box = [*point, *((ZERO, extent) for extent in over[count:])]
        layout = StridedLayoutAttr([None] * (len(shape) - count), None)
        type = MemRefType(scalar_type(result.type), shape_in_type(over[count:]), layout)
        source, target = (te.BufferOp(one, box, values, type) for one in (update, result))
        block.add_ops([source, target])
        copy_elements(block.add_op, source.buffer, target.buffer, over[count:], values)
    for op in preorder(block):
        op.location = scan.location
    return ExternParts.of(shapes, [*scan.sizes], Region(block))
