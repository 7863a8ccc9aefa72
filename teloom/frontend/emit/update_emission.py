"""The regions of an update."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from teloom.dialects import te
from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.update import UpdateParts
from teloom.frontend.emit.emission import Emitter, LeafValues
from teloom.frontend.emit.externals import Externals
from teloom.frontend.expr.expressions import Const, Expr, IfThenElse, Var
from teloom.frontend.expr.names import ssa_name
from teloom.frontend.tensor.tensors import IterVar, Tensor
from teloom.frontend.tensor.updates import UpdateOp, Write

INDEX = IndexType()


def update_parts(
    op: UpdateOp,
    types: Sequence[TensorType],
    tensors: Mapping[Tensor, SSAValue],
    sizes: Mapping[Var, SSAValue],
    externals: Externals,
) -> UpdateParts:
    """The regions of an update whose results have these types."""
    definition = op.definition

    def region(axes: Sequence[IterVar], emit: Callable[[Block, Emitter], None]) -> Region:
        """A region that sees the states."""
        block = Block(arg_types=[*[INDEX] * len(axes), *types])
        names = [*(axis.name for axis in axes), *(state.name for state in definition.states)]
        for argument, name in zip(block.args, names, strict=True):
            argument.name_hint = ssa_name(name)
        positions: dict[Expr, SSAValue] = {**sizes}
        positions.update(zip(axes, block.args, strict=False))
        states = dict(zip(definition.states, block.args[len(axes) :], strict=True))
        emit(block, Emitter(block, LeafValues({**tensors, **states}, positions, {}, externals)))
        return Region(block)

    def condition(block: Block, emitter: Emitter) -> None:
        assert definition.until is not None
        block.add_op(te.YieldOp([emitter.value(definition.until.condition)]))

    def writes(block: Block, emitter: Emitter) -> None:
        states = block.args[len(op.reduce_axis) :]
        if len(definition.writes) == 1:
            _write_one(definition.writes[0], states, block, emitter)
        else:
            _write_all(definition.writes, states, block, emitter)

    until = Region()
    if definition.until is not None:
        until = region(op.reduce_axis[: definition.until.axes], condition)
    return UpdateParts(
        region(op.reduce_axis, writes), until, _begin(op, tensors), definition.reorderable
    )


def _begin(op: UpdateOp, tensors: Mapping[Tensor, SSAValue]) -> Region:
    block = Block(arg_types=[INDEX] * len(op.axis))
    for axis, argument in zip(op.axis, block.args, strict=True):
        argument.name_hint = ssa_name(axis.name)
    at = AffineMapAttr(AffineMap.identity(len(op.axis)))
    reads = [te.ReadOp(tensors[start], at, block.args) for start in op.starts]
    block.add_ops([*reads, te.YieldOp([read.value for read in reads])])
    return Region(block)


def _write_one(write: Write, states: Sequence[SSAValue], block: Block, emitter: Emitter) -> None:
    """A write; what it needs is computed only where it happens."""
    if write.condition is None:
        block.add_ops(_writes(write, states, emitter))
        return
    condition, inside = emitter.value(write.condition), Block()
    inside.add_ops(_writes(write, states, emitter.inside(inside)))
    inside.add_op(scf.YieldOp())
    block.add_op(scf.IfOp(condition, [], Region(inside)))


def _write_all(
    writes: Sequence[Write], states: Sequence[SSAValue], block: Block, emitter: Emitter
) -> None:
    """Several writes: all that they need is computed before the first of them."""
    found = [(write, _writes(_where_needed(write), states, emitter)) for write in writes]
    for write, ops in found:
        if write.condition is None:
            block.add_ops(ops)
        else:
            inside = Region(Block([*ops, scf.YieldOp()]))
            block.add_op(scf.IfOp(emitter.value(write.condition), [], inside))


def _where_needed(write: Write) -> Write:
    """A write of which values and places are computed only where its condition holds."""
    condition = write.condition
    if condition is None:
        return write

    def guarded(expr: Expr) -> Expr:
        return IfThenElse(condition, expr, Const(0, expr.dtype), expr.dtype)

    places = (one if isinstance(one, IterVar | Const) else guarded(one) for one in write.indices)
    values = (None if one is None else guarded(one) for one in write.values)
    return Write(tuple(places), tuple(values), None)


def _writes(write: Write, states: Sequence[SSAValue], emitter: Emitter) -> list[Operation]:
    """The ops that write; what they need is emitted."""
    found: list[Operation] = []
    for value, state in zip(write.values, states, strict=True):
        if value is not None:
            scalar = emitter.value(value)
            map, operands = affine.pack(emitter.forms(write.indices), emitter.operands)
            found.append(te.WriteOp(scalar, state, map, operands))
    return found
