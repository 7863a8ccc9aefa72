"""Products of narrow numbers: instructions that add several of them to each lane of a tile."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property

from teloom.frontend.auto.facts import EquationFacts, Read, extent_of, known
from teloom.frontend.auto.panels import GroupedPanels
from teloom.frontend.auto.reductions import TileRule, divides, schedule_panels
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import group_of, is_read_by_many, is_stored_before
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Operation, Tensor


def grouped_rule(
    rules: ScheduleWriter,
    equation: EquationFacts,
    tensor: Tensor,
    copy: Stage,
    beside: Container[Operation] = (),
) -> TileRule | None:
    """The rule for the tiles of a reduction of groups of products, if the machine adds these.

    `beside` are stages that only this one reads, and that are not scheduled yet. The model of
    changed axes has no groups. Nor has an equation in loops that others share.
    """
    group = group_of(equation, rules.machine)
    if group is None:
        return None
    grouped = _GroupedTileRule(rules, equation, tensor, copy, group, beside)
    return grouped if grouped.is_possible else None


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
        self._copies: dict[Tensor, Stage] = {}

    @property
    def is_possible(self) -> bool:
        """Whether operands can be stored in groups, and are read often enough for that."""
        equation, reads = self.equation, self.equation.reads
        if self.row is None or self.term is None:
            return False
        if extent_of(equation.op.reduce_axis[self.term]) < self.group:
            return False
        if len({read.tensor for read in reads}) != 2 or len(reads) != 2:
            return False
        is_padded = bool(self._padding())
        is_given = all(
            is_stored_before(equation, read.tensor)
            or (read.tensor.op in self.beside and not is_padded)
            for read in reads
        )
        is_read_again = is_read_by_many(equation, self._of_lanes, self.choice)
        return is_given and is_read_again and (not is_padded or all(map(_is_whole, reads)))

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
        lanes = self.equation.op.axis[self.lanes]
        along = next(k for k, one in enumerate(read.subscripts) if lanes in one.axes)
        is_long = read.subscripts[along].is_axis and extent_of(lanes) > self.tile.columns
        return GroupedPanels(number, self.group, along, self.tile.columns if is_long else None)

    def _padding(self) -> dict[int, int]:
        """The axes, by number, that have to be rounded up, and to multiples of what."""
        assert self.term is not None
        factors = {len(self.equation.op.axis) + self.term: self.group}
        if self._layout(self._of_lanes).part is not None:
            factors[self.lanes] = self.tile.columns
        axes = self.equation.axes
        return {k: factor for k, factor in factors.items() if not divides(factor, axes[k])}

    def _schedule_inside(self, stage: Stage) -> None:
        assert self.term is not None
        assert self.row is not None
        if padding := self._padding():
            for read in self.equation.reads:
                self._copies[read.tensor] = self._copy(read.tensor)
            axes = [*stage.op.axis, *stage.op.reduce_axis]
            for number, factor in padding.items():
                stage.pad_einsum(axes[number], factor)
        self._turn(stage)
        lanes, row = stage.op.axis[self.lanes], stage.op.axis[self.row]
        others = [axis for axis in stage.op.axis if axis not in (lanes, row)]
        terms = [stage.op.reduce_axis[number] for number in self._terms if number != self.term]
        groups, group = stage.split(stage.op.reduce_axis[self.term], factor=self.group)
        # Steps of other terms read elements of a window again: side by side these fill registers.
        stage.reorder(*others, *terms, groups, row, lanes, group)
        stage.unroll(row)
        stage.vectorize(lanes)

    def _reason(self) -> str:
        return f"{super()._reason()}, {self.group} of which an instruction adds to a lane"

    def _pack(self, loops: dict[int, IterVar]) -> None:
        for read in self.equation.reads:
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


def _is_whole(read: Read) -> bool:
    """Whether axes are the positions in a tensor, and have all that there are."""
    return all(
        one.is_axis and known(extent) in (None, *map(extent_of, one.axes))
        for one, extent in zip(read.subscripts, read.tensor.extents, strict=True)
    )
