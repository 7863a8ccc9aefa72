"""Lines along time that are contiguous in what a scan reads, and in what reads the scan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from teloom.frontend.auto.facts import EquationFacts, bytes_of, extent_of, is_box
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.plan import AnchorNest
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Operation, ScanOp


class LineReader(NamedTuple):
    """An equation that alone reads a scan, with time as its last axis; `line` is that of lanes."""

    equation: EquationFacts
    line: IterVar

    def schedule(self, rules: ScheduleWriter, scan: Stage) -> None:
        """Computes some lines of the scan for all times, and turns them in registers."""
        stage, lanes = rules.s[self.equation.op], rules.machine.lanes(scan.op.outputs[0].dtype)
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
    steps = ((EquationFacts(op, 1), scan) for op, scan in parts.items())
    turned = (scan for step, scan in steps if _is_turned(step, scan, rules.machine))
    found: dict[ScanOp, LineReader] = {}
    for scan in dict.fromkeys(turned):
        stage, outside = rules.s[scan], [op for op in readers[scan] if op not in parts]
        is_single = len(outside) == len(scan.outputs) == 1 and not scan.has_shapes
        if stage.is_scheduled or stage.is_output or not is_single:
            continue
        reader = alone.get(outside[0])
        line = None if reader is None else _line(reader, scan)
        if reader is not None and line is not None:
            found[scan] = LineReader(reader, line)
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


def _is_turned(step: EquationFacts, scan: ScanOp, machine: Machine) -> bool:
    """Whether a step reads a large tensor that is contiguous along time, and not along lanes."""
    if len(step.op.axis) < 2:
        return False
    time, *_, lanes = step.op.axis
    return extent_of(lanes) > 1 and any(
        read.tensor not in scan.states
        and bytes_of(read.tensor) > machine.caches[0]
        and read.stride(time) == 1
        and read.stride(lanes) not in (0, 1)
        for read in step.reads
    )
