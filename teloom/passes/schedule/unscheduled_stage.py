"""The default schedule of a stage: its axes in their order, serial, at the root."""

from collections.abc import Sequence

from xdsl.ir import Attribute, Block, Region

from teloom.dialects import schedule
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.bodies.update import UpdateParts
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import AxisBounds


def unscheduled_stage(
    name: str,
    axis_names: Sequence[str | None],
    bounds: AxisBounds,
    data_axes: int,
    parts: EquationParts | UpdateParts | ExternParts,
    result_types: Sequence[Attribute],
) -> schedule.StageOp:
    """A new, detached stage with the definition of `parts` and the default schedule."""
    block = Block(arg_types=[schedule.AXIS] * len(axis_names))
    for axis, axis_name in zip(block.args, axis_names, strict=True):
        axis.name_hint = axis_name
    order = schedule.OrderOp(block.args, [LoopKind.SERIAL] * len(block.args))
    block.add_ops([order, _definition(parts)])
    return schedule.StageOp(name, bounds, data_axes, None, Region(block), result_types)


def over_axes_of(
    stage: schedule.StageOp,
    name: str,
    parts: EquationParts | UpdateParts | ExternParts,
    result_types: Sequence[Attribute],
) -> schedule.StageOp:
    """A new, detached stage over the root axes of another one, whose order of folding it has."""
    made = unscheduled_stage(
        name,
        [axis.name_hint for axis in stage.root_axes],
        stage.bounds,
        stage.data_axis_count,
        parts,
        result_types,
    )
    if stage.reassociated is not None:
        made.set_reassociated(stage.reassociated.data)
    return made


def _definition(
    parts: EquationParts | UpdateParts | ExternParts,
) -> schedule.EquationOp | schedule.UpdateOp | schedule.ExternOp:
    match parts:
        case EquationParts():
            return schedule.EquationOp(parts)
        case UpdateParts():
            return schedule.UpdateOp(parts)
        case ExternParts():
            return schedule.ExternOp(parts)
