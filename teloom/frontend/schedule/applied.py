"""Carries out the commands of a schedule on a copy, and finds the user's axes there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import all_stages, name_of
from teloom.dialects import schedule as dialect
from teloom.dialects import te
from teloom.driver.runner import runner_of
from teloom.errors import depth_checked
from teloom.frontend.expr.expressions import Var
from teloom.frontend.tensor.tensors import IterVar
from teloom.passes.schedule.apply_schedule import ApplySchedulePass, carry_out, make_stages

if TYPE_CHECKING:
    from teloom.frontend.schedule.schedules import Schedule


class Applied(NamedTuple):
    """The function of a schedule, with its commands carried out.

    `stages` are by name, without inlined ones. `axes` maps axes of the stages to the user's, and
    `sizes` maps arguments of the function to the user's sizes.
    """

    func: te.FuncOp
    stages: dict[str, dialect.StageOp]
    axes: dict[SSAValue, IterVar]
    sizes: dict[SSAValue, Var]


@depth_checked()
def applied(s: Schedule, unfinished: bool = False) -> Applied:
    """Carries out the commands of a schedule on a copy of its module.

    Raises `teloom.ScheduleError` as `teloom.lower` does. The places of stages of an unfinished
    schedule are not checked: a later command may make them legal.
    """
    copies: dict[SSAValue, SSAValue] = {}
    module = s.module.clone(copies)
    func, *_, sequence = module.ops
    assert isinstance(func, te.FuncOp)
    assert isinstance(sequence, dialect.SequenceOp)
    runner = runner_of(lambda: str(s.module))
    if unfinished:
        with runner.explained(ApplySchedulePass()):
            make_stages(func)
            carry_out(sequence, func)
    else:
        runner.run(module, [ApplySchedulePass()])
    stages = {name_of(stage): stage for stage in all_stages(func)}
    sizes = {copies[value]: size for size, value in s.program.sizes.items()}
    return Applied(func, stages, _axes(s, stages, copies), sizes)


def _axes(
    s: Schedule, stages: Mapping[str, dialect.StageOp], copies: Mapping[SSAValue, SSAValue]
) -> dict[SSAValue, IterVar]:
    found: dict[SSAValue, IterVar] = {}
    for stage in s.stages:
        applied = stages.get(stage.name)
        if applied is None:
            continue
        found |= zip(applied.root_axes, stage.root_axes, strict=True)
        for axis, handle in stage.axis_handles():
            found[_axis_behind(handle, applied, copies)] = axis
    return found


def _axis_behind(
    handle: SSAValue, stage: dialect.StageOp, copies: Mapping[SSAValue, SSAValue]
) -> SSAValue:
    """The axis of the stage that a handle of the schedule stands for."""
    command = handle.owner
    if isinstance(command, dialect.AxesOp):
        return stage.root_axes[command.axes.index(handle)]
    if not isinstance(command, dialect.TileOp):
        return copies[handle]
    # A tile became two splits; each is found by the axis that it consumes.
    of_x = handle in (command.x_outer, command.x_inner)
    parent = _axis_behind(command.x_parent if of_x else command.y_parent, stage, copies)
    split = next(relation for relation in stage.relations if parent in relation.consumed)
    outer, inner = split.results
    return outer if handle in (command.x_outer, command.y_outer) else inner
