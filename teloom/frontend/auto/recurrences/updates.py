"""Updates: points that depend on each other keep their order; other loops may change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod
from operator import is_
from typing import TYPE_CHECKING

from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.update_order import distances
from teloom.analysis.sets.integer_sets import Constraint
from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.sets.points import Points
from teloom.frontend.auto.facts import extent_of, extents_of, known_extent
from teloom.frontend.auto.machine import AccumulatorTile
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.expr.expressions import walk
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, TensorSlice
from teloom.frontend.tensor.updates import UpdateOp

if TYPE_CHECKING:
    from teloom.frontend.schedule.applied import Applied

CASES = 8
"""The most iterations of an axis that are unrolled because conditions differ between them."""

CHAINS, ABREAST = 8, 4
"""How many chains of dependent points run at the same time, one behind the other or abreast.

Lines a power of 2 apart share a set of the first cache, which 8 of what is read and 8 of what is
written do not fit into.
"""

WAVE = 4096
"""The least points that one thread does at a time: a few microseconds of work."""

BLOCKS = 8
"""The least number of blocks of rows, of which several are done at a time."""

FARTHEST = 4
"""The longest distance by which rows are skewed."""

STEPS, ROWS = 32, 8
"""A tile of elements that each step changes again: its steps and its rows."""

TILE_ROWS = 4
"""The most rows of a tile in registers: each row's values for all lanes are computed per tile."""

LEAST_VECTORS = 5
"""The vectors of a row for which its values are worth computing: they may be quotients."""

TILES = 4
"""The least number of tiles along an axis: those on the border of what changes are partial."""

MOST_OPERATIONS = 100_000
"""The budget of the distances of one update, in isl operations: about 20 ms."""


class Distances:
    """The distances of points from those that they depend on, along the axes of a domain."""

    def __init__(self, points: Points):
        self.points = points
        self.axes = [points.dim(name) for name in points.names]

    def _rows(self, axis: int) -> list[Constraint]:
        """The distances within an iteration of all loops outside of an axis, across its own."""
        same = [Constraint(one, True) for one in self.axes[:axis]]
        return [*same, Constraint(self.axes[axis], False, margin=1)]

    def _any(self, *constraints: Constraint) -> bool:
        return not self.points.where(*constraints).set.is_empty()

    def carries(self, axis: int) -> bool:
        """Whether the loop of an axis carries a dependence, at its place in the order."""
        return self._any(*self._rows(axis))

    def goes_back(self, axis: int, by: int = 1) -> bool:
        """Whether a point depends on one whose coordinate is greater by at least `by`."""
        return self._any(Constraint(self.axes[axis] * -1, False, margin=by))

    def least_skew(self, axis: int) -> int | None:
        """The factor by which the next axis is skewed, so that rows do not wait for each other.

        A point then depends only on earlier places of the rows before. None if the factor would
        exceed `FARTHEST`.
        """
        row, place = self.axes[axis : axis + 2]
        late = (
            (factor, Constraint((row * factor + place) * -1, False))
            for factor in range(FARTHEST + 1)
        )
        found = (factor for factor, one in late if not self._any(*self._rows(axis), one))
        return next(found, None)


class UpdateRule:
    """Schedules the domain of an update, and vectorizes the loops that copy its start.

    `program` has the stage as it is without commands on it.
    """

    def __init__(self, rules: ScheduleWriter, stage: Stage, program: Applied):
        assert isinstance(stage.op, UpdateOp)
        self.rules, self.stage, self.op, self.program = rules, stage, stage.op, program
        self.unrolled = list[IterVar]()

    def schedule(self) -> None:
        stage, op = self.stage, self.op
        if op.axis:
            stage.vectorize(op.axis[-1])
        if op.definition.until is not None or op.definition.reorderable:
            return
        self._unroll_cases()
        found = self._distances()
        if found is None:
            return
        last = len(op.reduce_axis) - 1
        if not found.carries(last):
            self._rows(found, last)
        elif last and (factor := found.least_skew(last - 1)) is not None:
            self._chains(found, last, factor)

    def _distances(self) -> Distances | None:
        """The distances; None if they take too long to find."""
        sets = InstanceSets(self.program.func)

        def find() -> Distances:
            return Distances(distances(self.program.stages[self.stage.name], sets))

        return found_in_time(sets.context, MOST_OPERATIONS, find, None)

    def _unroll_cases(self) -> None:
        """Unrolls short axes, but the last, whose iterations differ by conditions."""
        conditions = [one.condition for one in self.op.definition.writes]
        asked = {one for expr in conditions if expr is not None for one in walk((expr,))}
        for axis in self.op.reduce_axis[:-1]:
            extent = known_extent(axis)
            if axis in asked and extent is not None and extent <= CASES:
                self.unrolled.append(axis)
                self.stage.unroll(axis)
                self.rules.say(self.stage, f"each case of {axis.name} has loops of its own")

    def _rows(self, found: Distances, last: int) -> None:
        """Vectors along the last axis, steps of a tile of rows, and outer loops on threads."""
        stage, axes = self.stage, self.op.reduce_axis
        lanes = axes[-1]
        is_tiled = (
            last > 1
            and found.carries(last - 2)
            and not any(map(found.goes_back, (last - 2, last - 1)))
        )
        self._threads(found, axes[: last - 2 if is_tiled else last])
        if is_tiled and self._repeats_elements() and not found.goes_back(last):
            lanes = self._in_registers()
        elif is_tiled:
            *around, step, row, _ = axes
            steps, step = stage.split(step, factor=STEPS)
            rows, row = stage.split(row, factor=ROWS)
            stage.reorder(*around, steps, rows, step, row, lanes)
            self.rules.say(stage, f"{STEPS} steps of {ROWS} rows of {axes[-2].name} at a time")
        stage.vectorize(lanes)
        self.rules.say(stage, f"vectors along {axes[-1].name}, whose points are independent")

    def _repeats_elements(self) -> bool:
        """Whether each step changes the same elements, by values that rows or lanes share."""
        step, row, lanes = self.op.reduce_axis[-3:]
        (write, *others), states = self.op.definition.writes, self.op.definition.states
        is_large = min(extents_of(states[0])) >= TILES * self._tile.columns
        axes = {one for one in walk(write.indices) if one in self.op.reduce_axis}
        reads = (one for one in walk(tuple(write.exprs())) if isinstance(one, TensorSlice))
        own = [one.indices for one in reads if one.tensor in states]
        changed = [one for one in own if {row, lanes} <= {*walk(one)}]
        is_changed = [all(map(is_, one, write.indices)) for one in changed]
        is_tile = {row, lanes} <= axes and step not in axes and all(is_changed)
        return is_large and not others and is_tile

    @property
    def _tile(self) -> AccumulatorTile:
        dtype, machine = self.op.outputs[0].dtype, self.rules.machine
        tiles = [machine.widest(dtype, rows) for rows in range(TILE_ROWS, 0, -1)]
        return next((tile for tile in tiles if tile.vectors >= LEAST_VECTORS), tiles[-1])

    def _in_registers(self) -> IterVar:
        """Tiles of elements that stay in registers for some steps; returns their lanes."""
        stage, (*around, step, row, lanes), tile = self.stage, self.op.reduce_axis, self._tile
        steps, step = stage.split(step, factor=tile.columns)
        rows, row = stage.split(row, factor=tile.rows)
        tiles, lane = stage.split(lanes, factor=tile.columns)
        stage.reorder(*around, steps, rows, tiles, step, row, lane)
        stage.unroll(row)
        size = f"{tile.rows} x {tile.columns}"
        self.rules.say(
            stage, f"tiles of {size} elements stay in registers for {tile.columns} steps"
        )
        return lane

    def _threads(self, found: Distances, loops: Sequence[IterVar]) -> bool:
        """Lets threads share the first loops that may run in any order; whether there are any.

        They are those of the first axes, or of blocks of these.
        """
        axes = self.op.reduce_axis

        def is_free(axis: int) -> bool:
            return axes[axis] not in self.unrolled and not found.carries(axis)

        runs = groupby(range(len(loops)), is_free)
        free = next(([*run] for are_free, run in runs if are_free), [])
        if free:
            work = prod(map(extent_of, axes[free[0] :]))
            self.rules.share(self.stage, [loops[axis] for axis in free], work)
        return bool(free)

    def _chains(self, found: Distances, last: int, factor: int) -> None:
        """Runs some rows at the same time, each as far behind the one before as it has to be."""
        stage, axes = self.stage, self.op.reduce_axis
        row, place = axes[last - 1], axes[last]
        skewed = stage.skew(place, row, factor) if factor else place
        chains = CHAINS if factor else ABREAST
        rows, row = stage.split(row, factor=chains)
        around = [*axes[: last - 1], rows]
        has_steps = last > 1 and axes[last - 2] not in self.unrolled
        is_near = has_steps and not found.goes_back(last - 1, chains + 1)
        if not self._threads(found, around) and is_near:
            around = self._waves(around, chains)
        stage.reorder(*around, skewed, row)
        stage.unroll(row)
        name = axes[last - 1].name
        self.rules.say(stage, f"{chains} of {name} go on at once, each {factor} behind the other")

    def _waves(self, loops: list[IterVar], chains: int) -> list[IterVar]:
        """Runs steps at the same time: each begins when the one before is two blocks of rows ahead.

        No row depends on one that is more than a block further. Returns what `loops` become, the
        last of which are steps and rows.
        """
        stage, (*around, step, rows) = self.stage, loops
        row, place = self.op.reduce_axis[-2:]
        count = -(-WAVE // (chains * extent_of(place)))
        if extent_of(step) < 2 or extent_of(row) < BLOCKS * count * chains:
            return loops
        blocks, *inside = [rows] if count == 1 else stage.split(rows, factor=count)
        wave = stage.skew(blocks, step, 2)
        self.rules.share(stage, [step], extent_of(step) * extent_of(row) * extent_of(place))
        block = f"blocks of {count * chains} of {row.name}"
        self.rules.say(stage, f"each of {step.name} is two {block} behind the other")
        return [*around, wave, step, *inside]
