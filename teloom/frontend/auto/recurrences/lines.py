"""Lines along time that are contiguous in what a scan reads, and in what reads the scan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from teloom.frontend.auto.facts import EquationFacts, Read, bytes_of, extent_of, extents_of, is_box
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.panels import vectorize_along
from teloom.frontend.auto.plan import AnchorNest
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import is_stored_before
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Operation, ScanOp

NEAR = 2
"""How many elements apart lines of one tensor are read at the same time, if they are copied."""


class Line(NamedTuple):
    """A read of what steps read along time, and the axis of the step whose positions are lines."""

    read: Read
    axis: IterVar


class LineReader(NamedTuple):
    """An equation that alone reads a scan, with time as its last axis; `line` is that of lanes."""

    equation: EquationFacts
    line: IterVar
    turned: Sequence[Line]

    def schedule(self, rules: ScheduleWriter, scan: Stage) -> None:
        """Computes some lines of the scan for all times, and turns them in registers.

        What steps read along time is turned, too: each tile before the steps that read it.
        """
        stage, lanes = rules.s[self.equation.op], self._lanes(rules.machine, scan)
        *others, time = [axis for axis in stage.op.axis if axis is not self.line]
        lines, line = stage.split(self.line, factor=lanes)
        times, inner = stage.split(time, factor=lanes)
        stage.reorder(*others, lines, times, line, inner)
        rules.share(stage, [*others, lines], self.equation.total)
        stage.unroll(line)
        stage.vectorize(inner)
        rules.say(stage, f"tiles of {lanes} x {lanes} are transposed in registers")
        scan.compute_at(stage, lines)
        scan.vectorize(scan.op.axis[-1])
        rules.say(scan, f"{lanes} lines at a time, for all times")
        steps, _ = scan.split(scan.op.axis[0], factor=lanes)
        for read, axis in self._copied():
            copy = rules.s[rules.s.cache_read(read.tensor, "global", [scan.op])]
            copy.compute_at(scan, steps)
            vectorize_along(copy, read, axis, rules.machine)
            rules.say(copy, f"tiles of {lanes} x {lanes} are transposed in registers")

    def _copied(self) -> Iterator[Line]:
        """A line of each tensor of which a tile has all that its steps read, or little more."""
        for tensor in dict.fromkeys(one.read.tensor for one in self.turned):
            lines = [one for one in self.turned if one.read.tensor is tensor]
            if all(_are_near(lines[0].read, one.read) for one in lines):
                yield lines[0]

    def _lanes(self, machine: Machine, scan: Stage) -> int:
        """As many lines as a vector has lanes, if the first cache has the ends of all of them."""
        op = self.equation.op
        result = op.outputs[0]
        strides = [read.stride(axis) for read, axis in self.turned]
        strides.append(prod(extents_of(result)[op.axis.index(self.line) + 1 :]))
        return machine.lines(scan.op.outputs[0].dtype, strides)


def line_readers(
    nests: Iterable[AnchorNest],
    parts: Mapping[ComputeOp, ScanOp],
    readers: Mapping[Operation, Sequence[Operation]],
    rules: ScheduleWriter,
) -> dict[ScanOp, LineReader]:
    """The scans whose steps read lines along time, with what alone reads these lines.

    `readers` are the operations that read each operation.
    """
    alone: dict[Operation, EquationFacts] = {
        nest.anchor.op: nest.anchor for nest in nests if not nest.members
    }
    turned: dict[ScanOp, list[Line]] = {}
    for op, scan in parts.items():
        rules.reads.give(step := EquationFacts(op, 1))
        turned.setdefault(scan, []).extend(_turned(step, rules.machine))
    found: dict[ScanOp, LineReader] = {}
    for scan, lines in turned.items():
        stage, outside = rules.s[scan], [op for op in readers[scan] if op not in parts]
        is_single = len(outside) == len(scan.outputs) == 1 and not scan.has_shapes
        if not lines or stage.is_scheduled or stage.is_output or not is_single:
            continue
        reader = alone.get(outside[0])
        line = None if reader is None else _line(reader, scan)
        if reader is not None and line is not None:
            found[scan] = LineReader(reader, line, lines)
    return found


def _line(equation: EquationFacts, scan: ScanOp) -> IterVar | None:
    """The axis along lanes of a scan, in an equation that reads it once, with time as last axis."""
    reads = [*equation.reads_of(scan.outputs)]
    if len(reads) != 1 or equation.op.reduce_axis or not is_box(equation.op):
        return None
    subscripts = reads[0].subscripts
    axes = [axis for one in subscripts for axis in equation.op.axis if one.is_position(axis)]
    if len({*axes}) != len(subscripts) or axes[0] is not equation.op.axis[-1]:
        return None
    return axes[-1]


def _are_near(one: Read, other: Read) -> bool:
    """Whether two reads of a tensor are at the same place of a tile, but for few elements."""
    return all(
        this.coefficients == that.coefficients and abs(this.constant - that.constant) <= NEAR
        for this, that in zip(one.subscripts, other.subscripts, strict=True)
    )


def _turned(step: EquationFacts, machine: Machine) -> Iterator[Line]:
    """The reads of the large tensors that a step reads along time, and not along lanes."""
    time, *others = step.op.axis
    if not others or extent_of(lanes := others[-1]) == 1:
        return
    found = {
        read.tensor
        for read in step.reads
        if read.stride(time) == 1 and read.stride(lanes) not in (0, 1)
    }
    for read in step.reads:
        is_large = bytes_of(read.tensor) > machine.caches[0]
        if read.tensor in found and is_large and is_stored_before(step, read.tensor):
            yield Line(read, lanes)
