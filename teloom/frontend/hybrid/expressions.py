"""The expressions of a hybrid script: from Python's syntax to values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from inspect import signature
from types import ModuleType
from typing import Any

import numpy as np

from teloom.errors import Error, did_you_mean
from teloom.frontend.expr.expressions import Const, Expr, Extent, const, walk
from teloom.frontend.expr.operators import OPERATORS
from teloom.frontend.extern.ir_builder import BufferVar
from teloom.frontend.extern.statements import Element
from teloom.frontend.hybrid.functions import FUNCTIONS, KNOWN, OF_NUMBERS, called
from teloom.frontend.tensor.conditions import if_then_else
from teloom.frontend.tensor.reductions import as_condition

_OPERATORS = {one.syntax: one.function for one in OPERATORS}

_OF_TEXTS: Mapping[type[ast.AST], Callable[[str, str], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}

_MODULES = ("math", "numpy")


class PlacedError(Error):
    """An error that begins with its file, line and column."""


class Script:
    """Base of what a script may call besides functions of scalars: another script."""


class Source:
    """The file in which the syntax of a script stands."""

    def __init__(self, file: str):
        self.file = file

    def column(self, node: ast.stmt | ast.expr) -> int:
        """The column at which syntax begins, from 1 on."""
        return node.col_offset + 1

    @contextmanager
    def at(self, node: ast.stmt | ast.expr) -> Iterator[None]:
        """Raises errors from inside with the place of `node`, unless they have one."""
        try:
            yield
        except PlacedError:
            raise
        except Error as error:
            raise PlacedError(f"{self.file}:{node.lineno}:{self.column(node)}: {error}") from None


class Expressions:
    """Evaluates expressions; `named` gives what a name stands for.

    A value is a Python number, string or tuple, where that is known now, a tensor as
    `BufferVar`, or an expression. `run` gives what a script returns for values; `own` what the name
    of a function stands for in this script, None if it is none of its own.
    """

    def __init__(
        self,
        source: Source,
        named: Callable[[str], Any],
        run: Callable[[Script, Sequence[Any], Mapping[str, Any]], Any],
        own: Callable[[str], Any],
    ):
        self._source, self._named, self._run, self._own = source, named, run, own

    def value(self, node: ast.expr) -> Any:
        """The value of an expression; raises `teloom.Error` for syntax that scripts do not have."""
        with self._source.at(node):
            return self._value(node)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float() | str() as value):
                return value
            case ast.Name(id=name):
                return self._named(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(self.value(part) for part in parts)
            case ast.BinOp(left=left, op=op, right=right):
                return self.combined(op, self.scalar(left), self.scalar(right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _negated(self.scalar(operand))
            case ast.UnaryOp(op=op, operand=operand):
                return self.combined(op, self.scalar(operand))
            case ast.BoolOp(op=op, values=parts):
                return self._all_or_any(isinstance(op, ast.And), parts)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=then_value, orelse=else_value):
                return self._choice(test, then_value, else_value)
            case ast.Subscript(value=base, slice=subscript):
                return self._subscript(self.value(base), subscript)
            case ast.Attribute(value=base, attr=name):
                return _attribute(self.value(base), name)
            case ast.Call():
                return self._call(node)
        raise Error(
            f"{described(node)} is not supported in a script; supported are numbers, names, "
            "elements, arithmetic, comparisons, and, or, not, a if c else b, and calls"
        )

    def scalar(self, node: ast.expr) -> Any:
        """An expression that is a number or an `Expr`."""
        value = element_of(self.value(node))
        if isinstance(value, int | float | Expr):
            return value
        with self._source.at(node):
            raise Error(f"{ast.unparse(node)} is no scalar")

    def _compared(self, node: ast.expr) -> Any:
        """What is compared: a scalar, or the name of a dtype."""
        if isinstance(node, ast.Constant | ast.Attribute):
            value = self.value(node)
            if isinstance(value, str):
                return value
        return self.scalar(node)

    def condition(self, node: ast.expr) -> bool | Expr:
        """An expression that decides; a truth value where that is known."""
        value = self.scalar(node)
        if _is_known(value):
            return bool(value)
        with self._source.at(node):
            return as_condition(value)

    def number(self, node: ast.expr) -> int:
        """An integer that is known before the script runs."""
        value = self.scalar(node)
        if isinstance(value, Const):
            value = value.value
        if isinstance(value, int):
            return int(value)
        with self._source.at(node):
            raise Error(f"{ast.unparse(node)} is no integer that is known before the script runs")

    def combined(self, op: ast.AST, *values: Any) -> Any:
        """An operator, applied to scalars."""
        self._check_known(op)
        if all(isinstance(value, str) for value in values) and type(op) in _OF_TEXTS:
            return _OF_TEXTS[type(op)](*values)
        try:
            return _OPERATORS[type(op)](*values)
        except Error as error:
            raise Error(str(error).replace("use te.", "use ")) from None  # a script has no te
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Error(f"{', '.join(map(str, values))}: {error}") from None

    def _check_known(self, *ops: ast.AST) -> None:
        for op in ops:
            if type(op) not in _OPERATORS:
                raise Error(f"the operator {type(op).__name__} is not supported in a script")

    def subscripts(self, node: ast.expr) -> tuple[Any, ...]:
        """The subscripts in brackets behind a tensor."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        if any(isinstance(part, ast.Slice) for part in parts):
            raise Error(f"[{ast.unparse(node)}] has a slice; give one position per axis")
        return tuple(self.scalar(part) for part in parts)

    def _subscript(self, base: Any, node: ast.expr) -> Any:
        if isinstance(base, BufferVar):
            return base[self.subscripts(node)]
        if isinstance(base, tuple) and isinstance(node, ast.Tuple):
            return reduce(self._subscript, node.elts, base)
        if not isinstance(base, tuple):
            raise Error(f"{base} has no element [{ast.unparse(node)}]")
        position = self.number(node)
        if not -len(base) <= position < len(base):
            raise Error(f"[{position}] of {len(base)} elements")
        return base[position]

    def _comparison(self, node: ast.Compare) -> Any:
        """A chain of comparisons; those behind a false one are not evaluated."""
        self._check_known(*node.ops)
        left, decided = self._compared(node.left), []
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self._compared(part)
            decided.append(self.combined(op, left, right))
            if _is_known(decided[-1]) and not decided[-1]:
                break
            left = right
        return _both(decided, True)

    def _all_or_any(self, is_and: bool, parts: Sequence[ast.expr]) -> Any:
        """`and`, or `or`; what stands behind a part that decides is not looked at."""
        found: list[Any] = []
        for part in parts:
            found.append(self.scalar(part))
            if _is_known(found[-1]) and bool(found[-1]) != is_and:
                break
        return _both(found, is_and)

    def _choice(self, test: ast.expr, then_node: ast.expr, else_node: ast.expr) -> Any:
        condition = self.condition(test)
        if isinstance(condition, bool):
            return self.value(then_node if condition else else_node)
        return if_then_else(condition, self.scalar(then_node), self.scalar(else_node))

    def _call(self, node: ast.Call) -> Any:
        name, own = self.callee(node), self._own_callee(node)
        if isinstance(own, Script):
            return self._run(own, *self._arguments(node))
        if own is not None:
            kind = "function" if callable(own) else "value"
            raise Error(f"{name} is called, which is a {kind} here that is no script")
        if name == "len" and len(node.args) == 1:
            return self._length(node)
        if name in FUNCTIONS or name in KNOWN:
            return self._function(name, node)
        known = ["len", *FUNCTIONS, *KNOWN]
        raise Error(
            f"{ast.unparse(node.func)} cannot be called here{did_you_mean(name, known)}; "
            f"functions are {', '.join(known)}, and other scripts"
        )

    def is_script(self, node: ast.Call) -> bool:
        """Whether another script is called."""
        return isinstance(self._own_callee(node), Script)

    def _own_callee(self, node: ast.Call) -> Any:
        return self._own(node.func.id) if isinstance(node.func, ast.Name) else None

    def _length(self, node: ast.Call) -> Any:
        value = self.value(node.args[0])
        is_tensor = isinstance(value, BufferVar)
        sides = _attribute(value, "shape") if is_tensor else value
        if not isinstance(sides, tuple) or (is_tensor and not sides):
            raise Error(f"{ast.unparse(node)}: it has no axis")
        return sides[0] if is_tensor else len(sides)

    def _function(self, name: str, node: ast.Call) -> Any:
        _check_no_keywords(name, node)
        if name in KNOWN:
            return called(KNOWN[name], name, [self.value(argument) for argument in node.args])
        values = [self.scalar(argument) for argument in node.args]
        if name in OF_NUMBERS and not any(isinstance(value, Expr) for value in values):
            return called(OF_NUMBERS[name], name, values)
        return called(FUNCTIONS[name], name, values)

    def callee(self, node: ast.Call) -> str:
        """The name of what is called, which may be one of math or numpy."""
        match node.func:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=ast.Name(id=module), attr=name) if isinstance(
                self._named(module), ModuleType
            ):
                return name
        raise Error(f"{ast.unparse(node.func)} cannot be called in a script")

    def _arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        """The values that a call passes by position, and by name."""
        named = {one.arg or "**": self.value(one.value) for one in node.keywords}
        return [self.value(argument) for argument in node.args], named

    def made(self, node: ast.Call, maker: Callable[..., BufferVar]) -> BufferVar:
        """The result of `maker` for the arguments of a call."""
        given, named = self._arguments(node)
        try:
            bound = signature(maker).bind(*given, **named)
        except TypeError as error:
            raise Error(f"{ast.unparse(node.func)}: {error}") from None
        return maker(*bound.args, **bound.kwargs)


def element_of(value: Any) -> Any:
    """The element of a tensor without axes; any other value as it is."""
    return value[()] if isinstance(value, BufferVar) and not value.shape else value


def described(node: ast.AST) -> str:
    """Describes a syntax node for messages: its kind, and its text."""
    text = ast.unparse(node).splitlines()[0]
    return f"`{text}` ({type(node).__name__})"


def captured(name: str, value: Any) -> Any:
    """A value from around a script, as a value of the script."""
    if isinstance(value, np.generic):
        return const(value.item(), value.dtype)
    if isinstance(value, list | tuple):
        return tuple(captured(name, part) for part in value)
    if isinstance(value, ModuleType) and value.__name__ in _MODULES:
        return value
    if isinstance(value, int | float | str | Expr | BufferVar | Script):
        return value
    raise Error(
        f"{name} is {type(value).__name__}, which a script cannot use; it uses numbers, tuples of "
        "these, te.vars, other scripts, and tensors that it gets as arguments"
    )


def _check_no_keywords(name: str, node: ast.Call) -> None:
    if node.keywords:
        raise Error(f"{name} takes no {node.keywords[0].arg}=")


def _attribute(base: Any, name: str) -> Any:
    if isinstance(base, ModuleType):
        return captured(name, getattr(base, name, None))
    if isinstance(base, Expr) and name == "dtype":
        return base.dtype
    if not isinstance(base, BufferVar) or name not in ("shape", "dtype", "ndim"):
        raise Error(f"{base} has no {name} in a script; a tensor has shape, dtype and ndim")
    found = getattr(base.buffer, name)
    if name != "shape":
        return found
    return tuple(side.value if isinstance(side, Extent) else side for side in found)


def _is_known(value: Any) -> bool:
    """Whether a scalar is a number already."""
    return not isinstance(value, Expr) or isinstance(value, Const)


def _negated(value: Any) -> Any:
    return not value if _is_known(value) else ~as_condition(value)


def _both(values: Sequence[Any], is_and: bool) -> Any:
    """`and`, or `or`, from left to right: what is loaded behind a decision is not loaded."""
    *others, found = values
    for value in reversed(others):
        if _is_known(value):
            found = found if bool(value) == is_and else value
            continue
        condition = as_condition(value)
        rest = as_condition(found)
        if any(isinstance(part, Element) for part in walk((rest,))):
            found = (
                if_then_else(condition, rest, False)
                if is_and
                else if_then_else(condition, True, rest)
            )
        else:
            found = condition & rest if is_and else condition | rest
    return found
