"""Reductions: tiles in registers, with packed operands; or folds across lanes."""

from __future__ import annotations

from collections.abc import Sequence

from teloom.frontend.auto.facts import Equation, Read, bytes_of, extent_of, known
from teloom.frontend.auto.machine import Machine, Tile
from teloom.frontend.auto.rules import Rules
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, PlaceholderOp, Tensor

STEPS = 4
"""Terms of a sum per round of its loop."""

MOST_UNROLLED = 10
"""The most iterations of reduce axes that are unrolled all together."""

ROWS = 4
"""Rows that are folded together: while one ends a page of memory, others go on."""

REUSE = 4
"""How many tiles read what is packed, at least."""

CHUNK = 2**14
"""What one thread folds at least."""


def folded_by_lanes(equation: Equation, machine: Machine) -> IterVar | None:
    """The reduce axis that lanes fold: one along which most of what is read is contiguous.

    None if lanes are to be elements of the result.
    """
    op = equation.op
    if not op.reduce_axis or not equation.reads:
        return None
    if equation.is_product and extent_of(equation.reused[-1]) >= ROWS:
        return None
    largest = max(equation.reads, key=lambda read: bytes_of(read.tensor))
    if op.axis and largest.stride(op.axis[-1]) == 1:
        return None
    least = machine.lanes(largest.tensor.dtype)
    contiguous = (
        axis
        for axis in reversed(op.reduce_axis)
        if largest.stride(axis) == 1 and extent_of(axis) >= least
    )
    return next(contiguous, None)


class TileRule:
    """Tiles a stage whose elements are those of a reduction, which it computes tile by tile.

    `copy` is that stage, and `tensor` the result of the reduction. `lead` are the numbers of axes
    whose loops stay outermost.
    """

    def __init__(
        self,
        rules: Rules,
        equation: Equation,
        tensor: Tensor,
        copy: Stage,
        lead: Sequence[int] = (),
    ):
        self.rules, self.equation, self.tensor = rules, equation, tensor
        self.copy, self.lead = copy, lead
        self.lanes = len(equation.op.axis) - 1
        self.row = self._row()
        self.tile = self._tile()

    def schedule(self) -> dict[int, IterVar]:
        """Writes the commands; gives the loops of the copy around a tile, by number of the axis."""
        copy, tile = self.copy, self.tile
        outer = dict(enumerate(copy.op.axis))
        inner: list[IterVar] = []
        if self.row is not None:
            outer[self.row], rows = copy.split(outer[self.row], factor=tile.rows, tail="round_up")
            copy.unroll(rows)
            inner.append(rows)
        if extent_of(outer[self.lanes]) > tile.columns:
            outer[self.lanes], columns = copy.split(
                outer[self.lanes], factor=tile.columns, tail="round_up"
            )
        else:
            columns = outer.pop(self.lanes)
        copy.vectorize(columns)
        loops = {number: outer[number] for number in self._order([*outer])}
        copy.reorder(*loops.values(), *inner, columns)
        stage = self.rules.s[self.tensor]
        if loops:
            stage.compute_at(copy, [*loops.values()][-1])
        self._schedule_inside(stage)
        size = f"{tile.rows} x {tile.columns} elements"
        self.rules.say(stage, f"tiles of {size} of {copy.name} stay in registers for all terms")
        if self.lanes in outer:
            self._pack(outer[self.lanes])
        return loops

    def _row(self) -> int | None:
        """The number of the data axis that is the rows of a tile."""
        others = self.equation.op.axis[:-1]
        if self.equation.is_product:
            return others.index(self.equation.reused[-1])
        long = [number for number, axis in enumerate(others) if extent_of(axis) > 1]
        return long[-1] if long else None

    def _tile(self) -> Tile:
        axes = self.equation.op.axis
        rows = 1 if self.row is None else extent_of(axes[self.row])
        most = None if self.equation.is_product else ROWS
        dtype = self.tensor.dtype
        return self.rules.machine.tile(dtype, rows, extent_of(axes[self.lanes]), most)

    def _order(self, loops: Sequence[int]) -> list[int]:
        """The numbers of the axes: those of what is packed are around the others, then rows."""
        shared = self._shared_by_rows()

        def place(number: int) -> tuple[int, int]:
            if number in self.lead:
                return 0, self.lead.index(number)
            if number == self.row:
                return 4, number
            return (2 if number == self.lanes else 1 if number in shared else 3), number

        return sorted(loops, key=place)

    def _shared_by_rows(self) -> set[int]:
        """The data axes, by number, that reads depend on which are the same for all rows."""
        if self.row is None:
            return set()
        axes = self.equation.op.axis
        shared = [one for one in self.equation.reads if not one.mentions(axes[self.row])]
        return {
            number for number, axis in enumerate(axes) if any(one.mentions(axis) for one in shared)
        }

    def _schedule_inside(self, stage: Stage) -> None:
        """The loops of a tile: terms outside, rows and vectors inside."""
        *others, lanes = stage.op.axis
        terms = [*stage.op.reduce_axis]
        rows = [] if self.row is None else [others.pop(self.row)]
        unrolled = _short(terms)
        if not unrolled and _divides(STEPS, terms[-1]):
            terms[-1:] = stage.split(terms[-1], factor=STEPS)
            unrolled = terms[-1:]
        stage.reorder(*others, *terms, *rows, lanes)
        for axis in (*unrolled, *rows):
            stage.unroll(axis)
        stage.vectorize(lanes)

    def _pack(self, at: IterVar) -> None:
        """Copies what lanes read, and many rows, so that it is read in the order of memory."""
        equation, s = self.equation, self.rules.s
        rows, lanes = equation.reused[-1:], equation.op.axis[-1]
        if not rows or extent_of(rows[0]) < REUSE * self.tile.rows:
            return
        for read in equation.reads:
            is_given = isinstance(read.tensor.op, PlaceholderOp)
            if is_given and read.mentions(lanes) and not read.mentions(rows[0]):
                panel = s[s.cache_read(read.tensor, "global", [self.tensor])]
                panel.compute_at(self.copy, at)
                _vectorize_along(panel, read, lanes)
                self.rules.say(panel, "a panel is read once per tile, in the order of memory")


def _short(terms: Sequence[IterVar]) -> list[IterVar]:
    """The innermost reduce axes that have few iterations together, the innermost first."""
    found: list[IterVar] = []
    iterations = 1
    for axis in reversed(terms):
        iterations *= extent_of(axis)
        if iterations > MOST_UNROLLED:
            break
        found.append(axis)
    return found


def _divides(factor: int, axis: IterVar) -> bool:
    extent = None if axis.dom is None else known(axis.dom.extent)
    return extent is not None and extent % factor == 0


def _vectorize_along(panel: Stage, read: Read, lanes: IterVar) -> None:
    """Lays a panel out so that what lanes read is side by side."""
    last = next(number for number, one in enumerate(read.subscripts) if lanes in one.axes)

    def turned(*at: IterVar) -> list[IterVar]:
        return [*at[:last], *at[last + 1 :], at[last]]

    axes = [*panel.op.axis]
    if last != len(axes) - 1:
        panel.transform_layout(turned)
    panel.vectorize(axes[last])


def fold_lanes(rules: Rules, equation: Equation, tensor: Tensor, axis: IterVar) -> None:
    """Folds lanes of a reduce axis, for several rows at once if there are any."""
    stage = rules.s[tensor]
    terms = [*stage.op.reduce_axis]
    folded = terms.pop(equation.op.reduce_axis.index(axis))
    if not stage.op.axis:
        _fold_all(rules, stage, tensor, folded, len(terms))
        return
    *outer, row = stage.op.axis
    row_outer, row_inner = stage.split(row, factor=ROWS)
    lanes = rules.machine.lanes(equation.reads[0].tensor.dtype)
    folded_outer, folded_inner = stage.split(folded, factor=lanes)
    stage.reorder(*outer, row_outer, *terms, folded_outer, row_inner, folded_inner)
    stage.unroll(row_inner)
    stage.vectorize(folded_inner)
    rules.say(stage, f"lanes fold {folded.name}, which is contiguous, in {ROWS} rows at once")


def _fold_all(rules: Rules, stage: Stage, tensor: Tensor, folded: IterVar, others: int) -> None:
    """Folds all of a tensor into one element: on threads, if it is long."""
    if others or extent_of(folded) < 2 * CHUNK:
        stage.vectorize(folded)
        rules.say(stage, f"lanes fold {folded.name}")
        return
    chunks, _ = stage.split(folded, factor=CHUNK)
    made = rules.s.rfactor(tensor, chunks)
    part = rules.s[made[0] if isinstance(made, list) else made]
    part.parallel(part.op.axis[0])
    part.vectorize(part.op.reduce_axis[-1])
    rules.say(stage, f"{CHUNK} elements at a time are folded, on threads and across lanes")
