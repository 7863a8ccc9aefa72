"""New stages in front of readers, their definitions and handles: of caches, clones and the like."""

from __future__ import annotations

from collections.abc import Sequence
from types import UnionType

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import Read, name_of, reader_of, reads_of_tensor, steps_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.operands import pack
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import set_order
from teloom.passes.schedule.primitives.handles import Primitive, command_word, quoted
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage


def new_name(primitive: Primitive, op: schedule.CacheCommand, tensor: str) -> str:
    """The name of the cache stage that `op` creates for a tensor of this name.

    No other stage has the name, nor did one that was inlined since.
    """
    return schedule.derived_name(tensor, op.scope.data, primitive.stages.names)


def copying(
    tensors: Sequence[SSAValue],
    axis_names: Sequence[str | None],
    coordinates: Sequence[AffineExpr] | None = None,
    sizes: Sequence[SSAValue] = (),
) -> EquationParts:
    """An equation that copies these tensors, which have one shape.

    It reads them at its own points, or at these coordinates, over sizes and its axes.
    """
    block = Block(arg_types=[IndexType()] * len(axis_names))
    for axis, axis_name in zip(block.args, axis_names, strict=True):
        axis.name_hint = axis_name
    map, operands = AffineMapAttr(AffineMap.identity(len(axis_names))), [*block.args]
    if coordinates is not None:
        map, operands = pack(coordinates, [*sizes, *block.args])
    reads = [te.ReadOp(tensor, map, operands) for tensor in tensors]
    block.add_ops([*reads, te.YieldOp([read.value for read in reads])])
    return EquationParts(Region(block), Region(), None, Region())


def computed_inside(stage: schedule.StageOp) -> str | None:
    """What is computed in the loops of a stage, which its definition would leave behind."""
    if stage.attached:
        return f'"{name_of(stage.attached[0])}" is computed inside it'
    if ahead := schedule.ahead_in(stage):
        return f"it {ahead[0].WORD} in its loops"
    return None


def said_of_loops(stage: schedule.StageOp, kept: type[Operation] | UnionType) -> str | None:
    """What commands say of the loops of a stage, other than by the ops that are kept."""
    said = [op for op in stage.body.block.ops if not isinstance(op, kept)]
    return f"{command_word(said[0])} says more of its loops" if said else None


def computing_stage(name: str, stage: schedule.StageOp) -> schedule.StageOp:
    """A new stage that takes the equation or the code of `stage` away from it."""
    count = stage.data_axis_count
    names = [axis.name_hint for axis in stage.root_axes]
    return unscheduled_stage(
        name,
        [axis and f"{axis}.c" for axis in names[:count]] + names[count:],
        stage.bounds,
        count,
        _detached(stage),
        [tensor.type for tensor in stage.tensors],
    )


def _detached(stage: schedule.StageOp) -> EquationParts | ExternParts:
    extern = stage.extern
    return stage.equation.detach_parts() if extern is None else extern.detach_parts()


def define_by(stage: schedule.StageOp, computing: schedule.StageOp, parts: EquationParts) -> None:
    """Gives `stage` a new equation over its data axes; `computing` has its old definition.

    Handles of reduce axes become those of `computing`. All else of the stage stays.
    """
    count = stage.data_axis_count
    axes = stage.body.block.args
    data_axes, reduce_axes = axes[:count], axes[count:]
    set_order(stage, [(axis, LoopKind.SERIAL) for axis in data_axes])
    for axis, moved in zip(
        reduce_axes, computing.root_axes[computing.data_axis_count :], strict=True
    ):
        axis.replace_all_uses_with(moved)
        stage.body.block.erase_arg(axis)
    if (command := stage.properties.pop("reassociated", None)) is not None:
        computing.properties["reassociated"] = command
    stage.set_bounds(stage.bounds.of_first(count))
    Rewriter.replace_op(stage.definition, schedule.EquationOp(parts))


def finish(
    primitive: Primitive,
    op: schedule.CacheCommand,
    cache: schedule.StageOp,
    cached: Sequence[SSAValue],
    reader: schedule.StageOp,
) -> None:
    """Inserts the cache of the tensors `cached` in front of a reader, and defines its handle."""
    cache.set_storage(cache.storage.in_scope(op.scope.data))
    name_tensors(cache, cached, op.scope.data)
    insert_producer(primitive, op.cache, cache, reader)


def name_tensors(stage: schedule.StageOp, tensors: Sequence[SSAValue], suffix: str) -> None:
    """Gives the results of a stage the names of `tensors`, with a suffix."""
    for tensor, named in zip(stage.tensors, tensors, strict=True):
        tensor.name_hint = named.name_hint and f"{named.name_hint}.{suffix}"


def insert_producer(
    primitive: Primitive, handle: OpResult, stage: schedule.StageOp, reader: schedule.StageOp
) -> None:
    """Inserts a new stage in front of a reader, and defines the handle that a command gives of it.

    The stage is at the root. If it is a step of a scan, it is at the place of the step that reads
    it.
    """
    op = handle.op
    stage.location = op.location
    place = reader
    while place.enclosing is not None and stage not in steps_of(place.enclosing):
        place = place.enclosing
    if place.at is not None:
        stage.set_at(place.at)
    Rewriter.insert_op(stage, InsertPoint.before(place))
    primitive.stages.add(stage)
    get = schedule.GetOp(stage.stage_name.data)
    get.location = op.location
    get.stage.name_hint = handle.name_hint
    Rewriter.insert_op(get, InsertPoint.after(op))
    handle.replace_all_uses_with(get.stage)


def reads_by(
    reader: schedule.StageOp, tensors: Sequence[SSAValue], name: str, op: Operation
) -> list[Read]:
    """The reads of tensors, which a user knows by `name`, in the definition of one reader.

    Raises ScheduleError, at the command `op`, for a reader without any.
    """
    reads = [read for tensor in tensors for read in reads_of_tensor(tensor)]
    found = [read for read in reads if reader_of(read) is reader]
    if found:
        return found
    stages = dict.fromkeys(reader_of(read) for read in reads)
    raise ScheduleError(
        f'"{name_of(reader)}" does not read "{name}"; stages that do: '
        + (quoted([name_of(stage) for stage in stages]) or "none"),
        op,
    )
