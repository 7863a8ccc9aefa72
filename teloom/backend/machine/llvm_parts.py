"""The LLVM IR of a module in several texts, which are compiled at once and cached one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from teloom.backend.machine import cache as disk
from teloom.backend.machine.llvm_text import ModuleText, llvm_text, text_of
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.bodies.symbols import symbols_in

FEWEST, SHORTEST = 4, 24
"""So many functions, of so many ops each, are apart, or none: a module by itself takes LLVM more
than a millisecond, and a function of that length three."""

_PART = "teloom.part"


def llvm_parts(module: ModuleOp, attributes: Mapping[str, str], prefix: str) -> list[str]:
    """Texts that `llvm_text` gives as one, where several functions can be apart.

    These are the long functions that LLVM does not inline, and that call only C's functions and
    what is always inlined. Their names are made of what they do, and so is the name by which the
    first text, which has all else, calls them: a function that stays as it is, in a program that
    does not, is found in the cache. Functions that do the same are one.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, llvm.FuncOp)}
    apart = {
        name: needed
        for name, op in functions.items()
        if _is_long(op) and (needed := _needed_by(op, functions)) is not None
    }
    if len(apart) < FEWEST:
        return [llvm_text(module, attributes, prefix)]
    names: dict[str, str] = {}
    parts: dict[str, str] = {}
    for name, needed in apart.items():
        part = ModuleText(module, attributes, prefix)
        part.share(name, _PART)
        made = text_of([functions[name], *(functions[one] for one in needed)], part)
        names[name] = f"{_PART}.{disk.key_of(made)[:20]}"
        parts[names[name]] = made.replace(f"@{_PART}(", f"@{names[name]}(", 1)
    rest = ModuleText(module, attributes, prefix)
    for name, symbol in names.items():
        rest.share(name, symbol)
        rest.elsewhere.add(name)
    firsts = {symbol: name for name, symbol in reversed(names.items())}
    twins = {name for name, symbol in names.items() if firsts[symbol] != name}
    own = [op for name, op in functions.items() if name not in twins]
    return [text_of(own, rest), *parts.values()]


def _is_long(op: llvm.FuncOp) -> bool:
    """Whether a function has a long body that LLVM leaves alone when it compiles others."""
    if not op.body.blocks or "no_inline" not in op.properties | op.attributes:
        return False
    is_internal = op.linkage.linkage.data == "internal"
    return is_internal and sum(1 for _ in preorder(op.body)) >= SHORTEST


def _needed_by(op: llvm.FuncOp, functions: Mapping[str, llvm.FuncOp]) -> list[str] | None:
    """What must stand beside a function: declarations, and what is inlined; None for others."""
    found: dict[str, None] = {}
    waiting = [*_called(op, functions)]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = None
        callee = functions[name]
        if callee.body.blocks:
            if not _is_inlined(callee):
                return None
            waiting += _called(callee, functions)
    return sorted(found)


def _called(op: llvm.FuncOp, functions: Mapping[str, llvm.FuncOp]) -> Iterator[str]:
    return (name for name in symbols_in(op) if name in functions and functions[name] is not op)


def _is_inlined(op: llvm.FuncOp) -> bool:
    given = op.passthrough.data if op.passthrough else ()
    return any(str(name) == '"alwaysinline"' for name in given)
