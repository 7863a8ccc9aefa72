"""What `lower` and `build` take: a schedule, tensors, IR, or several programs by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp, StringAttr

from teloom.analysis.signature import Entry
from teloom.backend.call.callbacks import External
from teloom.dialects.schedule import SequenceOp
from teloom.dialects.target import Target
from teloom.driver.entry import entries
from teloom.driver.runner import verify_given
from teloom.errors import Error
from teloom.frontend.call.calls import callable_module
from teloom.frontend.call.merging import Programs
from teloom.frontend.expr.expressions import Var
from teloom.frontend.expr.names import function_name
from teloom.frontend.schedule.schedules import Schedule, create_schedule
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.scalars import Argument, as_argument, listed_arguments
from teloom.frontend.tensor.tensors import PlaceholderOp, Tensor
from teloom.lazy import loaded

Source = Schedule | Tensor | Sequence[Argument] | ModuleOp
"""A program: scheduled, or to be computed in the default order, or IR of any level."""

Sources = Source | Mapping[str, "Source | tuple[Source, Sequence[Argument]]"]
"""A program, or several by the names of their functions."""


EXTERNALS = WeakKeyDictionary[ModuleOp, Mapping[str, External]]()
"""What modules call that `te.create_prim_func` has made: IR names functions of Python only."""


class RulesFor(NamedTuple):
    """What rules schedule tensors for: a machine, its threads and a level of functions."""

    target: str | Target | None
    num_threads: int | None
    math: str | None


def programs_of(
    source: Sources,
    args: Sequence[Argument] | None,
    name: str,
    binds: Mapping[Tensor, Buffer] | None = None,
    rules_for: RulesFor | None = None,
) -> list[Programs]:
    """The modules of what is lowered or built; raises `teloom.Error` for anything else.

    Tensors are scheduled by rules for a machine, or by default without one. Of several programs,
    each is a Schedule with its arguments, `(s, args)`, or one that needs none: tensors, which are
    its arguments in order, or IR, whose function gets the name.
    """
    if not isinstance(source, Mapping):
        return [_program(source, args, function_name(name), binds, rules_for)]
    if args is not None or binds is not None:
        raise Error("several programs have arguments of their own, as in {'f': (s, [A, B])}")
    if not source:
        raise Error("there is no program in {}")
    return [_named(each, function_name(key), rules_for) for key, each in source.items()]


def _named(given: Any, name: str, rules_for: RulesFor | None) -> Programs:
    """One of several programs."""
    is_pair = isinstance(given, tuple) and len(given) == 2
    if is_pair and (isinstance(given[0], Schedule) or isinstance(given[1], Sequence)):
        return _program(given[0], given[1], name, None, rules_for)
    made = _program(given, None, name, None, rules_for)
    if isinstance(given, ModuleOp | Programs):
        if len(made.functions) != 1:
            functions = ", ".join(made.functions) or "none"
            raise Error(f"{name!r} is a module with the functions {functions}; it must have one")
        return _renamed(made, name)
    return made


def _program(
    source: object,
    args: Sequence[Argument] | None,
    name: str,
    binds: Mapping[Tensor, Buffer] | None,
    rules_for: RulesFor | None,
) -> Programs:
    if isinstance(source, ModuleOp | Programs):
        if args is not None or binds is not None:
            raise Error("IR says its arguments itself, and where they lie: args and binds are None")
        if isinstance(source, Programs):
            return source._replace(module=source.module.clone())
        verify_given(source)
        functions = dict.fromkeys(entries(source))
        return Programs(source.clone(), functions, EXTERNALS.get(source, {}))
    if not isinstance(source, Schedule):
        source, args = _scheduled(source, args)
        if rules_for is not None:
            loaded("teloom.frontend.auto.auto_schedule", "auto_schedule")(source, *rules_for)
    if args is None:
        raise Error("a schedule needs args, the tensors and sizes that its function is called with")
    given = [as_argument(arg) for arg in listed_arguments(args, f"args of {name}")]
    module = callable_module(source, given, name, binds)
    return Programs(module, {name: _names(source, given)}, source.program.externals)


def _scheduled(source: Any, args: Sequence[Argument] | None) -> tuple[Schedule, Sequence[Argument]]:
    """The default schedule of tensors, and the arguments: the tensors, if none are given."""
    listed = list(source) if isinstance(source, list | tuple) else [source]
    tensors = [one for one in map(as_argument, listed) if isinstance(one, Tensor)]
    if not tensors or not all(isinstance(as_argument(one), Tensor | Var) for one in listed):
        raise Error(
            f"{source!r} is not a schedule; make one with te.create_schedule, or give tensors, IR "
            "or a dict of these by the names of their functions"
        )
    computed = [tensor for tensor in tensors if not isinstance(tensor.op, PlaceholderOp)]
    return create_schedule(computed or tensors), listed if args is None else args


def _names(s: Schedule, args: Sequence[Tensor | Var]) -> list[str]:
    """The user's names of the arguments: those of SSA values lose numbers at their end."""
    found: list[str] = []
    for arg in args:
        name = arg.name
        if isinstance(arg, Tensor):
            name = s.program.stage_names.get(arg.op, name)
            if arg.op.num_outputs > 1:
                name = f"{name}.v{arg.value_index}"
        found.append(name)
    return found


def _renamed(made: Programs, name: str) -> Programs:
    """The program of IR, with this name for its function."""
    ((old, names),) = made.functions.items()
    for op in made.module.ops:
        if isinstance(op, Entry) and op.sym_name.data == old:
            op.sym_name = StringAttr(name)
        elif isinstance(op, SequenceOp) and op.target.string_value() == old:
            op.target = type(op.target)(name)
    return Programs(made.module, {name: names}, made.externals)
