"""`schedule.fuse`: adjacent axes become one.

With data axes and reduce axes in one loop, a reduction is an update: its elements begin in a nest
of their own, and then points fold into them.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Region
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from teloom.analysis.stages.kinds import has_own_equation
from teloom.analysis.stages.queries import is_reduce, name_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.bodies.update import UpdateParts
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import AxisBounds
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import (
    add_relation,
    require_data_or_reduce,
    require_no_tail,
    set_order,
)
from teloom.passes.schedule.primitives.handles import NamedStages, Primitive, command_word

INDEX = IndexType()


class ApplyFuse(Primitive):
    """Adds the fusion to the relations of the stage; the fused axis replaces the others.

    A stage computed at one of these moves to the fused axis. With data axes and reduce axes in
    one loop, a reduction becomes an update: what its elements begin as is set in front of that.
    """

    commands = (schedule.FuseOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FuseOp, rewriter: PatternRewriter):
        stage = self.common_stage(op.args, op)
        require_no_tail(stage, op.args, op)
        self._require_adjacent(stage, op)
        if len({is_reduce(axis) for axis in op.args}) > 1:
            self._begin_apart(stage, op)
        add_relation(stage, op)

    def _begin_apart(self, stage: schedule.StageOp, op: schedule.FuseOp) -> None:
        if stage.update is not None:
            require_data_or_reduce(stage, op.args, op)
        if (reason := _why_no_update(stage)) is not None:
            raise ScheduleError(
                f"fuse cannot join data axes and reduce axes, {schedule.axis_names(op.args)}, of "
                f'stage "{name_of(stage)}": {reason}',
                op,
            )
        _become_update(stage, self.stages)

    def _require_adjacent(self, stage: schedule.StageOp, op: schedule.FuseOp) -> None:
        order = list(stage.order.axes)
        first = order.index(op.args[0])
        if order[first : first + len(op.args)] == list(op.args):
            return
        raise ScheduleError(
            f"fuse needs adjacent axes in their order, got {schedule.axis_names(op.args)}; the "
            f'order of stage "{name_of(stage)}" is {schedule.axis_names(order)}',
            op,
        )


def _why_no_update(stage: schedule.StageOp) -> str | None:
    """Why a stage with reduce axes cannot become an update; None if it can."""
    if not has_own_equation(stage):
        return "it has no equation of its own"
    if stage.equation.data_bounded:
        return "its reduce axes have bounds from data"
    if stage.domain is not None:
        return "its domain is no box"
    if around := [axis for one in stage.relations if not one.consumed for axis in one.results]:
        return f"axis {schedule.axis_name(around[0])} is of no axis of the equation"
    if any(kind.thread_rank is not None for _, kind in stage.order.leaves):
        return "a loop of it is bound to threads, which begin only their own elements"
    known = schedule.RelationOp | schedule.OrderOp | schedule.StageOp | schedule.EquationOp
    said = [op for op in stage.body.block.ops if not isinstance(op, known)]
    if said:
        return f"{command_word(said[0])} says something of its loops that an update does not have"
    return None


def _become_update(stage: schedule.StageOp, stages: NamedStages) -> None:
    """Makes a reduction an update, whose domain are all axes of the equation, with their loops.

    New data axes, whose loops are the default ones, are those at whose points elements begin.
    Handles of the axes are those of the domain from then on.
    """
    roots, count = [*stage.root_axes], stage.data_axis_count
    parts = _update(stage)
    stage.set_bounds(_bounds(stage))
    begins = [stage.body.block.insert_arg(schedule.AXIS, position) for position in range(count)]
    for axis, root in zip(begins, roots, strict=False):
        axis.name_hint = root.name_hint
    set_order(stage, [*((axis, LoopKind.SERIAL) for axis in begins), *stage.order.leaves])
    new = schedule.UpdateOp(parts)
    new.location = stage.equation.location
    Rewriter.replace_op(stage.equation, new, [])
    stages.stand_for(name_of(stage), roots)


def _bounds(stage: schedule.StageOp) -> AxisBounds:
    """The bounds of the data axes, and then the bounds of all axes over these."""
    sizes, count, pairs = len(stage.sizes), stage.data_axis_count, stage.bounds.pairs()

    def moved(expr: AffineExpr) -> AffineExpr:
        return replace_dims(
            expr, lambda dim: AffineExpr.dimension(dim if dim < sizes else dim + count)
        )

    domain = [(moved(lower), moved(upper)) for lower, upper in pairs]
    return AxisBounds.of([*pairs[:count], *domain], stage.sizes)


def _update(stage: schedule.StageOp) -> UpdateParts:
    """Elements begin as the init or the identity; a point combines its value with its element."""
    equation, count = stage.equation, stage.data_axis_count
    init = Region()
    if equation.has_init:
        equation.init.move_blocks(init)
    else:
        init.add_block(_identity(equation, count))
    body = equation.body.detach_block(0)
    terminator = body.last_op
    assert isinstance(terminator, te.YieldOp)
    values = [*terminator.operands]
    body.erase_op(terminator)
    places = body.args[:count]
    states = [body.insert_arg(tensor.type, len(body.args)) for tensor in stage.tensors]
    for state, tensor in zip(states, stage.tensors, strict=True):
        state.name_hint = tensor.name_hint
    map = AffineMapAttr(AffineMap.identity(count))
    reads = [te.ReadOp(state, map, places) for state in states]
    body.add_ops(reads)
    old = [read.value for read in reads]
    known = dict(zip(equation.combine.block.args, [*old, *values], strict=True))
    for op in list(equation.combine.block.ops)[:-1]:
        body.add_op(op.clone(known))
    combined = [known.get(value, value) for value in yielded(equation.combine)]
    body.add_ops(te.WriteOp(*pair, map, places) for pair in zip(combined, states, strict=True))
    return UpdateParts(Region(body), Region(), init, is_reorderable=True)


def _identity(equation: schedule.EquationOp, count: int) -> Block:
    """The values with which elements begin without an init."""
    block = Block(arg_types=[INDEX] * count)
    for argument, axis in zip(block.args, equation.body.block.args, strict=False):
        argument.name_hint = axis.name_hint
    constants = [arith.ConstantOp(one) for one in equation.starts]
    block.add_ops([*constants, te.YieldOp([one.result for one in constants])])
    return block
