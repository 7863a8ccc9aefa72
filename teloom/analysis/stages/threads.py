"""Thread axes: the threads that see one copy of a stage, how many they are, and which are idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.stages.queries import (
    kind_of,
    leaves_of,
    name_of,
    path,
    path_to_storage,
    stages_around,
)
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.scopes import GLOBAL, SCOPE_RANKS, scope_name
from teloom.dialects.syntax.tails import Tail
from teloom.errors import ScheduleError


def has_threads(stage: schedule.StageOp) -> bool:
    """Whether any loop of a stage is over a thread axis."""
    return any(kind.data.thread_rank is not None for kind in stage.order.kinds)


def scope_of(stage: schedule.StageOp) -> str:
    """The scope of a stage: its own, or the one that the thread axes around it suggest.

    Inside a thread it is local, inside a block shared, elsewhere global. Source: TVM's
    InferStorageScope.
    """
    if (scope := stage.storage.own_scope) is not None:
        return scope
    if not any(map(has_threads, stages_around(stage))):
        return GLOBAL
    ranks = {kind_of(axis).thread_rank for axis in path_to_storage(stage)}
    if 1 in ranks:
        return "local"
    return "shared" if 0 in ranks else GLOBAL


def without_relaxed(stage: schedule.StageOp, values: Sequence[SSAValue]) -> list[SSAValue]:
    """The sizes and axes around a stage on which its region may depend.

    All iterations of a relaxed loop see one copy of the stage. Iterations of a loop inside its
    storage do, too, but each computes its own part.
    """
    scope = scope_of(stage)
    relaxed = {axis for axis in path_to_storage(stage) if have_one_copy(scope, kind_of(axis))}
    return [value for value in values if relaxed.isdisjoint(leaves_of(value))]


def same_threads(
    stage: schedule.StageOp, inner: Sequence[SSAValue], seen: Sequence[SSAValue]
) -> list[tuple[SSAValue, SSAValue]]:
    """Loops inside the place of a stage, each with the loop around it over the same threads.

    A thread runs the iteration of the inner loop that has its index, and that is all it
    needs of a stage of which it has its own copy. `seen` are the axes around on which the stage
    depends. Source: TVM's NeedRelax.
    """
    kinds = [(axis, kind_of(axis)) for axis in inner]
    threads = [
        (axis, kind)
        for axis, kind in kinds
        if kind.thread_rank is not None and kind is not LoopKind.VIRTUAL  # these have no number
    ]
    if not threads:
        return []
    scope = scope_of(stage)
    around = {kind_of(axis): axis for axis in path(stage) if axis in seen}
    return [
        (axis, around[kind])
        for axis, kind in threads
        if kind in around and not have_one_copy(scope, kind)
    ]


def have_one_copy(scope: str, kind: LoopKind) -> bool:
    """Whether all iterations of a loop see one copy. Source: TVM's NeedRelax."""
    if kind.thread_rank is None:
        return False
    name = scope_name(scope)
    if name == "warp" and kind is LoopKind.THREAD_X:
        return True  # the lanes of a warp are numbered by threadIdx.x
    return SCOPE_RANKS[name] <= kind.thread_rank


def can_hand_over(scope: str, kind: LoopKind) -> bool:
    """Whether iterations may use one memory for one buffer, and later for another.

    They run one after the other, or in threads that see one copy and can wait for each other:
    those of a block can, blocks cannot.
    """
    if not kind.at_the_same_time:
        return True
    return kind.thread_rank == 1 and have_one_copy(scope, kind)


def check_extents(stage: schedule.StageOp, extents: Mapping[SSAValue, AffineExpr]) -> None:
    """Raises ScheduleError unless axes have the extents of the thread axes they are bound to."""
    for op in stage.body.block.ops:
        if not isinstance(op, schedule.ExtentOp):
            continue
        wanted, found = op.extent.value.data, extents[op.axis]
        if found == AffineExpr.constant(wanted):
            continue
        has = str(found.value) if isinstance(found, AffineConstantExpr) else "not constant"
        raise ScheduleError(
            f'axis {schedule.axis_name(op.axis)} of stage "{name_of(stage)}" is bound to '
            f"{kind_of(op.axis).value} of extent {wanted}, but its extent is {has}; bind an axis "
            "of that extent, or leave out the extent of the thread axis",
            op,
        )


def iterations_asked(axis: SSAValue) -> int | None:
    """The number of iterations that a schedule asks of an axis, some of them idle; None if of none.

    They are as many as the threads that the axis is bound to, or else as its `nparts`. Only a guard
    asks for iterations in which nothing runs: `tail "guard"`, or threads for just `nparts` parts.
    """
    relation = axis.owner
    if not isinstance(relation, schedule.RelationOp):
        return None
    uses = (use.operation for use in axis.uses)
    threads = next((op.extent.get() for op in uses if isinstance(op, schedule.ExtentOp)), None)
    parts = relation.parts if axis is relation.results[0] else None
    if relation.last_tile is Tail.GUARD:
        return parts if threads is None else threads
    return parts if threads == parts else None


def idle_leaves(stage: schedule.StageOp) -> set[SSAValue]:
    """The leaf axes that may have idle iterations, in the outer loops of what was asked for."""
    found: set[SSAValue] = set()
    for relation in stage.relations:
        found.update(axis for axis in relation.results if iterations_asked(axis) is not None)
        if not found.isdisjoint(relation.consumed) and not relation.SLANTS:
            found.add(relation.results[0])
    return found.intersection(stage.order.axes)
