"""Equations without a reduction: vectors along the last axis, threads along the first ones."""

from __future__ import annotations

from math import prod

from teloom.frontend.auto.axes.divided_axes import divisions_of
from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    bytes_of,
    extent_of,
    is_box,
    known,
    known_extent,
)
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.expr import dtypes
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar

PART = 2**14
"""The elements of a part of an axis that threads share."""

LEAST_PART = 2**11
"""The least elements of a part, and what parts are multiples of."""

TRANSPOSED = 128
"""The side of a tile of a transposition."""

STRIP = 32
"""Rows of a strip in which windows slide; each strip computes the rows of a first window again."""

LONG_ROW = 32
"""The least extent of a row that stays one if conditions on axes divide it."""

MOST_UNROLLED = 8
"""The longest axis that is unrolled around vectors."""

EACH = 2
"""The vectors along another axis for each position of a short one."""

STREAMED = 16
"""What stages read and write, in sizes of the second cache, before their stores are streamed. The
last cache keeps less than that for what comes next."""

HELD = 16
"""The most rows that registers hold until they are transposed: of more, some are read again."""


def schedule_alone(rules: ScheduleWriter, stage: Stage, equation: EquationFacts) -> None:
    """Schedules a stage that computes no others in its loops."""
    axes = [*stage.op.axis]
    if not axes:
        return
    across = _across(equation) if is_box(equation.op) else None
    short = _short(rules.machine, equation) if is_box(equation.op) else None
    if across is not None:
        _transpose(rules, stage, axes, across, equation)
    elif is_box(equation.op) and _is_linear(equation) and not _has_long_cases(equation):
        _in_parts(rules, stage, axes, equation)
    elif short is not None:
        _each_of(rules, stage, axes, short, equation)
    else:
        _along_last(rules, stage, axes, equation)
    stream(rules, stage, equation)


def _along_last(
    rules: ScheduleWriter, stage: Stage, axes: list[IterVar], equation: EquationFacts
) -> None:
    """Vectors along the last axis, or along each part of it behind which reads begin again."""
    *others, last = axes
    how = f"vectors along {last.name}, which is contiguous"
    size = _repeated(rules.machine, equation)
    if size is not None:
        how = f"vectors along {last.name}, of which parts of {size} read the same"
    elif prod(map(extent_of, others)) < rules.machine.threads and extent_of(last) >= 2 * PART:
        size = PART
    if size is not None:
        part, last = stage.split(last, factor=size)
        others.append(part)
    rules.share(stage, others, equation.total)
    stage.vectorize(last)
    rules.say(stage, how)


def _repeated(machine: Machine, equation: EquationFacts) -> int | None:
    """The elements of the last axis behind which something is read again, by their remainders."""
    op, lanes = equation.op, machine.lanes(equation.op.outputs[0].dtype)
    last = len(op.axis) - 1
    sizes = (size for number, size in divisions_of(op, "floormod") if number == last)
    return min((size for size in sizes if size >= lanes), default=None)


def _short(machine: Machine, equation: EquationFacts) -> int | None:
    """A short axis, by number, for each of whose positions the same elements are read.

    It is better unrolled around vectors along another axis: the last one, or the one before if the
    last one is short itself. What only moves elements has little to do for each.
    """
    axes, lanes = equation.op.axis, machine.lanes(equation.op.outputs[0].dtype)
    most = max((bytes_of(one) for one in equation.tensors), default=0)
    large = [one for one in equation.reads if bytes_of(one.tensor) == most > machine.caches[0]]
    for number, axis in enumerate(axes):
        extent, others = known_extent(axis), [*axes[:number], *axes[number + 1 :]]
        most_short = min(MOST_UNROLLED, lanes - 1) if axis is axes[-1] else MOST_UNROLLED
        is_short = extent is not None and 1 < extent <= most_short
        is_again = any(not one.mentions(axis) for one in large) and not equation.moves
        if is_short and is_again and others and extent_of(others[-1]) >= EACH * lanes:
            return number
    return None


def _each_of(
    rules: ScheduleWriter, stage: Stage, axes: list[IterVar], short: int, equation: EquationFacts
) -> None:
    """Vectors along the last axis but `short`, and all positions of that for each of them."""
    each, last = axes.pop(short), axes.pop()
    lanes = rules.machine.lanes(equation.op.outputs[0].dtype)
    outer, inner = stage.split(last, factor=max(EACH * rules.machine.lanes("float32"), lanes))
    stage.reorder(*axes, outer, each, inner)
    rules.share(stage, [*axes, outer], equation.total)
    stage.unroll(each)
    stage.vectorize(inner)
    rules.say(stage, f"vectors along {last.name}, for each of which {each.name} is unrolled")


def _has_long_cases(equation: EquationFacts) -> bool:
    """Whether conditions on axes change along rows that are long enough to be vectors."""
    return equation.has_cases and extent_of(equation.op.axis[-1]) >= LONG_ROW


def _is_linear(equation: EquationFacts) -> bool:
    """Whether all reads are at the axes of the equation, so that these can be fused to one."""
    axes = equation.op.axis
    return all(
        len(read.subscripts) == len(axes)
        and all(
            one.coefficients == {axis: 1} and not one.constant
            for one, axis in zip(read.subscripts, axes, strict=True)
        )
        for read in equation.reads
    )


def _in_parts(
    rules: ScheduleWriter, stage: Stage, axes: list[IterVar], equation: EquationFacts
) -> None:
    whole = axes[0] if len(axes) == 1 else stage.fuse(*axes)
    if not rules.threads_pay(equation.total):
        stage.vectorize(whole)
        rules.say(stage, "all elements are one axis of vectors")
        return
    part = _part(rules, axes)
    outer, inner = stage.split(whole, factor=part)
    stage.vectorize(inner)
    reason = f"all elements are one axis, of which threads take {part} at a time"
    rules.run_on_threads(stage, [outer], reason)


def _part(rules: ScheduleWriter, axes: list[IterVar]) -> int:
    """The elements that a thread takes at a time: fewer than usual, where all have work then."""
    each = -(-prod(map(extent_of, axes)) // rules.machine.threads)
    return min(PART, max(LEAST_PART, -(-each // LEAST_PART) * LEAST_PART))


def _across(equation: EquationFacts) -> int | None:
    """The axis, by number, along which a read is contiguous that is not so along the last axis."""
    *others, last = equation.op.axis
    strided = [read for read in equation.reads if read.stride(last) not in (0, 1)]
    found = (
        number
        for read in strided
        for number, axis in enumerate(others)
        if read.stride(axis) in (1, -1) and extent_of(axis) > 1
    )
    return next(found, None)


def _transpose(
    rules: ScheduleWriter, stage: Stage, axes: list[IterVar], across: int, equation: EquationFacts
) -> None:
    """Schedules a transposition by tiles of tiles: outer ones for pages, inner ones for vectors."""
    dtype = stage.op.outputs[0].dtype
    lanes = rules.machine.lanes(dtype)
    others = [axis for number, axis in enumerate(axes[:-1]) if number != across]
    i_tile, j_tile, i, j = stage.tile(axes[across], axes[-1], TRANSPOSED, TRANSPOSED)
    # What is written of a row are whole lines: streamed parts would each go to memory.
    line = max(lanes, rules.machine.line // dtypes.of(dtype).bytes)
    i_outer, j_outer, i_inner, j_inner = stage.tile(i, j, lanes, line)
    # Parts of a line that is read come one after the other.
    outer = [i_outer, j_outer] if line == lanes else [j_outer, i_outer]
    stage.reorder(*others, i_tile, j_tile, *outer, i_inner, j_inner)
    rules.share(stage, [*others, i_tile, j_tile], equation.total)
    stage.unroll(i_inner)
    stage.vectorize(j_inner)
    rules.say(stage, f"tiles of {lanes} x {line} are transposed in registers")
    reads = equation.reads if equation.moves else []
    crowded = [read.tensor for read in reads if _share_lines(rules.machine, read, axes[-1], line)]
    for tensor in dict.fromkeys(crowded):
        copy = rules.s[rules.s.cache_read(tensor, "global", [stage.op])]
        copy.compute_at(stage, j_tile)
        copy.vectorize(copy.op.axis[-1])
        rules.say(copy, "copied tile by tile, as its rows share a few lines of the cache")


def _share_lines(machine: Machine, read: Read, axis: IterVar, rows: int) -> bool:
    """Whether the first cache forgets rows that are read again, as registers do not hold all."""
    stride = read.stride(axis)
    if not stride or rows <= HELD:
        return False
    room = machine.room(abs(stride) * dtypes.of(read.tensor.dtype).bytes)
    return room is not None and room < rows


def stream(rules: ScheduleWriter, stage: Stage, equation: EquationFacts) -> None:
    """Streams the stores of a stage that reads and writes far more than a core's own caches."""
    written = sum(map(bytes_of, equation.op.outputs))
    touched = written + sum(map(bytes_of, equation.tensors))
    is_known = all(known(extent) is not None for extent in equation.op.outputs[0].extents)
    if is_known and touched > STREAMED * rules.machine.second_cache:
        stage.stream_stores()
        rules.say(stage, f"{written} bytes are stored past the caches")
