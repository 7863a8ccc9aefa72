"""Products of narrow numbers: instructions that add several of them to each lane of a tile."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cached_property
from math import prod

from teloom.dialects.tile_registers import MOST_ROWS
from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    extent_of,
    extents_of,
    is_box,
    known_extent,
)
from teloom.frontend.auto.machine import even
from teloom.frontend.auto.panels import GroupedPanels
from teloom.frontend.auto.reductions import TileRule, divides, schedule_panels
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import (
    Choice,
    group_of,
    is_stored_before,
    least_readers,
    multiplies_tiles,
)
from teloom.frontend.expr import dtypes
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.shape_forms import same_extents
from teloom.frontend.tensor.tensors import IterVar, Operation, Tensor

LEAST_ROWS = 8
"""The least rows and columns of a tile of matrices, and groups of terms, that fill half of it."""

LEAST_TURNED = 64
"""The least products of an element of rows for its terms to be made contiguous, which is slow.

It is times the square of a group's terms: with more of them, vectors are faster, too.
"""

LEAST_PANELS = 4
"""The least panels that a tile of rows meets for a copy of the rows, tile by tile, to pay."""

LEAST_SHARE = 0.5
"""The least share of products that are of the sum, not of padding, for groups to pay."""


def grouped_rule(
    rules: ScheduleWriter,
    equation: EquationFacts,
    tensor: Tensor,
    copy: Stage,
    beside: Container[Operation] = (),
) -> TileRule | None:
    """The rule for the tiles of a reduction of groups of products, if the machine adds these.

    `beside` are stages that only this one reads, and that are not scheduled yet.
    """
    group = group_of(equation, rules.machine)
    if group is None:
        return None
    kinds = [_GroupedTileRule]
    if multiplies_tiles(equation, rules.machine):
        kinds.insert(0, _MatrixTileRule)
    found = (kind(rules, equation, tensor, copy, group, beside) for kind in kinds)
    return next((rule for rule in found if rule.is_possible), None)


class _GroupedTileRule(TileRule):
    """Tiles to whose lanes an instruction adds `group` products at once.

    Their factors are neighbours along the longest term along which both operands can store them so.
    """

    _chunks = None

    def __init__(
        self,
        rules: ScheduleWriter,
        equation: EquationFacts,
        tensor: Tensor,
        copy: Stage,
        group: int,
        beside: Container[Operation],
    ):
        super().__init__(rules, equation, tensor, copy)
        self.group, self.beside = group, beside
        terms = equation.op.reduce_axis
        grouped = (
            number
            for number, term in enumerate(terms)
            if all(read.dimension(term) is not None for read in equation.reads)
        )
        self.term = max(grouped, key=lambda number: extent_of(terms[number]), default=None)

    @property
    def is_possible(self) -> bool:
        """Whether operands can be stored in groups, and are read often enough for that."""
        equation, reads = self.equation, self.equation.reads
        if self.row is None or self.term is None or not self._terms_fill_groups:
            return False
        if len({read.tensor for read in reads}) != 2 or len(reads) != 2:
            return False
        is_given = all(
            is_stored_before(equation, read.tensor) or read.tensor.op in self.beside
            for read in reads
        )
        has_lanes = is_given and self._lanes_are_loaded_at_once
        return has_lanes and self._is_read_again and self._is_whole_along_padding

    @property
    def _is_read_again(self) -> bool:
        """Whether what lanes read is in enough products, of windows too, for packing to pay."""
        least = least_readers(self.equation, self._of_lanes, self.choice)
        return self.equation.points >= least * prod(extents_of(self._of_lanes.tensor))

    @property
    def _terms_fill_groups(self) -> bool:
        """Whether there are enough terms for a group, and half of all products are of the sum."""
        assert self.term is not None
        op = self.equation.op
        share = _share(op.reduce_axis[self.term], self.group)
        share *= _share(op.axis[self.lanes], self.tile.columns)
        return prod(map(extent_of, op.reduce_axis)) >= self.group and share >= LEAST_SHARE

    @property
    def _lanes_are_loaded_at_once(self) -> bool:
        """Whether the last vector of a row is whole, or loaded under a mask."""
        extent, dtype = extent_of(self.equation.op.axis[self.lanes]), self._of_lanes.tensor.dtype
        is_whole = self.lanes in self._padding or extent % self.tile.columns == 0
        return is_whole or self.rules.machine.has_masks(dtype)

    @cached_property
    def _of_lanes(self) -> Read:
        lanes = self.equation.op.axis[self.lanes]
        return next(read for read in self.equation.reads if read.mentions(lanes))

    def _layout(self, read: Read) -> GroupedPanels:
        """How an operand is stored."""
        assert self.term is not None
        number = read.dimension(self.equation.op.reduce_axis[self.term])
        assert number is not None
        if read is not self._of_lanes:
            return GroupedPanels(number, self.group)
        lanes, along = self.equation.op.axis[self.lanes], self._along(read, self.lanes)
        is_long = read.subscripts[along].is_axis and extent_of(lanes) > self.tile.columns
        return GroupedPanels(number, self.group, along, self.tile.columns if is_long else None)

    def _along(self, read: Read, number: int | None) -> int:
        """The first dimension of an operand along which an axis of the result runs."""
        assert number is not None
        axis = self.equation.op.axis[number]
        return next(k for k, one in enumerate(read.subscripts) if axis in one.axes)

    @property
    def _is_whole_along_padding(self) -> bool:
        """Whether what is padded is read from end to end there, at the axis as it is."""
        axes = self.equation.axes
        if self._padding and (self.equation.has_cases or not is_box(self.equation.op)):
            return False
        return all(
            _is_whole(read, axes[number])
            for number in self._padding
            for read in self.equation.reads
            if read.mentions(axes[number])
        )

    @cached_property
    def _padding(self) -> dict[int, int]:
        """The axes, by number, that have to be rounded up, and to multiples of what."""
        axes = self.equation.axes
        return {k: factor for k, factor in self._factors().items() if not divides(factor, axes[k])}

    def _factors(self) -> dict[int, int]:
        """The axes, by number, that tiles divide, and by what."""
        factors = {self._term: self.group}
        if self._layout(self._of_lanes).part is not None:
            factors[self.lanes] = self.tile.columns
        return factors

    @property
    def _term(self) -> int:
        """The number of the grouped term among all axes."""
        assert self.term is not None
        return len(self.equation.op.axis) + self.term

    def _schedule_inside(self, stage: Stage) -> None:
        self._pad(stage)
        self._turn(stage)
        self._schedule_terms(stage)

    def _pad(self, stage: Stage) -> None:
        if padding := self._padding:
            for read in self.equation.reads:
                is_padded = any(read.mentions(self.equation.axes[number]) for number in padding)
                if is_padded and read.tensor.op not in self.beside:
                    self._copy(read.tensor)
            axes = [*stage.op.axis, *stage.op.reduce_axis]
            for number, factor in padding.items():
                stage.pad_einsum(axes[number], factor)

    def _schedule_terms(self, stage: Stage) -> None:
        assert self.term is not None
        assert self.row is not None
        lanes, row = stage.op.axis[self.lanes], stage.op.axis[self.row]
        others = [axis for axis in stage.op.axis if axis not in (lanes, row)]
        terms = [stage.op.reduce_axis[number] for number in self._terms if number != self.term]
        groups, group = stage.split(stage.op.reduce_axis[self.term], factor=self.group)
        # Steps of other terms read elements of a window again: side by side these fill registers.
        stage.reorder(*others, *terms, *self._steps_of(stage, groups), row, lanes, group)
        stage.unroll(row)
        stage.vectorize(lanes)

    def _steps_of(self, stage: Stage, groups: IterVar) -> Sequence[IterVar]:
        """The loops over groups."""
        return [groups]

    def _reason(self) -> str:
        return f"{super()._reason()}, {self.group} of which an instruction adds to a lane"

    def _pack(self, loops: dict[int, IterVar]) -> None:
        for read in self.equation.reads:
            self._pack_operand(read)

    def _pack_operand(self, read: Read) -> None:
        layout, copy = self._layout(read), self._copies.get(read.tensor)
        if layout == GroupedPanels(read.tensor.ndim - 1, self.group):
            if copy is not None:
                copy.vectorize(copy.op.axis[-1])
        elif copy is not None:
            schedule_panels(self.rules, copy, layout)
        elif read.tensor.op in self.beside:
            self.rules.panels[read.tensor.op] = layout
        else:
            self._store(read.tensor, layout)


class _MatrixTileRule(_GroupedTileRule):
    """Tiles of matrices in registers of their own, that an instruction multiplies at once."""

    is_in_vectors = False

    def _choice(self) -> Choice:
        found, axes = super()._choice(), self.equation.op.axis
        if found.row is None:
            return found
        sizes = extent_of(axes[found.row]), extent_of(axes[found.lanes])
        return found._replace(tile=self.rules.machine.matrix_tile(*sizes))

    @property
    def is_possible(self) -> bool:
        """Whether tiles fill enough of these registers."""
        op = self.equation.op
        if self.row is None or self.term is None:
            return False
        if self._has_partial_tiles and any(
            read.tensor.op in self.beside for read in self.equation.reads
        ):
            return False
        groups = extent_of(op.reduce_axis[self.term]) // self.group
        sizes = extent_of(op.axis[self.row]), extent_of(op.axis[self.lanes]), groups
        return min(sizes) >= LEAST_ROWS and super().is_possible and self._is_turned_for_many

    @property
    def _is_turned_for_many(self) -> bool:
        """Whether terms of rows are contiguous, or what is turned for that is in many products."""
        least = LEAST_TURNED * self.group**2
        return all(
            self._layout(read).term == read.tensor.ndim - 1
            or self.equation.points >= least * prod(extents_of(read.tensor))
            for read in self.equation.reads
            if read is not self._of_lanes
        )

    @property
    def _is_read_again(self) -> bool:
        """Whether what lanes read is in as many products as a tile has rows, at least."""
        return self.equation.points >= LEAST_ROWS * prod(extents_of(self._of_lanes.tensor))

    @cached_property
    def _steps(self) -> int:
        """The groups of terms of a tile: as few tiles as can be, which are as even as can be."""
        assert self.term is not None
        extent = known_extent(self.equation.op.reduce_axis[self.term])
        return MOST_ROWS if extent is None else even(-(-extent // self.group), MOST_ROWS)

    def _factors(self) -> dict[int, int]:
        own = {self._term: self.group * self._steps}
        return {self.lanes: self.tile.lanes} | super()._factors() | own

    @cached_property
    def _panels_together(self) -> int:
        """As many panels as half of the second cache holds, which each tile of rows meets."""
        read, axis = self._of_lanes, self.equation.op.axis[self.lanes]
        terms = prod(map(extent_of, self.equation.op.reduce_axis))
        bytes = terms * self.tile.columns * dtypes.of(read.tensor.dtype).bytes
        most = self.rules.machine.second_cache // 2 // max(1, bytes)
        return max(1, min(most, -(-extent_of(axis) // self.tile.columns)))

    def _layout(self, read: Read) -> GroupedPanels:
        layout = super()._layout(read)
        if read is self._of_lanes:
            return layout
        terms = self.group * self._steps
        if self._has_copied_rows(read):
            return layout._replace(group=terms, lanes=self._along(read, self.row))
        return layout if layout.term == read.tensor.ndim - 1 else layout._replace(group=terms)

    def _steps_of(self, stage: Stage, groups: IterVar) -> Sequence[IterVar]:
        return stage.split(groups, factor=self._steps)

    @property
    def _has_partial_tiles(self) -> bool:
        """Whether the call knows the extents, and so how far the rows of a tile are apart."""
        return None in map(known_extent, self.equation.axes)

    def _has_copied_rows(self, read: Read) -> bool:
        """Whether what the rows of a tile read is copied when it is met first.

        Rows of partial tiles are whole there. Others lie in the order in which tiles load them.
        """
        if self._has_partial_tiles:
            return True
        is_given = read.tensor.op not in self.beside and read.tensor.op not in self.rules.alone
        is_by_terms = super()._layout(read).term == read.tensor.ndim - 1
        are_rows = is_by_terms and all(one.is_axis for one in read.subscripts)
        return is_given and are_rows and self._panels_together >= LEAST_PANELS

    def _pack_operand(self, read: Read) -> None:
        if read is self._of_lanes:
            self._pack_panels(read)
            return
        if not self._has_copied_rows(read):
            super()._pack_operand(read)
            return
        assert self.row is not None
        self._copy_at(self.loops[self.row], read, "the rows of a tile lie side by side")

    def _pack_panels(self, read: Read) -> None:
        """Packs as many panels as are met together, where no threads share the loops around them.

        They are read row by row, so that the lines of a row follow each other.
        """
        is_alone = read.tensor.op in self.beside or read.tensor.op in self.rules.alone
        if self.rules.machine.threads > 1 or is_alone or self.lanes not in self.loops:
            super()._pack_operand(read)
            return
        reason = f"{self._panels_together} panels are packed at a time"
        panels = self._copy_at(self.loops[self.lanes], read, reason)
        if self._layout(read).part is not None:
            first, *others, last = panels.leaf_iter_vars
            panels.reorder(*others, first, last)

    def _copy_at(self, loop: IterVar, read: Read, reason: str) -> Stage:
        """Copies what is read in a loop of the tiles, in the layout of the operand."""
        stage = self._copies.get(read.tensor) or self._copy(read.tensor)
        self._layout(read).schedule(stage, self.rules.machine, None)
        stage.compute_at(self.copy, loop)
        self.rules.say(stage, reason)
        return stage

    def _reason(self) -> str:
        size = f"{self.tile.rows} x {self.tile.columns} elements of {self.copy.name}"
        terms = self.group * self._steps
        return f"tiles of {size} stay in registers for tiles, which multiply {terms} terms at once"


def _share(axis: IterVar, factor: int) -> float:
    """The share of an axis in what it is when it is rounded up."""
    extent = extent_of(axis)
    return extent / max(factor, -(-extent // factor) * factor)


def _is_whole(read: Read, axis: IterVar) -> bool:
    """Whether an axis is one subscript, with all positions that there are, and in no other."""
    number = read.dimension(axis)
    if number is None or axis.dom is None or not read.subscripts[number].is_axis:
        return False
    return same_extents([read.tensor.extents[number]], [axis.dom.extent])
