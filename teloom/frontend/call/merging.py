"""Several programs as one module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation

from teloom.analysis.structure import structure_of
from teloom.backend.call.callbacks import External
from teloom.dialects.bodies.symbols import rename_symbol
from teloom.dialects.schedule import SequenceOp
from teloom.dialects.syntax.names import unused_name
from teloom.dialects.target import TARGET, target_said
from teloom.errors import Error


class Programs(NamedTuple):
    """A module, and the functions in it that are called.

    `functions` has for each the user's names of its arguments, or None for those of the IR.
    """

    module: ModuleOp
    functions: Mapping[str, Sequence[str] | None]
    externals: Mapping[str, External] = MappingProxyType({})


def merged(programs: Sequence[Programs]) -> Programs:
    """One module with the functions of all, which are taken out of theirs.

    Declarations that are the same become one. Raises `teloom.Error` where two modules have
    different things of one name, or are for different targets.
    """
    first, *others = programs
    for other in others:
        reason = _why_apart(first, other)
        if reason is not None:
            raise Error(f"two programs {reason}")
        first = _with(first, other)
    return first


def together(programs: Iterable[Programs]) -> list[Programs]:
    """The programs in as few modules as they can be in, each in the first one that it fits."""
    found: list[Programs] = []
    for program in programs:
        fits = (at for at, one in enumerate(found) if _why_apart(one, program) is None)
        place = next(fits, None)
        if place is None:
            found.append(program)
        else:
            found[place] = _with(found[place], program)
    return found


def _why_apart(some: Programs, other: Programs) -> str | None:
    """Why two programs cannot be one module; None if they can."""
    # Not by attributes: those of targets are equal in xDSL whatever they say.
    if target_said(some.module) != target_said(other.module):
        return "are for different targets"
    if _said_besides(some.module) != _said_besides(other.module):
        return "say different things of their modules"
    taken = _by_symbol(some.module)
    for name, op in _by_symbol(other.module).items():
        if name in taken and name not in other.externals and not _alike(op, taken[name]):
            return f"have different things of the name {name}"
    return None


def _said_besides(module: ModuleOp) -> dict[str, Attribute]:
    return {name: value for name, value in module.attributes.items() if name != TARGET}


def _alike(op: Operation, other: Operation) -> bool:
    return structure_of(op) == structure_of(other)


def _by_symbol(module: ModuleOp) -> dict[str, Operation]:
    return {symbol_of(op): op for op in module.ops if not isinstance(op, SequenceOp)}


def _with(some: Programs, other: Programs) -> Programs:
    """The functions of both in the module of the first."""
    taken = {symbol_of(op): op for op in some.module.ops}
    externals = _renamed_apart(some, other, taken)
    for op in list(other.module.ops):
        op.detach()
        if isinstance(op, SequenceOp):
            op.sym_name = StringAttr(unused_name(op.sym_name.data, set(taken)))
        if symbol_of(op) not in taken:
            taken[symbol_of(op)] = op
            some.module.body.block.add_op(op)
    functions = {**some.functions, **other.functions}
    return Programs(some.module, functions, {**some.externals, **externals})


def _renamed_apart(
    some: Programs, other: Programs, taken: Mapping[str, Operation]
) -> dict[str, External]:
    """The functions that another program calls, by new names where it means other ones."""
    found: dict[str, External] = {}
    names = {*taken, *some.externals, *other.externals}
    declared = _by_symbol(other.module)
    for name, external in other.externals.items():
        known, op = taken.get(name), declared[name]
        shared = known is None or _alike(op, known)
        if shared and some.externals.get(name, external) == external:
            found[name] = external
            continue
        new = unused_name(name, names)
        names.add(new)
        rename_symbol(other.module, name, new)
        op.properties["sym_name"] = StringAttr(new)
        found[new] = external
    return found


def symbol_of(op: Operation) -> str:
    """The name of a function or sequence of a module."""
    name = op.get_attr_or_prop("sym_name")
    assert isinstance(name, StringAttr)
    return name.data
