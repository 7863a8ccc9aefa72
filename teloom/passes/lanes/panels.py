"""Accesses of lanes that each have a row of elements, as transposes in registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import MemRefType, i1
from xdsl.ir import SSAValue

from teloom.analysis.accesses.panels import Panel
from teloom.analysis.index.extents import lower_bounds
from teloom.analysis.memory.storage import byte_width
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.target import target_of
from teloom.dialects.upstream.vector import vector_type
from teloom.passes.lanes.shuffles import shuffle, transpose
from teloom.passes.lanes.values import DIM, LaneValues, OneLane, constant

Index = Callable[[int, int], SSAValue]
"""The index of the element in a row and a column."""


class PanelBuffer:
    """A panel by columns, in a buffer that LLVM keeps in registers."""

    def __init__(self, panel: Panel, values: LaneValues):
        self.panel = panel
        type = panel.op.memref.type
        assert isinstance(type, MemRefType)
        target, size = target_of(panel.op), panel.all_columns * panel.lanes
        self.buffer = values.emit(memref.AllocaOp.get(type.element_type, target.alignment, [size]))
        whole = target.vector_bytes // byte_width(type.element_type)
        self.height = max(panel.side, min(whole, panel.lanes))
        """The rows that are loaded at once: they fill vectors."""

    def column(self, values: LaneValues) -> SSAValue:
        """The index at which the column of the current iteration begins."""
        (lower,) = lower_bounds(self.panel.around)
        number = Polynomial.of(self.panel.around.induction_variable) - lower
        return values.of(number.times(self.panel.lanes))

    def load_rows(self, values: LaneValues, inside: LaneValues) -> None:
        """Fills the buffer; `inside` computes values that only this code uses."""
        panel, in_row = self.panel, self._in_row(values, inside)
        for row, column in panel.blocks(self.height):
            rows = [
                values.load(panel.op.memref, in_row(row + k, column), panel.side)
                for k in range(self.height)
            ]
            for k, lanes in enumerate(transpose(rows, values.emit)):
                place = self._in_column(values, row, column + k)
                values.block.add_op(vector.StoreOp.create(operands=(lanes, self.buffer, place)))

    def store_rows(self, values: LaneValues, inside: LaneValues) -> None:
        """Stores the buffer to the rows."""
        panel, in_row = self.panel, self._in_row(values, inside)
        assert isinstance(panel.op, memref.StoreOp)
        for row, column in panel.blocks(panel.side):
            places = [self._in_column(values, row, column + k) for k in range(panel.side)]
            columns = [values.load(self.buffer, place, panel.side) for place in places]
            mask = self._mask(panel.columns - column, values)
            for k, elements in enumerate(transpose(columns, values.emit)):
                if mask is not None:
                    values.masked_store(panel.op, elements, in_row(row + k, column), mask)
                    continue
                for first, part in self._parts(elements, panel.columns - column, values):
                    values.store(panel.op, part, in_row(row + k, column + first))

    def _mask(self, count: int, values: LaneValues) -> SSAValue | None:
        """The first `count` lanes, if that is not all and the target stores such parts at once."""
        op, type = self.panel.op, self.panel.op.memref.type
        assert isinstance(type, MemRefType)
        is_at_once = target_of(op).has_masked_stores(byte_width(type.element_type))
        if count >= self.panel.side or not is_at_once or "nontemporal" in op.properties:
            return None
        lanes = [int(lane < count) for lane in range(self.panel.side)]
        return values.emit(constant(vector_type(i1, self.panel.side), lanes))

    def _parts(
        self, elements: SSAValue, count: int, values: LaneValues
    ) -> Iterator[tuple[int, SSAValue]]:
        """The first `count` lanes: a vector for each power of two in it, with its first lane."""
        first = 0
        while count < self.panel.side and first < count:
            size = 1 << ((count - first).bit_length() - 1)
            yield first, shuffle(elements, elements, [*range(first, first + size)], values.emit)
            first += size
        if not first:
            yield first, elements

    def _in_column(self, values: LaneValues, row: int, column: int) -> SSAValue:
        return values.constant(column * self.panel.lanes + row)

    def _in_row(self, values: LaneValues, inside: LaneValues) -> Index:
        """The indices of the rows in memory."""
        (index,), (lower,) = self.panel.op.indices, lower_bounds(self.panel.around)
        inside.scalars[self.panel.around.induction_variable] = values.of(lower)
        stride = values.strides.of(index)
        if stride is not None:
            begin = inside.scalar(index)
            return lambda row, column: values.apply(DIM + (stride * row + column), [begin])

        def index_at(row: int, column: int) -> SSAValue:
            lane = OneLane(inside, values.constant(row), values.block)
            return values.apply(DIM + column, [lane.value(index)])

        return index_at
