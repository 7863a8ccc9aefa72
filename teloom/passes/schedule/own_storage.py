"""Where the elements of a stage are stored, and checks on that shared by the primitives."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from teloom.analysis.memory.triangles import beside_triangle
from teloom.analysis.stages.kinds import word_of_code
from teloom.analysis.stages.queries import is_output, name_of
from teloom.dialects import loop, schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import command_word


def compute_in(stage: schedule.StageOp, axis: SSAValue) -> None:
    """Sets the loop in which a stage is computed; an output stays in the caller's array."""
    stage.set_at(axis)
    if is_output(stage):
        stage.set_stored_at(None)


def require_data_axis(stage: schedule.StageOp, axis: SSAValue, command: Operation) -> None:
    """Refuses an axis that is no data axis of the stage."""
    require_equation(stage, command)
    data_axes = stage.root_axes[: stage.data_axis_count]
    if axis not in data_axes:
        raise ScheduleError(
            f'axis {schedule.axis_name(axis)} is no data axis of the equation of "{name_of(stage)}"'
            f"; these are {schedule.axis_names(data_axes)}",
            command,
        )


def require_equation(stage: schedule.StageOp, command: Operation) -> None:
    """Refuses an extern with axes: its points fill slices, not elements."""
    if stage.extern is not None and stage.root_axes:
        raise ScheduleError(
            f'{command_word(command)} of "{name_of(stage)}": it is {word_of_code(stage)}, whose '
            "elements lie at no points of its axes",
            command,
        )


def require_temporary(stage: schedule.StageOp, what: str, command: Operation) -> None:
    """Refuses `what` for an output."""
    if is_output(stage):
        raise ScheduleError(
            f"cannot {what}: it is an output, which the caller stores row-major and without gaps",
            command,
        )


def require_each_once(stage: schedule.StageOp, what: str, command: Operation) -> None:
    """Refuses `what` for an update, whose elements live as long as its loops run."""
    if stage.update is not None:
        raise ScheduleError(
            f"cannot {what}: it is an update, whose points reach all of its elements until the "
            "last of them",
            command,
        )


def store(stage: schedule.StageOp, storage: loop.StorageAttr, command: Operation) -> None:
    """Lets a stage be stored so; refuses what a layout does not allow.

    These are an alignment of an axis without a stride, and in a packed layout a fold and elements
    beside the triangle.
    """
    _require_strides(stage, storage, command)
    _require_triangle(stage, storage, command)
    stage.set_storage(storage)


def _require_strides(
    stage: schedule.StageOp, storage: loop.StorageAttr, command: Operation
) -> None:
    """Refuses an alignment of an axis that has no stride of its own in the layout."""
    if (layout := storage.own_layout) is None:
        return
    for alignment in storage.alignments:
        if layout.position_of(alignment.axis.data) is None:
            axis = stage.root_axes[alignment.axis.data]
            raise ScheduleError(
                f'axis {schedule.axis_name(axis)} of "{name_of(stage)}" has no stride to align: '
                f"it is no axis with a stride in the layout {layout.bare}",
                command,
            )


def _require_triangle(
    stage: schedule.StageOp, storage: loop.StorageAttr, command: Operation
) -> None:
    """Refuses a packed layout that has no place for an element of the stage, or with a fold."""
    layout = storage.own_layout
    if layout is None or not layout.triangle:
        return
    what = f'"{name_of(stage)}" cannot be packed'
    if storage.folds:
        axes = schedule.axis_names([stage.root_axes[fold.axis.data] for fold in storage.folds])
        raise ScheduleError(f"{what} and folded along {axes}: give up one of them", command)
    found = beside_triangle(stage, layout)
    if found is not None:
        raise ScheduleError(
            f"{what}: its element {found.element} has row {found.row} and column {found.column}"
            f"{found.when}, and of row r the layout has {layout.columns}; give it a domain that is "
            "such a triangle, or store the other one",
            command,
        )
