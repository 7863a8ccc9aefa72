"""`schedule.reverse_compute_at`: a stage is computed in a loop of its only producer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import (
    is_reduce,
    kind_of,
    name_of,
    qualified,
    stage_of,
)
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import set_order
from teloom.passes.schedule.own_storage import compute_in
from teloom.passes.schedule.primitives.handles import Primitive, command_word
from teloom.passes.schedule.producer_loops import axes_like, outermost_loops, producer_read


class ApplyReverseComputeAt(Primitive):
    """Gives the stage the outer loops of its producer, which is then computed in them.

    The relations that these loops are made by are copied. The loops keep their kinds, and what is
    computed in them moves to the stage. The producer's own ones run once.
    """

    commands = (schedule.ReverseComputeAtOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ReverseComputeAtOp, rewriter: PatternRewriter):
        stage, around, axis = self.stage(op.stage, op), self.stage(op.parent_, op), op.axis
        found = producer_read(stage, self.func, op, stays=True)
        self.leaf_stage(axis, op)
        producer = found.producer
        if (reason := _why_not(producer, around, axis)) is not None:
            raise ScheduleError(f'{command_word(op)} of "{name_of(stage)}": {reason}', op)
        outer = _loops_down_to(axis, producer)
        data_axes = producer.root_axes[: producer.data_axis_count]
        copies = dict(zip(data_axes, axes_like(data_axes, found.subscripts, stage), strict=True))
        for relation in _making(outer, producer):
            copy = relation.clone(copies)
            Rewriter.insert_op(copy, InsertPoint.before(stage.order))
        self._order(stage, producer, outer, copies)
        inner = list(stage.order.axes)[len(outer) :]
        if op.inner and len(op.inner) != len(inner):
            raise ScheduleError(
                f'{command_word(op)} of "{name_of(stage)}": its loops further in are '
                f"{schedule.axis_names(inner)}, not {len(op.inner)}",
                op,
            )
        for handle, made in zip(op.inner, inner, strict=False):
            handle.replace_all_uses_with(made)
        self._share(outer, copies)
        _place(producer, stage, copies[axis])

    def _order(
        self,
        stage: schedule.StageOp,
        producer: schedule.StageOp,
        outer: Sequence[SSAValue],
        copies: Mapping[SSAValue, SSAValue],
    ) -> None:
        """Gives the outer loops to the stage, with their kinds, and others in their order."""
        kinds = dict(producer.order.leaves)
        consumed = {axis for relation in stage.relations for axis in relation.consumed}
        inner = [one for one in copies if one not in outer and copies[one] not in consumed]
        inner.sort(key=outermost_loops(producer).__getitem__)
        shared = [(copies[one], kinds[one]) for one in outer]
        set_order(stage, [*shared, *((copies[one], LoopKind.SERIAL) for one in inner)])
        serial = dict.fromkeys(outer, LoopKind.SERIAL)
        set_order(producer, [*(kinds | serial).items()])

    def _share(self, outer: Sequence[SSAValue], copies: Mapping[SSAValue, SSAValue]) -> None:
        """Lets the copies of loops stand for these, but in the producer's own relations."""
        for axis in outer:
            axis.replace_uses_with_if(copies[axis], lambda use: not _makes_loops(use.operation))


def _makes_loops(op: Operation) -> bool:
    """Whether an op of a stage makes its loops; in a sequence, it is a command."""
    is_relation = isinstance(op, schedule.RelationOp | schedule.OrderOp)
    return is_relation and isinstance(op.parent_op(), schedule.StageOp)


def _making(outer: Sequence[SSAValue], producer: schedule.StageOp) -> Iterator[schedule.RelationOp]:
    """The relations without which there are not these loops, in their order."""
    wanted, found = {*outer}, list[schedule.RelationOp]()
    for relation in reversed(producer.relations):
        if not wanted.isdisjoint(relation.results):
            wanted.update(relation.operands)
            found.append(relation)
    return reversed(found)


def _place(producer: schedule.StageOp, stage: schedule.StageOp, axis: SSAValue) -> None:
    """Puts the stage where its producer is, and that in the loop of this axis."""
    stage.detach()
    stage.set_at(producer.at)
    Rewriter.insert_op(stage, InsertPoint.before(producer))
    compute_in(producer, axis)
    for op in [*producer.body.block.ops]:
        if isinstance(op, schedule.StageOp):
            if op.at in stage.order.axes:
                _move(op, InsertPoint.before(stage.definition))
        elif any(axis in stage.order.axes for axis in op.operands):  # what is said of a loop
            _move(op, InsertPoint.before(stage.order))
    _move(producer, InsertPoint.before(stage.definition))


def _move(op: Operation, place: InsertPoint) -> None:
    op.detach()
    Rewriter.insert_op(op, place)


def _loops_down_to(axis: SSAValue, stage: schedule.StageOp) -> list[SSAValue]:
    leaves = list(stage.order.axes)
    return leaves[: leaves.index(axis) + 1]


def _why_not(producer: schedule.StageOp, around: schedule.StageOp, axis: SSAValue) -> str | None:
    """Why a stage cannot run in this loop behind its producer."""
    name, of = schedule.axis_name(axis), f'"{name_of(producer)}"'
    if around is not producer:
        return f'its producer is {of}, not "{name_of(around)}"'
    if (owner := stage_of(axis)) is not producer:
        return f'axis {name} belongs to "{name_of(owner)}", not to its producer {of}'
    if producer.is_stored_elsewhere:
        return f"its producer {of} is stored further out than it is computed"
    if ahead := schedule.ahead_in(producer):
        return f"its producer {of} {ahead[0].WORD} in its loops"
    if axis in (legal := _legal(producer)):
        return None
    first = schedule.axis_name(producer.order.axes[len(legal)])
    places = f"legal places: {qualified(legal) if legal else 'none'}"
    if is_reduce(producer.order.axes[len(legal)]):
        return f"{of} is complete only behind the loop of {first}, not in that of {name}; {places}"
    return f"{first} is vectorized; {places}"


def _legal(producer: schedule.StageOp) -> list[SSAValue]:
    """The loops of a stage in which some of its elements are complete."""
    found: list[SSAValue] = []
    for axis in producer.order.axes:
        if is_reduce(axis) or kind_of(axis) is LoopKind.VECTORIZED:
            break
        found.append(axis)
    return found
