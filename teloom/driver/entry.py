"""The entry of a module: the function that is called."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import TypeVar

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Entry, functions_in
from teloom.dialects import te
from teloom.dialects.bodies.symbols import reached_from, symbols_in
from teloom.dialects.schedule import SequenceOp
from teloom.errors import CallError, Error
from teloom.switches import sanitizer


def find_entry(module: ModuleOp, name: str | None) -> Entry:
    """The function of that name; without a name, the only one that no other function calls.

    Raises `CallError` if there is none, or more than one.
    """
    functions = {key: op for key, op in functions_in(module).items() if op.body.blocks}
    called = {key: functions[key] for key in entries(module) if key in functions}
    return _meant(called or functions if name is None else functions, name, "function", CallError)


def entries(module: ModuleOp) -> list[str]:
    """The functions of a module with a body that nothing else in it names."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, Entry)}
    named = {symbol for name, op in functions.items() for symbol in symbols_in(op) - {name}}
    return [name for name, op in functions.items() if op.body.blocks and name not in named]


def only_entries(module: ModuleOp, names: Collection[str]) -> ModuleOp:
    """The module with functions of these names and what they name alone; a copy, if it has more.

    What is no function stays, with what it names.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, Entry)}
    others = (op for op in module.ops if not isinstance(op, Entry | SequenceOp))
    named = (symbol for op in others for symbol in symbols_in(op))
    needed = reached_from([*names, *named], functions)
    if len(needed) == len(functions):
        return module
    copy = module.clone()
    for op in list(copy.ops):
        is_other = isinstance(op, Entry) and op.sym_name.data not in needed
        if is_other or (isinstance(op, SequenceOp) and op.target.string_value() not in needed):
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
_Any = TypeVar("_Any")


def function_of(module: ModuleOp, kind: type[_Function], name: str | None) -> _Function:
    """The function of a kind with this name, or the only one that has a body.

    Raises `teloom.Error` if no single function is meant.
    """
    functions = {
        op.sym_name.data: op for op in module.ops if isinstance(op, kind) and op.body.blocks
    }
    return _meant(functions, name, kind.name, Error)


def _meant(
    functions: Mapping[str, _Any], name: str | None, kind: str, refusal: type[Error]
) -> _Any:
    """The function of that name, or the only one."""
    known = ", ".join(f"@{key}" for key in functions)
    if not functions:
        raise refusal(f"the IR has no {kind} with a body")
    if name is None:
        if len(functions) > 1:
            raise refusal(
                f"which function is meant must be said, by --entry or name=; there are: {known}"
            )
        return next(iter(functions.values()))
    if name not in functions:
        close = get_close_matches(name, functions, n=1)
        hint = f"did you mean @{close[0]}?" if close else f"there are: {known}"
        raise refusal(f"no {kind} @{name}; {hint}")
    return functions[name]
