"""Scans: the times that are stored, and the loops of a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod

from teloom.frontend.auto import folds, reductions
from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    Subscript,
    bytes_of,
    extent_of,
    extents_of,
    is_box,
    known,
)
from teloom.frontend.auto.plan import AnchorNest, Planner
from teloom.frontend.auto.pointwise import STRIP, schedule_alone
from teloom.frontend.auto.recurrences.lines import LineReader
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.scan_steps import Producer, steps_of_scans
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Operation, ScanOp

TIMES = 16
"""The most times of a tile of times and rows."""

PARTS = 4
"""How often the rows of a tile fit into the second cache."""

STRIPS = 4
"""The lines along time, or strips of them, that each thread has at least."""

Parts = Mapping[ComputeOp, ScanOp]
"""The equations that only a scan needs: its steps and inits."""


def parts_of_scans(operations: Sequence[Operation], producer: Producer) -> Parts:
    """The parts of the scans of a program."""
    readers: dict[Operation, list[Operation]] = {}
    for op in operations:
        for tensor in op.input_tensors:
            readers.setdefault(producer(tensor), []).append(op)
    steps = steps_of_scans(operations, producer)
    inits = {
        init: scan
        for scan in operations
        if isinstance(scan, ScanOp)
        for init in map(producer, scan.inits)
        if isinstance(init, ComputeOp)
        and {scan, *map(producer, scan.updates)}.issuperset(readers[init])
    }
    return {**steps, **inits}


class Results(EquationFacts):
    """The results of a scan, as an equation that copies its inits and updates."""

    def __init__(self, op: ScanOp):
        self.op = op  # pyright: ignore
        self.space = op.axis[1:]
        self.work = 0

    @cached_property
    def reads(self) -> list[Read]:
        axes = [Subscript(frozenset([axis]), {axis: 1}, 0, False) for axis in self.op.axis]
        return [Read(tensor, tuple(axes)) for tensor in self.op.input_tensors]


class ScanRule:
    """Schedules a scan and its parts, which stay in the loop of time, one after another.

    `is_whole` says whether `parts` are all of them, so that nothing else reads the states.
    """

    def __init__(
        self,
        rules: ScheduleWriter,
        stage: Stage,
        parts: Iterable[ComputeOp],
        operations: Sequence[Operation],
        is_whole: bool,
    ):
        assert isinstance(stage.op, ScanOp)
        self.is_whole = is_whole
        self.rules, self.stage, self.op = rules, stage, stage.op
        self.results = Results(stage.op)
        self.parts = {op: EquationFacts(op, 1) for op in parts}
        self.planner = Planner({**self.parts, stage.op: self.results}, operations)

    def schedule(self, reader: LineReader | None = None) -> None:
        """Writes the commands; for lines that alone a `reader` reads, also those of the reader."""
        if self.op.has_shapes:
            self._steps_alone()
        else:
            self._steps_and_results(reader)

    def _steps_alone(self) -> None:
        """Schedules the steps of results of different shapes, which are copied slice by slice."""
        plan = Planner(self.parts, [*self.planner.readers]).plan([])
        self._inline(plan.inlined)
        for one in self.parts.values():
            if one not in plan.inlined:
                self._step(self.rules.s[one.op], one)

    def _inline(self, inlined: Iterable[EquationFacts]) -> None:
        for one in inlined:
            self.rules.s[one.op].compute_inline()
            self.rules.say(self.rules.s[one.op], f"is inlined in {self.stage.name}")

    def _steps_and_results(self, reader: LineReader | None) -> None:
        stage = self.stage
        plan = self.planner.plan([self.op])
        self._inline(plan.inlined)
        is_folded = self.is_whole and not stage.is_output and self._reads_last_times()
        if is_folded:
            stage.fold_storage(self.op.scan_axis)
            self.rules.say(stage, "only the times that are needed at once are stored")
        nest = next(one for one in plan.nests if one.anchor is self.results)
        beside = self._beside(nest, plan.inlined)
        for one in self.parts.values():
            if one not in plan.inlined and one not in beside:
                self._step(self.rules.s[one.op], one)
        is_inlined = self.is_whole and len(plan.inlined) == len(self.parts)
        if reader is not None and is_inlined and self._is_alone(len(self.op.axis) - 1):
            reader.schedule(self.rules, stage)
            return
        if reader is not None:
            schedule_alone(self.rules, self.rules.s[reader.equation.op], reader.equation)
        skew = self._skew() if is_folded and is_inlined else None
        if beside:
            self._with_rows(nest, beside)
        elif skew is not None:
            self._tiles_of_time(skew)
        elif not is_inlined or not self._share_lines():
            self._vectors(stage, self.results)

    def _reads_last_times(self) -> bool:
        """Whether steps read times at constant distances, and others one time only."""
        readers = self.planner.readers.get(self.op, [])
        outside = [EquationFacts(one) for one in readers if isinstance(one, ComputeOp)]
        return (
            len(outside) == len(readers)
            and not any(
                read.subscripts[0].axes for one in outside for read in one.reads_of(self.op.outputs)
            )
            and all(
                read.subscripts[0].coefficients == {one.op.axis[0]: 1}
                for one in self.parts.values()
                for read in one.reads_of(self.op.states)
            )
        )

    def _skew(self) -> int | None:
        """The factor by which rows have to be skewed along time for tiles of several times.

        None where that is not known, or where caches hold what a step reads and writes.
        """
        extents = [extent.dom and known(extent.dom.extent) for extent in self.op.axis]
        if len(extents) < 3 or None in extents:
            return None
        if not 2 * PARTS <= self._rows_in_cache() < extents[1]:
            return None
        skew = 0
        for one in self.parts.values():
            for read in one.reads_of(self.op.states):
                time, axis = read.subscripts[:2]
                if axis.coefficients != {one.op.axis[1]: 1}:
                    return None
                skew = max(skew, -(axis.constant // time.constant))
        return skew

    def _beside(
        self, nest: AnchorNest, inlined: Iterable[EquationFacts]
    ) -> dict[EquationFacts, int]:
        """The steps that are computed row by row with the results, where all their readers are."""
        found = {one: depth for one, depth in nest.members.items() if self._is_row(one, depth)}
        rows = {self.op, *(one.op for one in (*found, *inlined))}
        for one in reversed([*self.parts.values()]):
            if not rows.issuperset(self.planner.readers.get(one.op, [])):
                rows.discard(one.op)
        return {one: depth for one, depth in found.items() if one.op in rows}

    def _is_row(self, member: EquationFacts, depth: int) -> bool:
        """Whether a step is computed row by row with the results."""
        return 1 < depth < len(self.op.axis) and is_box(member.op) and not member.op.reduce_axis

    def _step(self, stage: Stage, equation: EquationFacts) -> None:
        """The loops of a step inside that of time."""
        if not equation.op.reduce_axis:
            self._vectors(stage, equation)
            return
        folded = folds.folded_by_lanes(equation, self.rules.machine)
        if folded is not None:
            folds.fold_lanes(self.rules, equation, folded)
        elif equation.is_product and is_box(equation.op):
            self._tile(equation)
        elif equation.space:
            reductions.keep_vectors(self.rules, equation, stage)

    def _tile(self, equation: EquationFacts) -> None:
        copy = self.rules.s[equation.op]
        inside = self.rules.s.cache_write([*equation.op.outputs], "global")[0]
        reductions.TileRule(self.rules, equation, inside, copy, [0]).schedule()

    def _work(self, equation: EquationFacts) -> int:
        """The work of a step for all of space."""
        return equation.points * max(1, self.planner.work[equation.op])

    def _vectors(self, stage: Stage, equation: EquationFacts) -> None:
        """Vectors along the last axis, and threads along the first one behind time."""
        axes = stage.op.axis[1:]
        if not axes:
            return
        if len(axes) > 1:
            self.rules.share(stage, axes[:1], self._work(equation))
        stage.vectorize(axes[-1])
        self.rules.say(stage, f"vectors along {axes[-1].name} in each step")

    def _share_lines(self) -> bool:
        """Lets threads share lines along time that need no other line; whether there are several.

        Lines of the last axis are vectors, and threads share strips of it.
        """
        stage, (time, *axes) = self.stage, self.op.axis
        alone = [axis for number, axis in enumerate(axes, 1) if self._is_alone(number)]
        work = extent_of(time) * self._work(self.results)
        if not alone or not self.rules.threads_pay(work):
            return False
        lanes = axes[-1]
        lines = [axis for axis in alone if axis is not lanes and extent_of(axis) > 1]
        others = [axis for axis in axes[:-1] if axis not in lines]
        if lanes in alone and (width := self._strip(lines)) < extent_of(lanes):
            strips, lanes = stage.split(lanes, factor=width)
            lines.append(strips)
        if not lines:
            return False
        stage.reorder(*lines, time, *others, lanes)
        self.rules.share(stage, lines, work)
        stage.vectorize(lanes)
        names = ", ".join(one.name for one in lines)
        self.rules.say(stage, f"threads share {names}, each for all times")
        return True

    def _is_alone(self, number: int) -> bool:
        """Whether a step reads of an axis the positions alone at which it computes."""
        read = [*self.op.states, *(tensor for op in self.parts for tensor in op.outputs)]
        return all(
            one.subscripts[number].is_position(part.op.axis[number])
            for part in self.parts.values()
            for one in part.reads_of(read)
        )

    def _strip(self, lines: Iterable[IterVar]) -> int:
        """The width of strips of the last axis, of whole lines of the cache, if threads need any.

        Of those and the other lines each thread has some.
        """
        machine, extent = self.rules.machine, extent_of(self.op.axis[-1])
        wanted = -(-STRIPS * machine.threads // prod(map(extent_of, lines)))
        return -(-extent // (wanted * machine.line)) * machine.line

    def _rows_in_cache(self) -> int:
        """How many rows of two times the second cache holds."""
        rows = (bytes_of(tensor) // prod(extents_of(tensor)[:2]) for tensor in self.op.outputs)
        return self.rules.machine.second_cache // max(1, 2 * sum(rows))

    def _tiles_of_time(self, skew: int) -> None:
        """Tiles of several times and rows: what they read of each other stays in the caches."""
        stage = self.stage
        time, row, *behind = stage.op.axis
        skewed = stage.skew(row, time, skew) if skew else row
        most = self._rows_in_cache() // PARTS
        times, time = stage.split(time, factor=min(TIMES, most))
        rows, row = stage.split(skewed, factor=min(STRIP, most))
        stage.reorder(times, rows, time, row, *behind)
        stage.never_partition(times, rows, time, row)
        stage.vectorize(behind[-1])
        name = stage.op.axis[1].name
        size = f"{min(TIMES, most)} times of {min(STRIP, most)} of {name}"
        self.rules.say(stage, f"tiles of {size}, skewed by {skew}, stay in the caches")

    def _with_rows(self, nest: AnchorNest, members: Mapping[EquationFacts, int]) -> None:
        """The results along the innermost axis with members, whose rows slide there.

        Threads share strips of it. Without strips nothing is computed twice, from what a result
        may have overwritten.
        """
        stage, depth, work = self.stage, max(members.values()), self._work(self.results)
        axes = [stage.op.axis[number] for number in nest.order]
        rows, inside = STRIP if self.rules.threads_pay(work) else None, "the steps that they read"
        strip, loops = self.rules.divide_into_strips(stage, axes, depth, rows, inside)
        _, *around, _ = loops
        self.rules.share(stage, [*around, strip][:1], work)
        for member, number in members.items():
            self._row(nest, member, loops[number - 1], strip)

    def _row(self, nest: AnchorNest, member: EquationFacts, at: IterVar, strip: IterVar) -> None:
        stage = self.rules.s[member.op]
        slides = nest.is_innermost(member) and nest.slides(member)
        self.rules.compute_rows(stage, self.stage, at, strip if slides else None)
        stage.vectorize(stage.op.axis[-1])
