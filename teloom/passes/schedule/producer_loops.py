"""The loops of a producer for a stage that reads one element of it: shared by primitives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.regions.outside import check_everywhere
from teloom.analysis.sets.inverses import NoInverseError, inverse_of
from teloom.analysis.stages.queries import (
    Read,
    function_around,
    is_output,
    name_of,
    reader_of,
    reads_of,
    result_behind,
    size_names,
    states_of,
)
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule, te
from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.fold import map_of_dims, over_dims, replace_dims
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.errors import PassError, ScheduleError
from teloom.passes.schedule.primitives.handles import command_word, quoted


class ProducerRead(NamedTuple):
    """A stage each of whose elements reads one element of its only producer."""

    producer: schedule.StageOp
    subscripts: Sequence[AffineExpr]
    """Over the axes of the stage; symbol k is size k of the function."""


def producer_read(
    stage: schedule.StageOp, func: te.FuncOp, command: Operation, stays: bool = False
) -> ProducerRead:
    """The producer of a stage, and where it is read.

    Raises ScheduleError unless the stage reads exactly one element of one stage at each point,
    inside of that and at no two points the same, and nothing but its default loops would be
    lost. If the producer `stays` a stage of its own, it may be a reduction, and an output.
    """

    def require(reason: str | None) -> None:
        if reason is not None:
            refused = f'{command_word(command)} of "{name_of(stage)}": {reason}'
            raise ScheduleError(refused, command)

    require(_why_no_reader(stage))
    reads = [op for op in preorder(stage.equation) if _is_of_stage(op)]
    require(_why_not_of_one(reads, stage))
    producer = result_behind(reads[0].tensor).owner
    assert isinstance(producer, schedule.StageOp)
    require(_why_no_producer(producer, stage, stays))
    accesses = ReadMaps(func, list(func.sizes), isl.Context())
    require(_why_not_readable(reads, stage, accesses))
    subscripts = _over_axes(reads[0], accesses)
    require(_why_no_inverse(subscripts, stage, accesses))
    try:
        check_everywhere(reads[0], accesses)
    except PassError as error:
        require(str(error))
    return ProducerRead(producer, subscripts)


def _is_of_stage(op: Operation) -> bool:
    return isinstance(op, Read) and isinstance(result_behind(op.tensor).owner, schedule.StageOp)


def _why_no_reader(stage: schedule.StageOp) -> str | None:
    """Why a stage cannot take the loops of another one."""
    if (reason := _why_no_equation(stage)) is not None:
        return f"it {reason}"
    if stage.equation.is_reduction:
        return "it is a reduction, of which no element is a function of one that it reads"
    if stage.attached:
        return f'"{name_of(stage.attached[0])}" is computed inside it'
    if stage.is_stored_elsewhere:
        return "it is stored further out than it is computed"
    if ahead := schedule.ahead_in(stage):
        return f"it {ahead[0].WORD} in its loops"
    if not _has_default_loops(stage):
        return "its own loops would be lost; this command comes before all others on its axes"
    return None


def _why_no_equation(stage: schedule.StageOp) -> str | None:
    """Why a stage has no equation of one value."""
    if states_of(stage):
        return "is a scan, whose steps read it"
    if stage.extern is not None:
        return "is an extern, whose body is no equation"
    if stage.update is not None:
        return "is an update, whose points depend on each other"
    if len(stage.tensors) > 1:
        return f"computes {len(stage.tensors)} tensors at a time, which fission_results parts"
    return None


def _has_default_loops(stage: schedule.StageOp) -> bool:
    """Whether the loops are those of the equation, in any order, or only a map of these."""
    relations = stage.relations
    is_map = len(relations) == 1 and isinstance(relations[0], schedule.RemapOp)
    kinds = {kind for _, kind in stage.order.leaves}
    others = {type(op) for op in stage.body.block.ops}
    others -= {schedule.OrderOp, schedule.EquationOp, schedule.RemapOp}
    return (not relations or is_map) and kinds <= {LoopKind.SERIAL} and not others


def _why_not_of_one(reads: Sequence[Read], stage: schedule.StageOp) -> str | None:
    """Why reads are not of one stage, at each point."""
    names = [*dict.fromkeys(name_of(result_behind(read.tensor).owner) for read in reads)]
    if not names:
        return "it reads no stage"
    if len(names) > 1:
        return f"it reads several stages: {quoted(names)}"
    for read in reads:
        if isinstance(read.tensor.owner, schedule.StateOp):
            return f'it reads earlier steps of the scan "{names[0]}"'
        if read.parent_op() is not stage.equation:
            return f'it reads "{names[0]}" under a condition'
    return None


def _why_no_producer(
    producer: schedule.StageOp, stage: schedule.StageOp, stays: bool
) -> str | None:
    """Why a stage cannot give its loops to its reader."""
    name = f'"{name_of(producer)}"'
    if (reason := _why_no_equation(producer)) is not None:
        return f"its producer {name} {reason}"
    if producer.equation.is_reduction and not stays:
        return f"its producer {name} is a reduction, which is complete only behind its loops"
    if is_output(producer) and not stays:
        return f"its producer {name} is an output"
    others = {reader_of(read) for read in reads_of(producer)} - {stage}
    if others:
        return f"its producer {name} is also read by {quoted(sorted(map(name_of, others)))}"
    for tensor in producer.tensors:
        for use in tensor.uses:
            if isinstance(use.operation, schedule.AheadOp):
                return f'"{name_of(use.operation.stage)}" {use.operation.WORD} its producer {name}'
    return None


def _why_not_readable(
    reads: Sequence[Read], stage: schedule.StageOp, accesses: ReadMaps
) -> str | None:
    """Why reads are not of one element each, that follows from the axes."""
    name = name_of(result_behind(reads[0].tensor).owner)
    for read in reads:
        found = accesses.of(read).subscripts
        if found is None:
            return f'which element of "{name}" it reads is no affine expression of its axes'
    texts = [*dict.fromkeys(_text(_over_axes(read, accesses), stage) for read in reads)]
    if len(texts) > 1:
        return f'it reads several elements of "{name}": {", ".join(texts)}'
    return None


def _over_axes(read: Read, accesses: ReadMaps) -> list[AffineExpr]:
    """The subscripts of a read over the axes of its reader; symbols are sizes."""
    found, sizes = accesses.of(read).subscripts, len(accesses.sizes)
    assert found is not None

    def moved(dim: int) -> AffineExpr:
        is_axis = dim >= sizes
        return AffineExpr.dimension(dim - sizes) if is_axis else AffineExpr.symbol(dim)

    return [canonical(replace_dims(expr, moved)) for expr in found]


def _text(subscripts: Sequence[AffineExpr], stage: schedule.StageOp) -> str:
    read = map_of_dims(len(stage.root_axes), subscripts)
    values = [*stage.root_axes, *function_around(stage).sizes]
    return f"[{', '.join(affine.text(expr, values) for expr in over_dims(read))}]"


def _why_no_inverse(
    subscripts: Sequence[AffineExpr], stage: schedule.StageOp, accesses: ReadMaps
) -> str | None:
    """The reason why the point that reads an element is no function of the element."""
    if not subscripts and stage.root_axes:
        return "its producer has no axes"
    try:
        read = over_dims(map_of_dims(len(stage.root_axes), subscripts))
        inverse_of(tuple(read), tuple(accesses.axis_box(stage)))
    except NoInverseError as error:
        why = error.words(size_names(stage))
        return f"what it reads at {_text(subscripts, stage)} has no inverse: {why}"
    return None


def axes_like(
    axes: Sequence[SSAValue], subscripts: Sequence[AffineExpr], stage: schedule.StageOp
) -> list[SSAValue]:
    """New axes of a stage that run as `axes` of its producer, which it reads at these subscripts.

    They replace its root axes, or are these where the subscripts are the axes in some order. The
    stage has no order then that fits.
    """
    for relation in stage.relations:
        relation.detach()
        relation.drop_all_references()
    roots = stage.root_axes
    positions = [expr.position for expr in subscripts if isinstance(expr, AffineDimExpr)]
    if sorted(positions) == [*range(len(roots))] and len(subscripts) == len(roots):
        return [roots[position] for position in positions]
    remap = schedule.RemapOp(roots, AffineMapAttr(map_of_dims(len(roots), subscripts)))
    for made, axis in zip(remap.remapped, axes, strict=True):
        made.name_hint = axis.name_hint
    Rewriter.insert_op(remap, InsertPoint.before(stage.order))
    return [*remap.remapped]


def composed(
    found: ProducerRead,
) -> tuple[list[SSAValue], Sequence[AffineExpr], list[schedule.RelationOp]]:
    """The axes that the first loops of the producer are made of, as they are read, and how.

    They are its root axes, or what a map makes of all of these: then there is one map less. They
    are in the order of the loops, so that a chain of stages becomes the same in any order.
    """
    producer, subscripts = found
    axes, relations = [*producer.root_axes], producer.relations
    match relations:
        case [schedule.RemapOp() as first, *others] if {*first.args} == {*axes}:
            of_args = [subscripts[axes.index(axis)] for axis in first.args]
            exprs = first.map.data.results
            subscripts = [canonical(replace_dims(expr, of_args.__getitem__)) for expr in exprs]
            axes, relations = [*first.remapped], others
    number = outermost_loops(producer)
    order = sorted(range(len(axes)), key=lambda k: number[axes[k]])
    return [axes[k] for k in order], [subscripts[k] for k in order], relations


def outermost_loops(stage: schedule.StageOp) -> dict[SSAValue, int]:
    """The number of the outermost loop that each axis has become."""
    found = {leaf: number for number, leaf in enumerate(stage.order.axes)}
    for relation in reversed(stage.relations):
        outermost = min(found[axis] for axis in relation.results)
        found |= dict.fromkeys(relation.consumed, outermost)
    return found
