"""The names by which ops say functions and other things of a module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation

from teloom.dialects.bodies.preorder import preorder


def symbols_in(root: Operation) -> set[str]:
    """The symbols that code refers to, such as a function that it calls."""
    found = (
        value
        for op in preorder(root)
        for said in (op.properties, op.attributes)
        for value in said.values()
        if type(value) is SymbolRefAttr
    )
    return {value.string_value() for value in found}


def reached_from(names: Iterable[str], functions: Mapping[str, Operation]) -> set[str]:
    """The functions with these names, and those that they name, themselves or through others."""
    found, pending = set[str](), [*names]
    while pending:
        name = pending.pop()
        if name in functions and name not in found:
            found.add(name)
            pending += symbols_in(functions[name])
    return found


def rename_symbol(root: Operation, old: str, new: str) -> None:
    """Makes what names `old` by a symbol name `new`; what has that name keeps it."""
    for op in preorder(root):
        for attributes in (op.properties, op.attributes):
            for key, value in attributes.items():
                if isinstance(value, SymbolRefAttr) and value.string_value() == old:
                    attributes[key] = type(value)(new)
