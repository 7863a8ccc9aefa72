"""Carries out the commands of a schedule on a copy, and finds the user's axes there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import all_stages, is_reduce, name_of
from teloom.dialects import schedule as dialect
from teloom.dialects import te
from teloom.dialects.loop import LoopKind
from teloom.driver.runner import runner_of
from teloom.errors import depth_checked
from teloom.frontend.expr.expressions import Var
from teloom.frontend.tensor.tensors import IterType, IterVar
from teloom.passes.schedule.apply_schedule import (
    ApplySchedulePass,
    carry_out,
    make_stages,
    settle,
)
from teloom.passes.schedule.primitives.handles import NamedStages

if TYPE_CHECKING:
    from teloom.frontend.schedule.schedules import Schedule


class Applied(NamedTuple):
    """The function of a schedule, with its commands carried out.

    `stages` are by name, without inlined ones. `behind` maps the handles of axes to axes of the
    stages, of which one may stand behind several, as where a stage has the loops of another;
    `axes` maps each of them to one of the user's. `sizes` maps arguments of the function to the
    user's sizes.
    """

    func: te.FuncOp
    stages: dict[str, dialect.StageOp]
    behind: dict[SSAValue, SSAValue]
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
    # Carrying out a command replaces the uses of a handle: so these become the axes themselves.
    handles = [handle for stage in s.stages for _, handle in stage.axis_handles()]
    carried_out = dialect.OrderOp(
        [copies[handle] for handle in handles], [LoopKind.SERIAL] * len(handles)
    )
    runner = runner_of(lambda: str(s.module))
    with runner.explained(ApplySchedulePass()):
        make_stages(func)
        named = carry_out(sequence, func)
        if not unfinished:
            settle(sequence, named)
    stages = {name_of(stage): stage for stage in all_stages(func)}
    sizes = {copies[value]: size for size, value in s.program.sizes.items()}
    behind = dict(zip(handles, carried_out.axes, strict=True))
    return Applied(func, stages, behind, _axes(s, named, stages, behind), sizes)


def _axes(
    s: Schedule,
    named: NamedStages,
    stages: Mapping[str, dialect.StageOp],
    behind: Mapping[SSAValue, SSAValue],
) -> dict[SSAValue, IterVar]:
    """The user's axes; an axis that no command has told the user of gets a new one.

    Where several are one loop, it is one that has a handle, and of these one of the last stage.
    """
    found: dict[SSAValue, IterVar] = {}
    for stage in s.stages:
        if stage.name in stages or stage.name in named.merged:
            found |= zip(named.axes(stage.name), stage.root_axes, strict=True)
    for stage in s.stages:
        found |= ((behind[handle], axis) for axis, handle in stage.axis_handles())
    for stage in stages.values():
        made = (axis for relation in stage.relations for axis in relation.results)
        for axis in (*stage.root_axes, *made):
            if axis not in found:
                kind = IterType.of(is_reduce(axis))
                found[axis] = IterVar(dialect.axis_name(axis), iter_type=kind)
    return found
