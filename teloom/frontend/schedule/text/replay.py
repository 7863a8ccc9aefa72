"""Schedules from the text of a sequence: its commands are appended to a new schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation as IrOperation
from xdsl.ir import SSAValue

from teloom.dialects import loop
from teloom.dialects import schedule as dialect
from teloom.driver.reading.parsed_text import given_text
from teloom.driver.runner import runner_of
from teloom.driver.schedule_file import put_sequences
from teloom.errors import ScheduleError
from teloom.frontend.schedule.schedules import REPLAYED, Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar
from teloom.passes.schedule.expand_sequences import ExpandSequencesPass, has_programs


def replay(s: Schedule, text: str, parameters: Mapping[str, int]) -> None:
    """Appends the commands of the sequence in `text` to a schedule that has none.

    Raises `ScheduleError` for a text without one sequence, and for what does not fit the program.
    """
    source = given_text(text, "the sequence", ScheduleError)
    found = [op for op in source.ops if isinstance(op, dialect.SequenceOp)]
    if len(found) != 1:
        raise ScheduleError(f"a text with one schedule.sequence is wanted, this has {len(found)}")
    for memory in loop.memories_in(source):
        s.put_memory(memory.clone())
    if parameters or has_programs(found[0]):
        module = s.module.clone()
        put_sequences(module, source)
        bound = tuple(f"{name}={value}" for name, value in parameters.items())
        runner_of(lambda: str(module)).run(module, [ExpandSequencesPass(bound)])
    Replay(s).run(found[0])


class Replay:
    """The replay of plain commands on a schedule."""

    def __init__(self, s: Schedule):
        self.schedule = s
        self.handles: dict[SSAValue, SSAValue] = {}
        """The handles of the sequence, and those of the schedule for the same."""
        self.stages: dict[SSAValue, Stage] = {}
        """The stages behind handles of the sequence."""

    def run(self, sequence: dialect.SequenceOp) -> None:
        for command in sequence.body.block.ops:
            replayed = REPLAYED.get(type(command), Replay.append)
            self.handles |= zip(command.results, replayed(self, command), strict=True)

    def axis(self, handle: SSAValue) -> IterVar:
        """The axis behind a handle of the sequence."""
        found = self.handles[handle]
        axes = (pair for stage in self.schedule.stages for pair in stage.axis_handles())
        return next(axis for axis, one in axes if one is found)

    def known(self, handle: SSAValue, stage: Stage) -> SSAValue:
        """Takes note of a stage; returns its handle in the schedule."""
        self.stages[handle] = stage
        return stage.handle

    def axes(self, command: dialect.AxesOp) -> list[SSAValue]:
        stage = self.stages[command.stage]
        roots = stage.root_axes
        if len(roots) != len(command.axes):
            raise ScheduleError(
                f'stage "{stage.name}" has {len(roots)} root axes, not {len(command.axes)}'
            )
        return [*map(stage.axis_handle, roots)]

    def append(self, command: IrOperation) -> Sequence[SSAValue]:
        """Appends a copy of a command; its results are axes of the stage that it is about."""
        if any(result.type == dialect.STAGE for result in command.results):
            raise ScheduleError(f"{command.name} is no command that Python can replay")
        copy = command.clone(self.handles)
        self.schedule.append(copy)
        if isinstance(command, dialect.ReverseCommand):
            self.stages[command.stage].take_loops()
        if copy.results:
            stage = self.stages.get(command.operands[0])
            if stage is None:
                axis = next(one for one in copy.operands if one.type == dialect.AXIS)
                stage = next(one for one in self.schedule.stages if one.has_handle(axis))
            for result, made in zip(command.results, copy.results, strict=True):
                stage.add_axis(result.name_hint or "axis", made)
        return copy.results
