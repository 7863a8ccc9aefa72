"""`auto_schedule`: a schedule by rules, of commands that a user can print, keep and edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from teloom.backend.call.threads import asked as threads_asked
from teloom.backend.call.threads import checked_threads
from teloom.backend.machine.cpus import HERE, asked, target_asked
from teloom.dialects.target import Target
from teloom.frontend.auto.axes.folded_blocks import fold_rows_of_blocks
from teloom.frontend.auto.axes.symmetric_axes import compute_triangle
from teloom.frontend.auto.composed_reads import read_through
from teloom.frontend.auto.facts import EquationFacts, has_data_bounds
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.nests import NestRule
from teloom.frontend.auto.plan import Planner
from teloom.frontend.auto.recurrences.lines import LineReader, line_readers
from teloom.frontend.auto.recurrences.scans import ScanRule, parts_of_scans
from teloom.frontend.auto.repeated.conversions import convert_once
from teloom.frontend.auto.repeated.parts import compute_parts_once
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.shared_reads import schedule_shared_read, shared_reads
from teloom.frontend.auto.threads import factors
from teloom.frontend.schedule.schedules import Schedule, checked_schedule
from teloom.frontend.tensor.tensors import ComputeOp, Operation, ScanOp
from teloom.frontend.tensor.updates import UpdateOp
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.frontend.schedule.applied import Applied


def auto_schedule(
    s: Schedule,
    target: str | Target | None = HERE,
    num_threads: int | None = None,
    math: str | None = None,
) -> list[str]:
    """Appends commands that make a program fast, and returns a line for each decision.

    Small stages are inlined, products are tiled by the target's registers and packed, stages are
    computed in the loops of their readers where nothing is computed twice there, windows slide
    along strips of rows, contiguous axes become vectors, and outermost ones run on threads: as many
    loops as give all threads the same to do. The same program, target and number of threads give
    the same commands, which are `s.schedule_record`.

    Steps of scans stay in the order of time. Points of updates that depend on each other stay in
    their order. Both become vectors or tiles where this changes no result. With `math="fast"`,
    products of bfloat16 are packed for instructions that take denormal numbers for 0.

    Stages that a command names already stay as they are. So do externs, and updates that end early
    or come in any order. Of reductions with bounds from data, threads share the elements. Passes
    make no remark on a stage that rules schedule, until the user writes a command on it. `target`,
    `num_threads` and `math` are as in `teloom.build`. Raises `teloom.Error` for what is no
    schedule, no number of threads and no level of functions.

    >>> from teloom import te
    >>> A = te.placeholder((500, 500), name="A")
    >>> B = te.compute((500, 500), lambda i, j: A[i, j] + 1, name="B")
    >>> C = te.compute((500, 500), lambda i, j: B[i, j] * 2, name="C")
    >>> s = te.create_schedule(C)
    >>> te.auto_schedule(s, "x86-64-v3")
    ['B: is inlined', 'C: all elements are one axis, of which threads take 16384 at a time']
    """
    checked_schedule(s)
    threads = threads_asked(None if num_threads is None else checked_threads(num_threads))
    may_flush = math is not None and loaded("teloom.passes.elementary.accuracy", "flushes")(math)
    rules = ScheduleWriter(s, Machine(target_asked(target) or asked(), threads, may_flush))
    _ProgramRule(rules).schedule()
    return rules.reasons


class _ProgramRule:
    """Schedules the stages of a program that no command names."""

    def __init__(self, rules: ScheduleWriter):
        self.rules, self.s = rules, rules.s
        self.of_user = {stage for stage in self.s.stages if stage.is_scheduled}
        self.scans = parts_of_scans(self._operations, self.s.producer)
        for rule in (compute_triangle, fold_rows_of_blocks, compute_parts_once, convert_once):
            for op in filter(self._is_planned, self._free):
                rule(rules, op)
        self.operations, self.free = self._operations, self._free
        triangles = {stage.op for stage in rules.triangles}
        self.equations = {
            op: EquationFacts(op, result_now=self.s.result_now, is_part=op in triangles)
            for op in self.free
            if self._is_planned(op)
        }

    @property
    def _operations(self) -> list[Operation]:
        return [stage.op for stage in self.s.stages]

    @property
    def _free(self) -> list[ComputeOp]:
        """The equations whose stages are left to rules."""
        left = (stage.op for stage in self.s.stages if stage not in self.of_user)
        return [op for op in left if isinstance(op, ComputeOp)]

    def _is_planned(self, op: ComputeOp) -> bool:
        return op not in self.scans and not has_data_bounds(op)

    def schedule(self) -> None:
        outputs = [stage.op for stage in self.s.stages if stage.is_output]
        lines = self._equations(outputs)
        self._bounded_by_data()
        self._recurrences(lines)
        for stage in self.s.stages:
            if stage.is_scheduled and stage not in self.of_user:
                self.s.give_to_rules(stage)

    def _equations(self, outputs: Sequence[Operation]) -> Mapping[ScanOp, LineReader]:
        """Schedules equations, but for those that read lines of scans, which it gives."""
        rules, now = self.rules, self.s.result_now
        shared = shared_reads(self.equations, self.operations, outputs, rules.machine, now)
        apart = {op for pair in shared for op in pair.operations}
        planned = {op: one for op, one in self.equations.items() if op not in apart}
        rules.factored = factors.factored_in(planned.values(), rules.machine)
        planner = Planner(planned, self.operations, rules.factored, now)
        plan = planner.plan(outputs)
        rules.reads = read_through(plan)
        rules.alone = plan.alone
        for equation in plan.inlined:
            self.s[equation.op].compute_inline()
            rules.say(self.s[equation.op], "is inlined")
        lines = line_readers(plan.nests, self.scans, planner.readers, rules)
        of_lines = {one.equation for one in lines.values()}
        for nest in plan.nests:
            if nest.anchor not in of_lines:
                NestRule(rules, nest).schedule()
        for pair in shared:
            schedule_shared_read(rules, pair)
        return lines

    def _bounded_by_data(self) -> None:
        """Lets threads share the elements of reductions whose terms data bounds."""
        for op in self.free:
            if op not in self.equations and op not in self.scans:
                stage = self.s[op]
                self.rules.share(stage, op.axis, EquationFacts(op).total)
                if stage.is_scheduled:
                    self.rules.say(stage, "data bounds its terms, which stay in a loop")

    @cached_property
    def _before_recurrences(self) -> Applied:
        """The program with the commands on what scans and updates read, found once."""
        return loaded("teloom.frontend.schedule.applied", "applied")(self.s, unfinished=True)

    def _recurrences(self, lines: Mapping[ScanOp, LineReader]) -> None:
        """Schedules scans with their steps, and updates."""
        for stage in [*self.s.stages]:  # rules add stages
            if isinstance(stage.op, ScanOp) and not stage.is_scheduled:
                parts = [op for op in self.operations if self.scans.get(op) is stage.op]
                known = [op for op in parts if op in self.free and not has_data_bounds(op)]
                rule = ScanRule(self.rules, stage, known, self.operations, known == parts)
                rule.schedule(lines.get(stage.op))
            elif isinstance(stage.op, UpdateOp) and not stage.is_scheduled:
                rule = loaded("teloom.frontend.auto.recurrences.updates", "UpdateRule")
                rule(self.rules, stage, self._before_recurrences).schedule()
