"""`schedule.rfactor`: partial results of a reduction, one for each iteration of a reduce axis."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    TensorType,
)
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.partitions import partition_of
from teloom.analysis.stages.queries import is_reduce, name_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds
from teloom.dialects.syntax.tails import Partition
from teloom.passes.nests.equation_body import AffineValue, EquationBody, read_again
from teloom.passes.schedule.caches import copying, insert_producer, name_tensors
from teloom.passes.schedule.factors import Factoring
from teloom.passes.schedule.leaf_code import LeafCode
from teloom.passes.schedule.ordering import set_order
from teloom.passes.schedule.primitives.handles import Primitive, command_word
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage

INDEX = IndexType()


class ApplyRfactor(Primitive):
    """Moves the equation to a new stage of partial results, which the old stage folds.

    The old stage keeps its place, its data axes and their relations. Its other reduce axes become
    axes of the new stage: with their relations, if these do not join them with the axis that is
    factored; else the leaves become root axes. Without one, the new stage has single values.
    """

    commands = (schedule.RfactorOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.RfactorOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        self.stage_of(op.axis, op)  # refuses an axis of a stage that was inlined
        found = Factoring.of(stage, op.axis, op.factor_axis.value.data, op)
        assert isinstance(op.factored, OpResult)
        name = schedule.derived_name(name_of(stage), "rf", self.stages.names)
        partial = _partial_results(name, stage, found)
        name_tensors(partial, stage.tensors, "rf")
        insert_producer(self, op.factored, partial, stage)
        v = stage.body.block.insert_arg(schedule.AXIS, len(stage.root_axes))
        v.name_hint = op.v.name_hint or f"{schedule.axis_name(op.axis)}.v"
        op.v.replace_all_uses_with(v)
        _move_reduce_axes(stage, partial, v, found)
        _fold(stage, partial, found)
        stage.set_reassociated(command_word(op))
        op.operands = [op.stage, op.stage]  # what it consumed is an axis of the new stage now


def _partial_results(name: str, stage: schedule.StageOp, found: Factoring) -> schedule.StageOp:
    """A new stage with the equation of `stage`, which keeps it for now."""
    data = stage.root_axes[: stage.data_axis_count]
    names = [
        f"{axis.name_hint}.rf" if axis in data and axis.name_hint else axis.name_hint
        for axis in found.axes
    ]
    count = stage.data_axis_count + 1
    combine, identity = Region(), None
    if len(names) > count:
        combine, identity = stage.equation.combine.clone(), stage.equation.identity
    parts = EquationParts(Region(_body(stage, names, found)), combine, identity, Region())
    types = [_with_axis(tensor.type, found) for tensor in stage.tensors]
    bounds = AxisBounds.of(found.bounds, found.domain.around, found.where)
    return unscheduled_stage(name, names, bounds, count, parts, types)


def _with_axis(type: Attribute, found: Factoring) -> TensorType:
    """The type of partial results of a tensor: it has one more axis."""
    assert isinstance(type, TensorType)
    extent, shape = found.extent, [*type.get_shape()]
    is_constant = isinstance(extent, AffineConstantExpr)
    shape.insert(found.position, extent.value if is_constant else DYNAMIC_INDEX)
    return TensorType(type.element_type, shape)


def _body(stage: schedule.StageOp, names: Sequence[str | None], found: Factoring) -> Block:
    """The body of the equation over the axes of the new stage.

    Where the leaves are at no point of the old reduce axes, it is the identity.
    """
    block = Block(arg_types=[INDEX] * len(names))
    for argument, name in zip(block.args, names, strict=True):
        argument.name_hint = name
    builder = Builder(InsertPoint.at_end(block))
    places = found.places(block.args)
    code = LeafCode(found.domain, places, builder)
    condition = code.condition()
    if condition is None:
        values = _values(stage, places, code, builder)
    else:
        then, otherwise = Block(), Block()
        there = _values(stage, places, code, Builder(InsertPoint.at_end(then)))
        then.add_op(scf.YieldOp(*there))
        otherwise.add_ops(constants := [arith.ConstantOp(one) for one in stage.equation.starts])
        otherwise.add_op(scf.YieldOp(*constants))
        types = [value.type for value in there]
        values = builder.insert(scf.IfOp(condition, types, [then], [otherwise])).results
    builder.insert(te.YieldOp([*values]))
    return block


def _values(
    stage: schedule.StageOp,
    places: dict[SSAValue, AffineValue],
    code: LeafCode,
    builder: Builder,
) -> Sequence[SSAValue]:
    """Copies the body of the equation."""
    code.promise(builder)
    block = stage.equation.body.block
    axes = {
        argument: places[axis] if axis in places else code.place(axis)
        for axis, argument in zip(stage.root_axes, block.args, strict=True)
    }
    return EquationBody(axes, read_again).copy(block, builder)


def _move_reduce_axes(
    stage: schedule.StageOp, partial: schedule.StageOp, v: SSAValue, found: Factoring
) -> None:
    """Puts `v` in the place of the factored axis, and takes all other reduce axes out."""
    joined, leaves = found.domain.exprs, stage.order.leaves
    new = dict(zip(found.axes, partial.root_axes, strict=True))
    data = [(axis, LoopKind.SERIAL) for axis in partial.root_axes[: partial.data_axis_count]]
    reduce = [(new.get(axis, axis), kind) for axis, kind in leaves if is_reduce(axis)]
    set_order(partial, [*data, *(leaf for leaf in reduce if leaf not in data)])
    _move_policies(stage, partial, new, joined)
    relations = [one for one in stage.relations if is_reduce(one.results[0])]
    kept = [(axis, kind) for axis, kind in leaves if axis is found.axis or not is_reduce(axis)]
    set_order(stage, [(v if axis is found.axis else axis, kind) for axis, kind in kept])
    for relation in relations:
        if relation.consumed[0] not in joined:
            relation.detach()
            Rewriter.insert_op(relation, InsertPoint.before(partial.order))
    for axis in (*stage.root_axes[stage.data_axis_count : -1], *joined):
        # Commands that are carried out may still name an axis that is neither a root nor a leaf.
        axis.replace_all_uses_with(new.get(axis, new[found.axis]))
    for relation in reversed(relations):
        if relation.parent_op() is stage:
            Rewriter.erase_op(relation)
    for axis in stage.root_axes[stage.data_axis_count : -1]:
        stage.body.block.erase_arg(axis)


def _move_policies(
    stage: schedule.StageOp,
    partial: schedule.StageOp,
    new: Mapping[SSAValue, SSAValue],
    joined: Container[SSAValue],
) -> None:
    """Says of the reduce axes of `partial` whether their iterations run apart, as it was said."""
    place = InsertPoint.before(partial.order)
    said = ops_of(stage.body.block, schedule.PartitionedOp)
    policies = {leaf: partition_of(stage, leaf) for leaf in stage.order.axes if leaf in joined}
    for op in said:
        if is_reduce(op.axis):
            op.detach()
            if op.axis not in joined:
                Rewriter.insert_op(op, place)
    for leaf, policy in policies.items():
        if policy is not Partition.AUTO:
            Rewriter.insert_op(schedule.PartitionedOp(new[leaf], policy.value), place)


def _fold(stage: schedule.StageOp, partial: schedule.StageOp, found: Factoring) -> None:
    """Makes `stage` the fold of `partial` along its only reduce axis."""
    count = stage.data_axis_count
    old = stage.bounds.over(found.domain.around)
    bounds = [*old.pairs()[:count], (ZERO, found.extent)]
    stage.set_bounds(AxisBounds.of(bounds, old.operands, old.where()))
    names = [axis.name_hint for axis in stage.root_axes]
    places = [AffineExpr.dimension(axis) for axis in range(count)]
    places.insert(found.position, AffineExpr.dimension(count))
    body = copying(partial.tensors, names, places).body
    parts = stage.equation.detach_parts()
    parts.body.drop_all_references()  # its reads are those of the new stage
    new = schedule.EquationOp(parts._replace(body=body))
    Rewriter.replace_op(stage.equation, new)
