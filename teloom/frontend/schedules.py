"""Schedules: Python methods that append commands to a `schedule.sequence`.

A schedule holds IR and nothing else: its module has the program and the commands, and
printing it gives text from which the same schedule can be applied again. The methods
of `Stage` are derived from the command ops of the dialect.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir import Operation as IrOperation
from xdsl.utils.exceptions import VerifyException

from teloom.dialects import schedule as dialect
from teloom.errors import Error, ScheduleError
from teloom.frontend.commands import Command, all_commands
from teloom.frontend.program import Program, build_program, ssa_name
from teloom.frontend.source_location import user_location
from teloom.frontend.tensors import ComputeOp, IterVar, Operation, Tensor


class Schedule:
    """A program and the commands that schedule it; `s[C]` is the stage of tensor C.

    `module` is the IR: one `te.func` and one `schedule.sequence`. `outputs` are the
    operations it was made for, `stages` one stage per operation, producers first, and
    `stage_map` gives the stage of an operation.
    """

    def __init__(self, outputs: list[Operation], program: Program):
        self.outputs = outputs
        self.program = program
        self.sequence = dialect.SequenceOp("schedule", program.func.sym_name.data, Region(Block()))
        self.module.body.block.add_op(self.sequence)
        self.stages = [Stage(self, op, program.stage_names[op]) for op in program.operations]
        self.stage_map = {stage.op: stage for stage in self.stages}

    @property
    def module(self) -> ModuleOp:
        """The IR of the program and its commands so far."""
        return self.program.module

    def __getitem__(self, k: Tensor | Operation) -> Stage:
        op = k.op if isinstance(k, Tensor) else k
        if isinstance(op, Operation) and op in self.stage_map:
            return self.stage_map[op]
        names = ", ".join(stage.name for stage in self.stages)
        raise ScheduleError(f"{k!r} is not part of this schedule; its stages: {names}")

    def append(self, command: IrOperation) -> None:
        """Appends a command; raises `ScheduleError` unless it verifies."""
        try:
            command.verify()
        except VerifyException as error:
            command.drop_all_references()
            raise ScheduleError(str(error).removeprefix("Operation does not verify: ")) from None
        command.location = user_location()
        self.sequence.body.block.add_op(command)

    def __str__(self) -> str:
        return str(self.module)


class Stage:
    """One operation in a schedule; its methods append commands about it.

    Every command op of the `schedule` dialect is a method, by the op's name, with the
    op's operands and properties as parameters; new axes are returned. A command that
    cannot be right raises `ScheduleError` here, one that does not fit the program when
    the schedule is applied.
    """

    def __init__(self, schedule: Schedule, op: Operation, name: str):
        self.schedule = schedule
        self.op = op
        self.name = name
        self._handle: SSAValue | None = None
        self._axes: dict[IterVar, SSAValue] = {}

    @property
    def handle(self) -> SSAValue:
        """The handle of the stage, from a `schedule.get` that is appended at first use."""
        if self._handle is None:
            if not isinstance(self.op, ComputeOp):
                raise ScheduleError(f"{self.name} is a placeholder: it is given, not computed")
            get = dialect.GetOp(self.name)
            self.schedule.append(get)
            get.stage.name_hint = ssa_name(self.name)
            self._handle = get.stage
        return self._handle

    @property
    def axes(self) -> list[IterVar]:
        """The axes that no command has replaced, in order of making."""
        return [
            axis for axis, handle in self._handles().items() if not dialect.consumers_of(handle)
        ]

    def axis_handles(self) -> list[tuple[IterVar, SSAValue]]:
        """Its axes, with those that a command has replaced, and their handles so far."""
        return list(self._axes.items())

    def has_axis(self, axis: IterVar) -> bool:
        """Whether an axis is one of the stage's root axes or was made of them."""
        roots = [*self.op.axis, *self.op.reduce_axis]
        return axis in self._axes or any(axis is root for root in roots)

    def axis_handle(self, axis: IterVar) -> SSAValue:
        """The handle of one of its axes; raises `ScheduleError` for others."""
        handles = self._handles()
        if axis not in handles:
            names = ", ".join(axis.name for axis in self.axes) or "none"
            owners = [stage.name for stage in self.schedule.stages if stage.has_axis(axis)]
            whose = f" of stage {owners[0]}" if owners else ""
            raise ScheduleError(
                f"axis {axis}{whose} is not an axis of stage {self.name}; its axes: {names}"
            )
        return handles[axis]

    def add_axis(self, name: str, handle: SSAValue) -> IterVar:
        """Records an axis that a command has made."""
        handle.name_hint = ssa_name(name)
        axis = IterVar(name)
        self._axes[axis] = handle
        return axis

    def _handles(self) -> dict[IterVar, SSAValue]:
        handle = self.handle
        if not self._axes and isinstance(self.op, ComputeOp):
            roots = [*self.op.axis, *self.op.reduce_axis]
            if roots:
                axes = dialect.AxesOp(handle, len(roots))
                self.schedule.append(axes)
                for root, result in zip(roots, axes.axes, strict=True):
                    result.name_hint = ssa_name(root.name)
                    self._axes[root] = result
        return self._axes

    def __repr__(self) -> str:
        return f"Stage({self.name})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def create_schedule(ops: Operation | Tensor | Iterable[Operation | Tensor]) -> Schedule:
    """A schedule, with no commands yet, of the program that computes `ops`.

    `ops` is an operation, a tensor or a list of them; all tensors of these operations
    are outputs. The module is built and verified here: arguments are the sizes and the
    placeholders in order of first use. Raises `teloom.Error` for other objects.
    Source: TVM's te.create_schedule.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> s = te.create_schedule(B)
    >>> s[B].split(B.op.axis[0], factor=8)
    [i.outer, i.inner]
    """
    listed = ops if isinstance(ops, list | tuple) else [ops]
    outputs: dict[Operation, None] = {}
    for one in listed:
        op = one.op if isinstance(one, Tensor) else one
        if not isinstance(op, Operation):
            raise Error(f"create_schedule wants operations or tensors, got {one!r}")
        if not isinstance(op, ComputeOp):
            raise Error(f"{op.name} is a placeholder: there is nothing to compute")
        outputs[op] = None
    if not outputs:
        raise Error("create_schedule needs at least one operation")
    return Schedule(list(outputs), build_program(list(outputs)))


def _method(command: Command):
    def method(self: Stage, *args: object, **kwargs: object):
        return command.append_to(self, args, kwargs)

    method.__name__, method.__qualname__ = command.name, f"Stage.{command.name}"
    method.__doc__ = command.op.__doc__
    method.__signature__ = command.signature
    return method


for _command in all_commands():
    setattr(Stage, _command.name, _method(_command))
