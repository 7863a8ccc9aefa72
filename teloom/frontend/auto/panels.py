"""Panels: operands that rows and lanes of tiles read, stored (packed) tile by tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from teloom.frontend.auto.facts import EquationFacts, Read, extent_of
from teloom.frontend.auto.machine import AccumulatorTile, Machine
from teloom.frontend.auto.tiles import Choice, is_read_by_many
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Tensor


class Panels(NamedTuple):
    """A layout in which a dimension is divided into parts of `columns`, stored part by part.

    So tiles read one element after the other, wherever they are.
    """

    dimension: int
    columns: int

    def schedule(
        self, stage: Stage, machine: Machine, contiguous: int, distance: int | None
    ) -> IterVar:
        """Stores a stage in this layout, and writes its loops; returns the outermost one.

        Its reads are contiguous along dimension `contiguous`. If lanes run along another one, long
        rows are transposed in registers, a vector of them at a time. They are `distance` apart, if
        that is known.
        """
        dtype = stage.op.outputs[0].dtype
        run, lanes = machine.run(dtype, distance), machine.lanes(dtype)
        panel, *others, inner = self._store(stage)
        row = None
        if contiguous != self.dimension:
            row = others[contiguous - (self.dimension < contiguous)]
        if row is None or extent_of(row) < lanes:
            stage.reorder(*others, panel, inner)
            stage.vectorize(inner)
            return others[0]
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


def panels_of(equation: EquationFacts, choice: Choice) -> dict[Tensor, Panels]:
    """The tensors that tiles read by their rows and by their lanes, along the same dimension."""
    columns = choice.tile.columns
    if choice.row is None or columns % choice.tile.rows:
        return {}
    axes = equation.op.axis[choice.row], equation.op.axis[choice.lanes]
    if extent_of(axes[1]) <= columns:
        return {}
    found: dict[Tensor, Panels] = {}
    for tensor in dict.fromkeys(read.tensor for read in equation.reads):
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


def _shared_dimension(reads: Sequence[Read], axes: Sequence[IterVar]) -> int | None:
    """The dimension along which the reads are at one axis each of two, so that both axes occur."""
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
