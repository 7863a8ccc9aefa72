"""Panels: operands that rows and lanes of tiles read, stored (packed) tile by tile."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from teloom.frontend.auto.facts import EquationFacts, Read, extent_of, extents_of, known_extent
from teloom.frontend.auto.machine import AccumulatorTile, Machine
from teloom.frontend.auto.tiles import PARTS, Choice, is_read_by_many
from teloom.frontend.expr import dtypes
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Tensor

PIECE = 4
"""The lines of a cache that are read one after the other of a row that is packed."""


class Panels(NamedTuple):
    """A layout in which a dimension is divided into parts of `columns`, stored part by part.

    So tiles read one element after the other, wherever they are.
    """

    dimension: int
    columns: int

    def schedule(self, stage: Stage, machine: Machine, contiguous: int | None) -> IterVar:
        """Stores a stage in this layout, and writes its loops; returns the outermost one.

        Its reads are contiguous along dimension `contiguous`. If that is None, the stage is a copy,
        read along its last dimension. If lanes run along another one, long rows are transposed in
        registers, a vector of them at a time.
        """
        tensor = stage.op.outputs[0]
        distance = None
        if contiguous is None:
            contiguous = tensor.ndim - 1
            distance = prod(extents_of(tensor)[self.dimension + 1 :])
        run, lanes = machine.run(tensor.dtype, distance), machine.lanes(tensor.dtype)
        panel, *others, inner = self._store(stage)
        row = None
        if contiguous != self.dimension:
            row = others[contiguous - (self.dimension < contiguous)]
        if row is None or extent_of(row) < lanes:
            stage.reorder(*others, panel, inner)
            stage.vectorize(inner)
            return [*others, panel][0]
        others.remove(row)
        rows, row = stage.split(row, factor=run)
        vectors, lane = stage.split(inner, factor=lanes)
        stage.reorder(panel, *others, rows, vectors, row, lane)
        stage.unroll(row)
        stage.vectorize(lane)
        return panel

    def _store(self, stage: Stage) -> list[IterVar]:
        """Lays out the results of a stage; returns its loops, in the order of memory."""

        def place(*at: IterVar) -> list[object]:
            others = [*at[: self.dimension], *at[self.dimension + 1 :]]
            return [at[self.dimension] // self.columns, *others, at[self.dimension] % self.columns]

        return stage.transform_layout(place)


class GroupedPanels(NamedTuple):
    """A layout in which `group` neighbours along dimension `term` are stored together.

    If lanes run along a dimension, they are stored side by side, in parts of `part` if that is
    given, which are stored part by part.
    """

    term: int
    group: int
    lanes: int | None = None
    part: int | None = None

    @property
    def columns(self) -> int:
        """The elements that are stored together."""
        return self.part or self.group

    def schedule(self, stage: Stage, machine: Machine, contiguous: int | None) -> IterVar:
        """Stores a stage in this layout, and writes its loops; returns the outermost one.

        Its reads are contiguous along dimension `contiguous`. If that is None, the stage is a copy,
        read along its last dimension.
        """
        (tensor,) = stage.op.outputs
        dimensions = range(tensor.ndim)
        contiguous = dimensions[-1] if contiguous is None else contiguous
        *outer, inner, group = stage.transform_layout(self._place)
        if contiguous != self._in_order(dimensions)[-1] or contiguous == self.term:
            stage.vectorize(group)
        elif None in map(known_extent, stage.op.axis):
            stage.unroll(group)
            stage.vectorize(inner)
        else:
            stage.vectorize(stage.fuse(inner, group))
        if contiguous == self.term and self.lanes is not None:
            # A line of the cache is read as a whole.
            number = self._in_order(dimensions).index(self.term) + (self.part is not None)
            bytes = self.group * dtypes.of(tensor.dtype).bytes
            lines, groups = stage.split(outer.pop(number), factor=max(1, machine.line // bytes))
            outer.append(lines)
            stage.reorder(*outer, inner, groups, group)
            stage.unroll(groups)
        return outer[0] if outer else inner

    def _place(self, *at: IterVar) -> list[object]:
        groups = [*at[: self.term], at[self.term] // self.group, *at[self.term + 1 :]]
        found = self._in_order(groups)
        if self.part is not None:
            lanes = found.pop()
            found = [lanes // self.part, *found, lanes % self.part]
        return [*found, at[self.term] % self.group]

    def _in_order(self, places: Sequence[Any]) -> list[Any]:
        """What there is of each dimension, that of lanes last."""
        if self.lanes is None:
            return [*places]
        return [*places[: self.lanes], *places[self.lanes + 1 :], places[self.lanes]]


def vectorize_along(panel: Stage, read: Read, lanes: IterVar, machine: Machine) -> IterVar:
    """Lays out a panel so that what lanes read is contiguous; returns its outermost loop.

    Where it is not so in the tensor, tiles of it are transposed in registers.
    """
    last = next(number for number, one in enumerate(read.subscripts) if lanes in one.axes)
    axes = [*panel.op.axis]
    behind = axes[last + 1 :]
    if behind:
        panel.transform_layout(lambda *at: with_last(at, last))
        row = behind[0] if len(behind) == 1 else panel.fuse(*behind)
        run = machine.run(read.tensor.dtype, read.stride(lanes))
        rows, inner = panel.split(row, factor=run)
        columns, lane = panel.split(axes[last], factor=machine.lanes(read.tensor.dtype))
        panel.reorder(*axes[:last], rows, columns, inner, lane)
        panel.unroll(inner)
        panel.vectorize(lane)
        return [*axes[:last], rows][0]
    panel.vectorize(axes[last])
    return axes[0]


def with_last(at: Sequence[IterVar], *numbers: int) -> list[IterVar]:
    """Positions, of which those of some numbers become the last, in this order."""
    others = [one for number, one in enumerate(at) if number not in numbers]
    return [*others, *(at[number] for number in numbers)]


def panels_of(equation: EquationFacts, choice: Choice) -> dict[Tensor, Panels]:
    """The tensors that tiles read by their rows and by their lanes, along the same dimension."""
    columns = choice.tile.columns
    if choice.row is None or columns % choice.tile.rows:
        return {}
    axes = equation.op.axis[choice.row], equation.op.axis[choice.lanes]
    if extent_of(axes[1]) <= columns:
        return {}
    found: dict[Tensor, Panels] = {}
    for tensor in equation.tensors:
        reads = [*equation.reads_of([tensor])]
        dimension = _shared_dimension(reads, axes)
        again = all(is_read_by_many(equation, read, choice) for read in reads)
        if dimension is not None and tensor.ndim > 1 and again:
            found[tensor] = Panels(dimension, columns)
    return found


def panels_along(read: Read, axis: IterVar, tile: AccumulatorTile) -> Panels:
    """The panels of an operand that lanes read, along their axis."""
    number = next(k for k, one in enumerate(read.subscripts) if axis in one.axes)
    return Panels(number, tile.columns)


def packed_together(read: Read, axis: IterVar, tile: AccumulatorTile, machine: Machine) -> int:
    """How many panels along an axis are packed at a time, if threads have enough of them; else 1.

    A row of one panel is a short piece of memory, far from the next one.
    """
    if read.stride(axis) != 1 or read.tensor.ndim < 2 or read.dimension(axis) is None:
        return 1
    row = tile.columns * dtypes.of(read.tensor.dtype).bytes
    together = max(1, PIECE * machine.line // row)
    parts = extent_of(axis) // (tile.columns * together)
    return together if parts >= PARTS * machine.threads else 1


def _shared_dimension(reads: Sequence[Read], axes: Sequence[IterVar]) -> int | None:
    """The one dimension that some reads subscript by the first axis and others by the second."""
    found = [
        (dimension, axis, one)
        for read in reads
        for dimension, one in enumerate(read.subscripts)
        for axis in axes
        if axis in one.axes
    ]
    dimensions = {dimension for dimension, _, _ in found}
    is_plain = all(one.coefficients == {axis: 1} and not one.constant for _, axis, one in found)
    if len(dimensions) != 1 or len(found) != len(reads) or not is_plain:
        return None
    return found[0][0] if {axis for _, axis, _ in found} == {*axes} else None
