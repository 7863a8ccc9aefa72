"""Pass `expand-sequences`: sequences that are programs become plain commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.stages.kinds import IS_OF_KIND
from teloom.analysis.stages.queries import all_stages, name_of, reader_of, reads_of
from teloom.dialects import schedule
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.schedule.numbers import NumberAttr, Parameter
from teloom.errors import PassError, ScheduleError, did_you_mean, said_by_verifier
from teloom.passes import get_all_passes
from teloom.passes.pipelines import LEVELS
from teloom.passes.schedule.apply_schedule import (
    carry_out,
    function_of,
    make_stages,
    verify_command,
)
from teloom.passes.schedule.primitives.handles import stage_names


@dataclass(frozen=True)
class ExpandSequencesPass(ModulePass):
    """Carry out what makes a sequence a program, so that plain commands are left.

    Parameters get their numbers, `schedule.include` becomes the commands of the named
    sequence, `schedule.for_each` becomes its commands for each stage that matches, and of
    `schedule.alternatives` the first part remains that is legal. What is left says what was
    done, and can be kept in the place of the program.

    Order: before `apply-schedule`, which carries out plain commands.

    Options:
        parameters: numbers of parameters, `tile=16`; all others have their defaults.

    Example: `expand-sequences{parameters="width=4"}`
    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.named_sequence @lanes(%B: !schedule.stage) {
      %i = schedule.axes 1 of %B
      %io, %ii = schedule.split %i factor width = 8
      schedule.vectorize %ii
    }
    schedule.sequence @s on @copy {
      %B = schedule.get "B"
      schedule.include @lanes(%B) : (!schedule.stage) -> ()
    }
    ```
    becomes
    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.sequence @s on @copy {
      %B = schedule.get "B"
      %i = schedule.axes 1 of %B
      %io, %ii = schedule.split %i factor 4
      schedule.vectorize %ii
    }
    ```
    Refused: `expand-sequences`
    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.sequence @s on @copy {
      schedule.include @lanes() : () -> ()
    }
    ```
    with "no named sequence @lanes (named sequences: none)"
    """

    name = "expand-sequences"

    parameters: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bound = dict(map(_binding, self.parameters))
        known: list[str] = []
        for sequence in list(op.ops):
            if isinstance(sequence, schedule.SequenceOp):
                if bound or not _is_plain(sequence):
                    known += _Expansion(ctx, op, sequence, bound).run()
        if unknown := [name for name in bound if name not in known]:
            raise ScheduleError(
                f"no sequence has the parameter {unknown[0]!r} (parameters: "
                f"{', '.join(known) or 'none'})" + did_you_mean(unknown[0], known)
            )
        for named in list(op.ops):
            if isinstance(named, schedule.NamedSequenceOp):
                Rewriter.erase_op(named)


def _binding(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), int(number)
    except ValueError:
        raise ScheduleError(f"{text!r} binds no parameter; write tile=16") from None


def has_programs(sequence: schedule.SequenceOp) -> bool:
    """Whether ops of a sequence stand for commands, as an include does."""
    return any(isinstance(op, schedule.ProgramOp) for op in sequence.body.block.ops)


def _is_plain(sequence: schedule.SequenceOp) -> bool:
    commands = sequence.body.block.ops
    return not has_programs(sequence) and not any(any(_parameters_of(op)) for op in commands)


def _parameters_of(op: Operation) -> Iterator[tuple[str, Parameter]]:
    """The numbers of a command that are parameters, by their properties."""
    for name, value in op.properties.items():
        if isinstance(value, NumberAttr) and isinstance(number := value.get(), Parameter):
            yield name, number


class _Expansion:
    """The expansion of one sequence, op by op, from the first to the last."""

    def __init__(
        self,
        ctx: Context,
        module: ModuleOp,
        sequence: schedule.SequenceOp,
        bound: Mapping[str, int],
    ):
        self.ctx, self.module, self.sequence = ctx, module, sequence
        self.named = {
            op.sym_name.data: op for op in module.ops if isinstance(op, schedule.NamedSequenceOp)
        }
        self.numbers = _Numbers(bound)

    def run(self) -> list[str]:
        """Expands all ops; returns the names of the parameters that it has found."""
        block = self.sequence.body.block
        op = block.first_op
        while op is not None:
            before = op.prev_op
            match op:
                case schedule.ParamOp():
                    self.numbers.choices.append(op)
                    op.detach()
                case schedule.IncludeOp():
                    self._include(op)
                case schedule.ForEachOp():
                    self._repeat(op)
                case schedule.AlternativesOp():
                    self._choose(op)
                case _:
                    self.numbers.put_into(op)
                    before = op
            op = block.first_op if before is None else before.next_op
        self.numbers.check_choices()
        return self.numbers.names()

    def _include(self, op: schedule.IncludeOp) -> None:
        name = op.target.root_reference.data
        if name not in self.named:
            names = ", ".join(f"@{one}" for one in self.named) or "none"
            raise ScheduleError(
                f"no named sequence @{name} (named sequences: {names})"
                + did_you_mean(name, self.named),
                op,
            )
        around = [*_included_by(op), name]
        if name in around[:-1]:
            chain = " -> ".join(f"@{one}" for one in around)
            raise ScheduleError(f"@{name} includes itself: {chain}", op)
        named = self.named[name]
        _check_types(op, named)
        there = self._parameters(name)
        if unknown := [one for one in op.bound if one not in there]:
            raise ScheduleError(
                f"@{name} has no parameter {unknown[0]!r} (parameters: "
                f"{', '.join(there) or 'none'})" + did_you_mean(unknown[0], there),
                op,
            )
        copy = named.body.clone()
        numbers = _Numbers(op.bound, leave_others=True)
        for inner in preorder(copy):
            if isinstance(inner, schedule.IncludeOp):
                inner.attributes[_INCLUDED_BY] = ArrayAttr(map(StringAttr, around))
                known = self._parameters(inner.target.root_reference.data)
                inherited = {key: value for key, value in op.bound.items() if key in known}
                inner.bind({**inherited, **inner.bound})
            elif isinstance(inner, schedule.ParamOp):
                numbers.choices.append(inner)
            else:
                numbers.put_into(inner)
        numbers.check_choices()
        _inline(copy, op, op.handles)

    def _parameters(self, name: str, around: tuple[str, ...] = ()) -> dict[str, None]:
        """The names of the parameters of a named sequence, with those that it includes."""
        found: dict[str, None] = {}
        if name in self.named and name not in around:
            for op in preorder(self.named[name].body):
                found |= dict.fromkeys(parameter.name for _, parameter in _parameters_of(op))
                if isinstance(op, schedule.IncludeOp):
                    inner = self._parameters(op.target.root_reference.data, (*around, name))
                    found |= {key: None for key in inner if key not in op.bound}
        return found

    def _repeat(self, op: schedule.ForEachOp) -> None:
        for name in self._matches(op):
            get = schedule.GetOp(name)
            get.stage.name_hint = op.body.block.args[0].name_hint
            get.location = op.location
            Rewriter.insert_op(get, InsertPoint.before(op))
            _inline(op.body.clone(), op, [get.stage], replaces=False)
        Rewriter.erase_op(op)

    def _matches(self, op: schedule.ForEachOp) -> list[str]:
        """The names of the stages that match, after the commands so far, producers first."""
        module, sequence, _ = self._so_far(op)
        func = function_of(sequence, module)
        make_stages(func)
        carry_out(sequence, func)
        stages = all_stages(func)
        near = stages if op.of is None else _related(op, stages)
        return [name_of(stage) for stage in stages if stage in near and _is_match(stage, op)]

    def _choose(self, op: schedule.AlternativesOp) -> None:
        reasons: list[str] = []
        for number, part in enumerate(op.parts, 1):
            reason = self._why_illegal(op, part)
            if reason is None:
                _inline(part.clone(), op, ())
                return
            reasons.append(f"{number}. {reason}")
        raise ScheduleError(
            f"none of {len(reasons)} alternatives is legal: {'; '.join(reasons)}", op
        )

    def _why_illegal(self, op: schedule.AlternativesOp, part: Region) -> str | None:
        """The refusal of the program with the commands so far and a part; None if it is legal."""
        module, sequence, copied = self._so_far(op)
        copy = Region()
        part.clone_into(copy, 0, copied)
        stop = schedule.AlternativesOp([copy], op.result_types)
        sequence.body.block.add_op(stop)
        _inline(copy, stop, ())
        try:
            _Expansion(self.ctx, module, sequence, self.numbers.bound).run()
            module.verify()
            for name, _ in LEVELS["schedule"]:
                get_all_passes()[name]()().apply(self.ctx, module)
        except (PassError, VerifyException) as error:
            return said_by_verifier(error)
        return None

    def _so_far(
        self, op: Operation
    ) -> tuple[ModuleOp, schedule.SequenceOp, dict[SSAValue, SSAValue]]:
        """A copy of the program with the commands in front of `op` alone; what became of values."""
        copied: dict[SSAValue, SSAValue] = {}
        name, target = self.sequence.sym_name.data, self.sequence.target.root_reference.data
        sequence = schedule.SequenceOp(name, target, Region(Block()))
        others = [one for one in self.module.ops if not isinstance(one, schedule.SequenceOp)]
        for command in self.sequence.body.block.ops:
            if command is op:
                break
            sequence.body.block.add_op(command.clone(copied))
        return ModuleOp([*(one.clone() for one in others), sequence]), sequence, copied


class _Numbers:
    """The numbers of parameters: those that are bound, and the defaults of all others."""

    def __init__(self, bound: Mapping[str, int], leave_others: bool = False):
        """With `leave_others`, parameters that are not bound stay parameters."""
        self.bound, self.leave_others = bound, leave_others
        self.choices: list[schedule.ParamOp] = []
        self._defaults: dict[str, int] = {}

    def names(self) -> list[str]:
        """The names of all parameters so far."""
        return [*dict.fromkeys([*self._defaults, *(op.parameter.data for op in self.choices)])]

    def put_into(self, op: Operation) -> None:
        """Puts numbers in the place of a command's parameters."""
        for key, parameter in list(_parameters_of(op)):
            first = self._defaults.setdefault(parameter.name, int(parameter))
            if first != parameter:
                raise ScheduleError(
                    f"parameter {parameter.name} has two defaults, {first} and {int(parameter)}", op
                )
            if parameter.name in self.bound or not self.leave_others:
                op.properties[key] = NumberAttr.of(self.bound.get(parameter.name, first))
                verify_command(op)

    def check_choices(self) -> None:
        """Raises `ScheduleError` for a number that a `schedule.param` does not have."""
        for op in self.choices:
            name = op.parameter.data
            number = self.bound.get(name, self._defaults.get(name))
            if number is not None and number not in op.numbers:
                shown = ", ".join(map(str, op.numbers))
                raise ScheduleError(f"parameter {name} is one of {shown}, not {number}", op)


_INCLUDED_BY = "schedule.included_by"
"""On an include, while its sequence is expanded: the named sequences that it comes from."""


def _included_by(op: schedule.IncludeOp) -> list[str]:
    names = op.attributes.get(_INCLUDED_BY, ArrayAttr([]))
    assert isinstance(names, ArrayAttr)
    return [name.data for name in names if isinstance(name, StringAttr)]


def _check_types(op: schedule.IncludeOp, named: schedule.NamedSequenceOp) -> None:
    given = FunctionType.from_lists([one.type for one in op.handles], op.result_types)
    if given != named.function_type:
        raise ScheduleError(
            f"@{named.sym_name.data} is {named.function_type}, but is included as {given}", op
        )


def _inline(
    region: Region, op: Operation, handles: Sequence[SSAValue], replaces: bool = True
) -> None:
    """Moves the ops of a part in front of `op`, which it replaces, with these handles."""
    block = region.block
    for argument, handle in zip(block.args, handles, strict=True):
        argument.replace_all_uses_with(handle)
    for inner in list(block.ops):
        inner.detach()
        if not isinstance(inner, schedule.YieldOp):
            Rewriter.insert_op(inner, InsertPoint.before(op))
            continue
        for result, handle in zip(op.results, inner.handles, strict=True):
            result.replace_all_uses_with(handle)
        inner.erase()
    if replaces:
        Rewriter.erase_op(op)


def _related(op: schedule.ForEachOp, stages: Sequence[schedule.StageOp]) -> list[schedule.StageOp]:
    """The readers or the producers of the stage that the op names."""
    assert op.of is not None
    assert op.relation is not None
    of = [stage for stage in stages if name_of(stage) in stage_names(op.of)]
    readers = {stage: [reader_of(read) for read in reads_of(stage)] for stage in stages}
    if op.relation.data == "readers":
        return [reader for stage in of for reader in readers[stage]]
    return [stage for stage in stages if any(reader in of for reader in readers[stage])]


def _is_match(stage: schedule.StageOp, op: schedule.ForEachOp) -> bool:
    return (
        all(IS_OF_KIND[kind](stage) for kind in op.wanted)
        and not any(IS_OF_KIND[kind](stage) for kind in op.unwanted)
        and (op.pattern is None or fnmatchcase(name_of(stage), op.pattern.data))
    )
