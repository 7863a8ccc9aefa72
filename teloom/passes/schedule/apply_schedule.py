"""Pass `apply-schedule`: equations and commands become scheduled stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.stages.queries import all_stages, name_of, outputs_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.interfaces import PluginCommand
from teloom.dialects.syntax.stage_header import AxisBounds
from teloom.errors import ScheduleError, did_you_mean, placed, said_by_verifier
from teloom.passes.code.alike_values import merge_alike
from teloom.passes.schedule.primitives import PRIMITIVES
from teloom.passes.schedule.primitives.compute_inline import inline_all
from teloom.passes.schedule.primitives.handles import NamedStages, Primitive
from teloom.passes.schedule.recurrences import check_recurrence
from teloom.passes.schedule.scan_stage import scan_stage
from teloom.passes.schedule.stage_order.settling import settle_order
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage
from teloom.progress import reached

Definition = te.ComputeOp | te.UpdateOp | te.ExternOp
"""An op that becomes a stage with the default schedule."""


def _default_stage(op: Definition) -> schedule.StageOp:
    """A stage with the definition of `op` and the default schedule."""
    bounds = AxisBounds.of(op.bounds.pairs(), op.bounds.operands, op.bounds.where())
    axes = op.axes if isinstance(op, te.UpdateOp) else op.body.block.args[: len(bounds.pairs())]
    return unscheduled_stage(
        op.stage_name.data,
        [axis.name_hint for axis in axes],
        bounds,
        op.data_axes.value.data,
        op.detach_parts(),
        [tensor.type for tensor in op.tensors],
    )


def _replace(op: Definition | te.ScanOp, stage: schedule.StageOp) -> None:
    stage.location = op.location
    for old, new in zip(op.tensors, stage.tensors, strict=True):
        new.name_hint = old.name_hint
    Rewriter.replace_op(op, stage)


@dataclass(frozen=True)
class ApplySchedulePass(ModulePass):
    """Carry out the commands of every `schedule.sequence` on the stages of its function.

    A function without a sequence gets the default schedule.

    Order: after `expand-sequences`; all later passes read stages, not commands.

    Example: `apply-schedule`
    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.sequence @tiled on @copy {
      %B = schedule.get "B"
      %i = schedule.axes 1 of %B
      %io, %ii = schedule.split %i factor 8
      schedule.vectorize %ii
    }
    ```
    becomes
    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = schedule.stage "B" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 8
        schedule.order %io, %ii vectorized
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          te.yield %a : f32
        }
      }
      te.return %B : tensor<20xf32>
    }
    ```
    Refused: `apply-schedule`
    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.sequence @wrong on @copy {
      %B = schedule.get "b"
    }
    ```
    with "no stage is named "b" (stages: B); did you mean 'B'?"
    """

    name = "apply-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, te.FuncOp):
                make_stages(func)
        for sequence in list(op.ops):
            if isinstance(sequence, schedule.SequenceOp):
                _apply_sequence(sequence, function_of(sequence, op))


def make_stages(func: te.FuncOp) -> None:
    """Turns all definitions of a function into stages with default schedules."""
    for op in ops_in(func, *get_args(Definition)):
        # What a point of an update reads and writes compares then; what both of two values are
        # made of is computed in front of their choice.
        if isinstance(op, te.UpdateOp) or any(ops_in(op, scf.IfOp)):
            merge_alike(op)
        _replace(op, _default_stage(op))
    # Scans come last: they move their steps, which must be stages by then.
    for op in ops_in(func, te.ScanOp):
        _replace(op, scan_stage(op))


def function_of(sequence: schedule.SequenceOp, module: ModuleOp) -> te.FuncOp:
    """The function that a sequence schedules; raises `ScheduleError` if it is not there."""
    functions = {func.sym_name.data: func for func in module.ops if isinstance(func, te.FuncOp)}
    target = sequence.target.root_reference.data
    if target not in functions:
        raise ScheduleError(
            f"no te.func is named @{target} (functions: {', '.join(functions) or 'none'})"
            + did_you_mean(target, functions),
            sequence,
        )
    return functions[target]


def _apply_sequence(sequence: schedule.SequenceOp, func: te.FuncOp) -> None:
    settle(sequence, carry_out(sequence, func))


def settle(sequence: schedule.SequenceOp, stages: NamedStages) -> None:
    """Checks and sorts stages on which a sequence was carried out, and erases that."""
    settle_order(stages)
    func = stages.func
    for stage in all_stages(func):
        check_recurrence(stage, sequence)
    primitives = dict.fromkeys([*PRIMITIVES.values(), *map(_primitive_of, sequence.body.block.ops)])
    for stage in all_stages(func):
        for primitive in primitives:
            primitive.check(stage, sequence)
    _name_results(func)
    _erase(sequence)


def _name_results(func: te.FuncOp) -> None:
    """Returns by name what is computed further in, and directly what is at the root."""
    last = func.return_op
    for number, (returned, tensor) in enumerate(zip(last.values, outputs_of(func), strict=True)):
        stage, is_named = tensor.owner, isinstance(returned.owner, schedule.ResultOp)
        if not isinstance(stage, schedule.StageOp):
            continue  # `build-loops` refuses it
        if stage.enclosing is None and is_named:
            last.operands[number] = tensor
            Rewriter.erase_op(returned.owner)
        elif stage.enclosing is not None and not is_named:
            result = schedule.ResultOp(name_of(stage), stage.tensors.index(tensor), tensor.type)
            result.tensor.name_hint = tensor.name_hint
            Rewriter.insert_op(result, InsertPoint.before(last))
            last.operands[number] = result.tensor


def carry_out(sequence: schedule.SequenceOp, func: te.FuncOp) -> NamedStages:
    """Carries out the commands of a sequence on stages; returns what their names and handles mean.

    Relations move into stages; all other commands stay. The places of stages are not checked, and
    their order is not settled.
    """
    # A command may insert others behind itself (tile does), so the next one is looked up late.
    command, stages = sequence.body.block.first_op, NamedStages(func)
    count, done = len(sequence.body.block.ops), 0
    depths = dict[Operation, int]()
    while command is not None:
        reached("apply-schedule", done, count)
        done = min(count, done + 1)
        following = command.next_op
        known = {*sequence.body.block.ops} if isinstance(command, PluginCommand) else set()
        primitive = _primitive_of(command)(stages)
        with placed(command):
            if primitive.reads_equations:
                inline_all(stages)
            primitive.match_and_rewrite(command, PatternRewriter(command))
            if isinstance(command, PluginCommand):
                inserted = [op for op in sequence.body.block.ops if op not in known]
                _check_carried_out(command, inserted, sequence)
                _check_inserted(command, inserted, depths)
        command = command.next_op if command.parent_op() is sequence else following
    inline_all(stages)
    return stages


MOST_DEPTH = 64
"""How many commands of other packages, each inserted by the one before, may end in our own."""


def _check_carried_out(
    command: Operation, inserted: Sequence[Operation], sequence: schedule.SequenceOp
) -> None:
    """Checks that the primitive of another package's command leaves a place for the next one."""
    who = f"the primitive of {command.name}"
    if command.parent_op() is not sequence:
        raise ScheduleError(f"{who} erases the command, which stays until all are done", sequence)
    commands = [*sequence.body.block.ops]
    early = [op.name for op in commands[: commands.index(command)] if op in inserted]
    if early:
        raise ScheduleError(
            f"{who} inserts {', '.join(early)} in front of the command, where none is carried out; "
            "put them behind it",
            command,
        )
    used = [f"%{one.name_hint or one.index}" for one in command.results if one.first_use]
    if used:
        raise ScheduleError(
            f"{who} leaves results of the command in use: {', '.join(used)}; others take their "
            "place by rewriter.replace_all_uses_with",
            command,
        )


def _check_inserted(
    by: Operation, inserted: Sequence[Operation], depths: dict[Operation, int]
) -> None:
    """Checks the commands that another package's command inserts, as those of a text are.

    They take its place, and what it consumes.
    """
    depth, operands = depths.get(by, 0) + 1, [*by.operands]
    depths.update(dict.fromkeys(inserted, depth))
    by.operands = ()
    for op in inserted:
        verify_command(op, f"{by.name} inserts a wrong {op.name}: ", by)
    by.operands = operands
    if depth > MOST_DEPTH:
        raise ScheduleError(f"{by.name} inserts commands without end", by)


def verify_command(op: Operation, words: str = "", at: Operation | None = None) -> None:
    """Raises `ScheduleError`, at the command or at another, unless a command verifies."""
    try:
        op.verify()
    except VerifyException as error:
        raise ScheduleError(f"{words}{said_by_verifier(error)}", at or op) from None


def _primitive_of(command: Operation) -> type[Primitive]:
    if (known := PRIMITIVES.get(type(command))) is not None:
        return known
    if isinstance(command, PluginCommand):
        found: object = command.primitive()
        if not isinstance(found, type) or not issubclass(found, Primitive):
            raise ScheduleError(
                f"primitive() of {command.name} gives {found!r}, which is no class of a Primitive",
                command,
            )
        return found
    if isinstance(command, schedule.ProgramOp):
        raise ScheduleError(f"{command.name} is no command; run expand-sequences first", command)
    raise ScheduleError(f"{command.name} is no command of a schedule", command)


def _erase(sequence: schedule.SequenceOp) -> None:
    """Erases the commands from the last to the first, so that none still has a use."""
    for command in reversed(list(sequence.body.block.ops)):
        command.detach()
        command.erase(safe_erase=False)
    Rewriter.erase_op(sequence)
