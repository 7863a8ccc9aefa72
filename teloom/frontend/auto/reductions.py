"""Reductions: tiles in registers, with packed operands; or folds across lanes."""

from __future__ import annotations

from collections.abc import Sequence

from teloom.frontend.auto.facts import Equation, Read, bytes_of, extent_of, known
from teloom.frontend.auto.machine import Machine, Tile
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, PlaceholderOp, Tensor

STEPS = 4
"""Terms of a sum per round of its loop."""

MOST_UNROLLED = 10
"""The most iterations of reduce axes that are unrolled all together."""

ROWS = 4
"""Rows that are folded together: while one ends a page of memory, others go on."""

REUSE = 4
"""How often what is packed is read at least."""

CHUNK = 2**14
"""What one thread folds at least."""


def folds_lanes(equation: Equation, machine: Machine) -> IterVar | None:
    """The reduce axis that lanes fold: what lies side by side in memory along no data axis.

    None if lanes are to be elements of the result.
    """
    op = equation.op
    if not op.reduce_axis or (equation.is_product and extent_of(equation.reused[-1]) >= ROWS):
        return None
    reads = sorted(equation.reads, key=lambda read: -bytes_of(read.tensor))
    for read in reads[:1]:
        if op.axis and read.stride(op.axis[-1]) == 1:
            return None
        for axis in reversed(op.reduce_axis):
            if read.stride(axis) == 1 and extent_of(axis) >= machine.lanes(read.tensor.dtype):
                return axis
    return None


def tile_of(equation: Equation, machine: Machine) -> tuple[Tile, int | None]:
    """The tile of a reduction, and the number of the data axis that is its rows."""
    op = equation.op
    *others, lanes = op.axis
    dtype = max((read.tensor.dtype for read in equation.reads), default="float32")
    dtype = op.outputs[0].dtype
    if equation.is_product:
        row = equation.reused[-1]
        return machine.tile(dtype, extent_of(row), extent_of(lanes)), others.index(row)
    long = [axis for axis in others if extent_of(axis) > 1]
    if not long:
        return machine.tile(dtype, 1, extent_of(lanes)), None
    row = long[-1]
    return machine.tile(dtype, extent_of(row), extent_of(lanes), ROWS), others.index(row)


def schedule_tile(
    s: Schedule,
    machine: Machine,
    equation: Equation,
    tensor: Tensor,
    copy: Stage,
    lead: Sequence[int] = (),
) -> list[IterVar]:
    """Tiles `copy`, whose elements are those of `tensor`, and computes the tensor in its tiles.

    `lead` are the numbers of axes that stay outermost. Gives the loops of the copy around tiles.
    """
    tile, row = tile_of(equation, machine)
    axes = [*copy.op.axis]
    lanes = len(axes) - 1
    outer: dict[int, IterVar] = {number: axis for number, axis in enumerate(axes)}
    inner: list[IterVar] = []
    if row is not None:
        outer[row], rows = copy.split(axes[row], factor=tile.rows, tail="round_up")
        copy.unroll(rows)
        inner.append(rows)
    if extent_of(axes[lanes]) > tile.columns:
        outer[lanes], columns = copy.split(axes[lanes], factor=tile.columns, tail="round_up")
    else:
        columns = outer.pop(lanes)
    copy.vectorize(columns)
    shared = _shared_by_rows(equation, row)
    first = [*lead, *(n for n in outer if n not in lead and n != lanes and n in shared)]
    if lanes in outer and lanes not in first:
        first.append(lanes)
    first += [n for n in outer if n not in first and n != row]
    if row is not None and row not in first:
        first.append(row)
    order = [outer[number] for number in first]
    copy.reorder(*order, *inner, columns)
    at = order[-1] if order else None
    stage = s[tensor]
    if at is not None:
        stage.compute_at(copy, at)
    _schedule_inside(stage, row)
    if lanes in outer:
        _pack(s, machine, equation, tensor, copy, outer[lanes], tile)
    return order


def _shared_by_rows(equation: Equation, row: int | None) -> set[int]:
    """The data axes, by number, that what is packed depends on."""
    if row is None:
        return set()
    axes = equation.op.axis
    packed = [read for read in equation.reads if not read.mentions(axes[row])]
    return {
        number for number, axis in enumerate(axes) if any(read.mentions(axis) for read in packed)
    }


def _schedule_inside(stage: Stage, row: int | None) -> None:
    """The loops of a tile: terms of the sum outside, rows and vectors inside."""
    data, terms = [*stage.op.axis], [*stage.op.reduce_axis]
    *others, lanes = data
    rows = [] if row is None else [others.pop(row)]
    iterations = 1
    unrolled: list[IterVar] = []
    for axis in reversed(terms):
        iterations *= extent_of(axis)
        if iterations > MOST_UNROLLED:
            break
        unrolled.append(axis)
    if not unrolled and terms and _divides(STEPS, terms[-1]):
        terms[-1:] = stage.split(terms[-1], factor=STEPS)
        unrolled = terms[-1:]
    stage.reorder(*others, *terms, *rows, lanes)
    for axis in (*unrolled, *rows):
        stage.unroll(axis)
    stage.vectorize(lanes)


def _divides(factor: int, axis: IterVar) -> bool:
    extent = None if axis.dom is None else known(axis.dom.extent)
    return extent is not None and extent % factor == 0


def _pack(
    s: Schedule,
    machine: Machine,
    equation: Equation,
    tensor: Tensor,
    copy: Stage,
    at: IterVar,
    tile: Tile,
) -> None:
    """Copies what the lanes of a product read so that it is read in the order of memory."""
    lanes = equation.op.axis[-1]
    rows = equation.reused
    if not rows or extent_of(rows[-1]) < REUSE * tile.rows:
        return
    for read in equation.reads:
        if not read.mentions(lanes) or read.mentions(rows[-1]):
            continue
        if not isinstance(read.tensor.op, PlaceholderOp):
            continue
        panel = s.cache_read(read.tensor, "global", [tensor])
        s[panel].compute_at(copy, at)
        _lanes_last(s[panel], read, lanes)


def _lanes_last(panel: Stage, read: Read, lanes: IterVar) -> None:
    """Lays a panel out so that lanes are side by side."""
    last = next(n for n, one in enumerate(read.subscripts) if lanes in one.axes)
    axes = [*panel.op.axis]
    if last != len(axes) - 1:

        def turned(*at: IterVar) -> list[IterVar]:
            return [one for n, one in enumerate(at) if n != last] + [at[last]]

        panel.transform_layout(turned)
        panel.reorder(*turned(*axes))
    panel.vectorize(axes[last])


def schedule_fold(
    s: Schedule, machine: Machine, equation: Equation, tensor: Tensor, axis: IterVar, parallel: bool, together: bool = True
) -> None:
    """Folds lanes of a reduce axis, and several rows at once."""
    stage = s[tensor]
    number = equation.op.reduce_axis.index(axis)
    terms = [*stage.op.reduce_axis]
    folded = terms.pop(number)
    lanes = machine.lanes(equation.reads[0].tensor.dtype)
    if not stage.op.axis:
        _fold_all(s, stage, tensor, folded, terms, lanes)
        return
    *outer, row = stage.op.axis
    if not together:
        stage.vectorize(folded)
        return
    row_outer, row_inner = stage.split(row, factor=ROWS)
    outer_terms, inner_terms = stage.split(folded, factor=lanes)
    stage.reorder(*outer, row_outer, *terms, outer_terms, row_inner, inner_terms)
    stage.unroll(row_inner)
    stage.vectorize(inner_terms)
    if parallel:
        stage.parallel(outer[0] if outer else row_outer)


def _fold_all(
    s: Schedule,
    stage: Stage,
    tensor: Tensor,
    folded: IterVar,
    terms: Sequence[IterVar],
    lanes: int,
) -> None:
    """Folds all of a tensor into one element: by threads, if it is long."""
    if extent_of(folded) < 2 * CHUNK or terms:
        stage.vectorize(folded)
        return
    outer, inner = stage.split(folded, factor=CHUNK)
    parts = s.rfactor(tensor, outer)
    part = s[parts[0] if isinstance(parts, list) else parts]
    part.parallel(part.op.axis[0])
    part.vectorize(part.op.reduce_axis[-1])
