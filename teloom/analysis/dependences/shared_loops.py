"""Whether stages that share loops find what they read of each other, judged by the text."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.dependences.instances import InstanceSets, range_of
from teloom.analysis.dependences.time_vectors import Nest
from teloom.analysis.regions.shared_order import SharedOrder, shared_with
from teloom.analysis.regions.windows import Lifetimes
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import Read, first_of_run, name_of, path, run_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError


class TextInstances:
    """The instances that the text of stages says."""

    def __init__(self, sets: InstanceSets):
        self.sets, self.reads = sets, sets.reads

    def around(self, stage: schedule.StageOp) -> Sequence[SSAValue]:
        return [*self.sets.sizes, *path(stage)]

    def of(self, stage: schedule.StageOp, of_init: bool) -> Points:
        return self.sets.of(stage, Nest.INIT if of_init else Nest.BODY)

    def bounds(
        self, stage: schedule.StageOp, axis: SSAValue
    ) -> tuple[Sequence[AffineExpr], Sequence[AffineExpr], Sequence[SSAValue]]:
        op = range_of(axis)
        return op.lower.data.results, op.upper.data.results, op.operands_


def check_shared(read: Read, writer: schedule.StageOp, sets: InstanceSets) -> bool:
    """Checks a read of a stage that shares loops with the reader; False if it shares none.

    Raises ScheduleError, with two instances, if the read can come before what it reads.
    """
    member = shared_with(writer, read)
    if member is None:
        return False
    order = SharedOrder(run_of(first_of_run(writer)), TextInstances(sets))
    order.check(writer, read, member)
    if writer.storage.folds:
        _check_folds(writer, order, read)
    return True


def _check_folds(writer: schedule.StageOp, order: SharedOrder, read: Read) -> None:
    """Refuses folded storage in which two elements that are live in one iteration share memory."""
    found, folds = order.times_of(writer), writer.storage.factors
    if found is None:
        raise ScheduleError(
            f'"{name_of(writer)}" is folded, but not all of its readers share its loops, one '
            "iteration after another",
            read,
        )
    lifetimes = Lifetimes(found.written, found.read, found.times, writer.data_axis_count)
    for axis, factor in folds.items():
        clash = lifetimes.clash(axis, factor, {k: f for k, f in folds.items() if k < axis})
        if clash is not None:
            name = name_of(writer)
            raise ScheduleError(
                f"{name}{clash.one} and {name}{clash.other} share memory, and both are needed at "
                "the same time",
                writer,
            )
