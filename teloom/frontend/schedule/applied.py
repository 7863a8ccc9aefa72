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
from teloom.frontend.tensor.tensors import IterVar, PlaceholderOp
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
    with runner.explained(ApplySchedulePass()):
        make_stages(func)
        named = carry_out(sequence, func)
        if not unfinished:
            settle(sequence, func)
    stages = {name_of(stage): stage for stage in all_stages(func)}
    sizes = {copies[value]: size for size, value in s.program.sizes.items()}
    return Applied(func, stages, _axes(s, named, stages, copies), sizes)


def _axes(
    s: Schedule,
    named: NamedStages,
    stages: Mapping[str, dialect.StageOp],
    copies: Mapping[SSAValue, SSAValue],
) -> dict[SSAValue, IterVar]:
    """The user's axis of each axis; a new one where no command has told the user of it."""
    found: dict[SSAValue, IterVar] = {}
    for stage in s.stages:
        if isinstance(stage.op, PlaceholderOp):
            continue
        if stage.name not in stages and stage.name not in named.merged:
            continue
        found |= zip(named.axes(stage.name), stage.root_axes, strict=True)
        for axis, handle in stage.axis_handles():
            found[named.axis(copies[handle])] = axis
    for stage in stages.values():
        made = (axis for relation in stage.relations for axis in relation.results)
        for axis in (*stage.root_axes, *made):
            if axis not in found:
                found[axis] = IterVar(dialect.axis_name(axis))
    return found
