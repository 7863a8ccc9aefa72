"""Handles of stages and axes, the commands that create them, and the base of all primitives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from teloom.analysis.stages.queries import all_stages, name_of, stage_of
from teloom.dialects import schedule, te
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError, no_stage_named
from teloom.passes.schedule.stage_order.wishes import OrderWishes


class NamedStages:
    """The stages of a function by their names, while commands make and erase some.

    A stage is looked up once per command. So all are found once, and again only where a command
    has changed what was found.
    """

    def __init__(self, func: te.FuncOp):
        self.func = func
        self.order = OrderWishes()
        self.names: set[str] = set()
        """The names of all stages that there are, or were."""
        self.inlined: list[schedule.StageOp] = []
        """Stages that a command has taken out, and whose readers still read them."""
        self.gone: set[str] = set()
        """The names of all stages that were inlined."""
        self.merged: dict[str, str] = {}
        """The stages into which others were merged, by the names of these."""
        self._standing: dict[str, schedule.OrderOp] = {}
        """The axes that stand for the root axes of stages: operands, which change with all uses."""
        self._found: dict[str, schedule.StageOp] = {}
        self.all()

    def all(self) -> dict[str, schedule.StageOp]:
        """All stages by their names, as they are now."""
        self._found = {name_of(stage): stage for stage in all_stages(self.func)}
        self.names |= self._found.keys()
        return self._found

    def get(self, name: str) -> schedule.StageOp | None:
        """The stage of that name, or into which it was merged; None if there is none."""
        if name in self.merged:
            return self.get(self.merged[name])
        stage = self._found.get(name)
        is_there = stage is not None and stage.parent is not None and name_of(stage) == name
        return stage if is_there else self.all().get(name)

    def axes(self, name: str) -> Sequence[SSAValue]:
        """The root axes of a stage that is there, or those that stand for them now."""
        if name in self._standing:
            return self._standing[name].operands
        stage = self.get(name)
        assert stage is not None
        return stage.root_axes

    def merge(self, name: str, into: schedule.StageOp, axes: Sequence[SSAValue]) -> None:
        """Lets handles of the stage `name` stand for another stage; `axes` are its axes there."""
        self.merged[name] = name_of(into)
        self.stand_for(name, axes)

    def stand_for(self, name: str, axes: Sequence[SSAValue]) -> None:
        """Lets handles of the root axes of a stage be of these."""
        self._standing[name] = schedule.OrderOp(axes, [LoopKind.SERIAL] * len(axes))

    def stand_as_in(self, other: schedule.StageOp, stage: schedule.StageOp) -> None:
        """Lets handles of the root axes of a stage stand for axes of another stage.

        Both have the same root axes.
        """
        if name_of(other) in self._standing:
            alike = dict(zip(other.root_axes, stage.root_axes, strict=True))
            self.stand_for(name_of(stage), [alike[axis] for axis in self.axes(name_of(other))])

    def add(self, stage: schedule.StageOp) -> None:
        """Takes note of a new stage."""
        self._found[name_of(stage)] = stage
        self.names.add(name_of(stage))


class Primitive(RewritePattern):
    """Base of the patterns that carry out commands on the stages of `func`.

    `commands` are the ops that the pattern carries out. `schedule.axes` replaces axis handles by
    the axes themselves; stage handles are looked up by name.

    The root of the pattern is the command, and what it changes are stages elsewhere: so no walker
    with a worklist applies it, but `carry_out`, once to each command of a sequence, in order.
    """

    commands: ClassVar[tuple[type[Operation], ...]] = ()

    reads_equations: ClassVar[bool] = True
    """Whether equations matter to the command: it then sees those of inlined stages in their
    readers."""

    is_about_loops: ClassVar[bool] = False
    """Whether a handle of a stage that was merged into another is one of that for the command: it
    is not for those that are about the elements of the stage, which are gone."""

    def __init__(self, stages: NamedStages):
        self.stages, self.func = stages, stages.func

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        """Raises ScheduleError for a stage that the commands have left in an illegal state.

        It is called for every stage after all commands of a sequence. So a command may rely on
        a later one that makes it legal.
        """

    def stage(self, handle: SSAValue, command: Operation) -> schedule.StageOp:
        """The stage of a handle; raises ScheduleError for a group and for a stage that is gone."""
        names = stage_names(handle)
        if isinstance(handle.owner, schedule.GroupOp):
            raise ScheduleError(
                f"{command_word(command)} wants one stage, not the group of {quoted(names)}; "
                "a group has compute_at and compute_root",
                command,
            )
        (name,) = names
        if name in self.stages.merged and not self.is_about_loops:
            into = self.stages.merged[name]
            raise ScheduleError(f'stage "{name}" was merged into "{into}"', command)
        if (stage := self.stages.get(name)) is not None:
            return stage
        if name in self.stages.gone:
            raise ScheduleError(f'stage "{name}" was inlined before, and has no loops', command)
        raise ScheduleError(no_stage_named(name, self.stages.all()), command)

    def argument(self, given: schedule.NumberAttr, command: Operation) -> int:
        """The number of a tensor argument; ScheduleError if there is none."""
        number, count = given.value.data, len(self.func.tensors)
        if number not in range(count):
            there = f"0..{count - 1}" if count else "none"
            raise ScheduleError(
                f"{command_word(command)} of argument {number}: the function has tensor "
                f"arguments {there}",
                command,
            )
        return number

    def stage_of(self, axis: SSAValue, command: Operation) -> schedule.StageOp:
        """The stage of an axis; ScheduleError if it is gone."""
        if axis.owner.parent_op() is None:
            raise ScheduleError(
                f"axis {schedule.axis_name(axis)} belonged to a stage that was inlined", command
            )
        return stage_of(axis)

    def leaf_stage(self, axis: SSAValue, command: Operation) -> schedule.StageOp:
        """The stage of a leaf axis; ScheduleError if the axis is no leaf."""
        stage = self.stage_of(axis, command)
        if axis in stage.order.axes:
            return stage
        leaves = schedule.axis_names(stage.order.axes)
        raise ScheduleError(
            f"axis {schedule.axis_name(axis)} is no leaf axis of stage "
            f'"{name_of(stage)}"; its leaf axes are {leaves}',
            command,
        )

    def common_stage(self, axes: Sequence[SSAValue], command: Operation) -> schedule.StageOp:
        """The stage of all of these leaf axes; ScheduleError if they are of several."""
        stage = self.leaf_stage(axes[0], command)
        for axis in axes[1:]:
            other = self.leaf_stage(axis, command)
            if other is not stage:
                raise ScheduleError(
                    f"{command_word(command)} names axis {schedule.axis_name(axis)}, which is no "
                    f'axis of stage "{name_of(stage)}" but of "{name_of(other)}"',
                    command,
                )
        return stage


def command_word(command: Operation) -> str:
    """The name of a command for the user; of what one left in a stage, that of this command."""
    if isinstance(command, schedule.OpInStage):
        return command.said_by
    return command.name.removeprefix("schedule.")


def stage_names(handle: SSAValue) -> list[str]:
    """The names of the stages behind a handle: one, or those of a group, each once."""
    if isinstance(handle.owner, schedule.GroupOp):
        members = handle.owner.members
        return list(dict.fromkeys(name for member in members for name in stage_names(member)))
    assert isinstance(handle.owner, schedule.GetOp)
    return [handle.owner.stage_name.data]


def last_command(
    stage: schedule.StageOp,
    sequence: schedule.SequenceOp,
    *kinds: type[schedule.StageCommand | schedule.LoopOfStageCommand],
) -> Operation | None:
    """The last command of these kinds on a stage."""
    commands = [op for op in sequence.body.block.ops if isinstance(op, kinds)]
    of_stage = [op for op in commands if name_of(stage) in stage_names(op.stage)]
    return of_stage[-1] if of_stage else None


def quoted(names: Iterable[str]) -> str:
    """The names of stages, as a message shows them."""
    return ", ".join(f'"{name}"' for name in names)


class ApplyGet(Primitive):
    """Checks that the stage exists; the handle stays for its users."""

    commands = (schedule.GetOp,)
    is_about_loops = True
    reads_equations = False

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.GetOp, rewriter: PatternRewriter):
        self.stage(op.stage, op)


class ApplyAxes(Primitive):
    """Replaces the handles by the root axes of the stage."""

    commands = (schedule.AxesOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.AxesOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        (name,) = stage_names(op.stage)
        axes = self.stages.axes(name)
        if stage.extern is not None and op.axes and not axes:
            raise ScheduleError(f'stage "{name_of(stage)}" is an extern, which has no axes', op)
        if len(axes) != len(op.axes):
            raise ScheduleError(
                f'stage "{name}" has {len(axes)} root axes, not {len(op.axes)}',
                op,
            )
        for handle, axis in zip(op.axes, axes, strict=True):
            handle.replace_all_uses_with(axis)
