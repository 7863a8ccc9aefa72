"""The entry of a module: the function that is called."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import TypeVar

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Entry, functions_in
from teloom.dialects import te
from teloom.dialects.bodies.symbols import symbols_in
from teloom.dialects.schedule import SequenceOp
from teloom.errors import CallError, Error
from teloom.switches import sanitizer


def find_entry(module: ModuleOp, name: str | None) -> Entry:
    """The function of that name; without a name, the only function with a body.

    Raises `CallError` if there is none, or more than one.
    """
    functions = {key: op for key, op in functions_in(module).items() if op.body.blocks}
    known = ", ".join(f"@{key}" for key in functions) or "none"
    if name is None:
        if len(functions) != 1:
            raise CallError(f"--entry NAME must say which function to run; there are: {known}")
        return next(iter(functions.values()))
    if name not in functions:
        close = get_close_matches(name, functions, n=1)
        hint = f"did you mean @{close[0]}?" if close else f"there are: {known}"
        raise CallError(f"no function @{name}; {hint}")
    return functions[name]


def entries(module: ModuleOp) -> list[str]:
    """The functions of a module with a body that nothing else in it names."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, Entry)}
    named = {symbol for name, op in functions.items() for symbol in symbols_in(op) - {name}}
    return [name for name, op in functions.items() if op.body.blocks and name not in named]


def only_entries(module: ModuleOp, names: Collection[str]) -> ModuleOp:
    """The module without other functions that callers call, and what these declare.

    It is a copy, if there are such.
    """
    if sum(isinstance(op, Entry) and bool(op.body.blocks) for op in module.ops) <= 1:
        return module
    others = {*entries(module)} - {*names}
    if not others:
        return module
    copy = module.clone()
    for op in list(copy.ops):
        is_other = isinstance(op, Entry) and op.sym_name.data in others
        if is_other or (isinstance(op, SequenceOp) and op.target.string_value() in others):
            op.detach()
            op.erase()
    named = {symbol for op in copy.ops for symbol in symbols_in(op)}
    for op in list(copy.ops):
        if isinstance(op, Entry) and not op.body.blocks and op.sym_name.data not in named:
            op.detach()
            op.erase()
    return copy


def is_checked(entry: Entry, asked: str | None) -> bool:
    """Whether a run checks its accesses, by `asked` or by TELOOM_SANITIZE.

    Machine code cannot be checked: raises `CallError` if that is `asked`.
    """
    wanted = sanitizer(asked) is not None
    if not isinstance(entry, llvm.FuncOp):
        return wanted
    if asked:
        raise CallError(
            f"sanitize={asked} needs IR of level standard or above; "
            f"@{entry.sym_name.data} is an {entry.name}"
        )
    return False


_Function = TypeVar("_Function", func.FuncOp, te.FuncOp)


def function_of(module: ModuleOp, kind: type[_Function], name: str | None) -> _Function:
    """The function of a kind with this name, or the only one that has a body.

    Raises `teloom.Error` if no single function is meant.
    """
    functions = [op for op in module.ops if isinstance(op, kind) and op.body.blocks]
    found = [op for op in functions if name in (None, op.sym_name.data)]
    if len(found) != 1:
        there = ", ".join(f"@{op.sym_name.data}" for op in functions) or "none"
        raise Error(f"which function is meant must be said; there are: {there}")
    return found[0]
