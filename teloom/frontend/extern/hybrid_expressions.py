"""The expressions of a hybrid script: from Python's syntax to values, and what they call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from types import ModuleType
from typing import Any

import numpy as np

from teloom.errors import Error, did_you_mean
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, Extent, as_expr, const, walk
from teloom.frontend.expr.numpy_functions import IN_TE
from teloom.frontend.expr.operators import OPERATORS
from teloom.frontend.extern.ir_builder import KINDS, BufferVar
from teloom.frontend.extern.statements import Element
from teloom.frontend.functions import math_functions
from teloom.frontend.functions.arithmetic import abs as absolute
from teloom.frontend.functions.arithmetic import fmod, power
from teloom.frontend.tensor import reducers
from teloom.frontend.tensor.conditions import if_then_else
from teloom.frontend.tensor.reductions import as_condition

_OPERATORS = {one.syntax: one.function for one in OPERATORS}

_MODULES = ("math", "numpy")

LOOPS = {"range": "serial"} | {kind: kind for kind in KINDS}
"""What a `for` may run over, and the kind of loop that it is."""

_NUMPY_NAMES = {of_te: of_numpy for of_numpy, of_te in IN_TE.items()}
_ELEMENTARY = (
    "exp log log2 log10 sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "sigmoid floor ceil trunc nearbyint isnan isinf isfinite"
).split()


def _cast(dtype: str, value: object) -> Expr:
    return as_expr(value).astype(dtype)


FUNCTIONS: Mapping[str, Callable[..., Expr]] = {
    **{name: getattr(math_functions, name) for name in _ELEMENTARY},
    **{name: partial(_cast, name) for name in dtypes.DTYPES},
    "abs": absolute,
    "min": reducers.min,
    "max": reducers.max,
    "power": power,
    "pow": power,
    "fmod": fmod,
}
"""The functions on scalars, on expressions."""

_OF_NUMBERS = {"min": min, "max": max, "abs": abs}


def _array(shape: Any, dtype: Any = "float32", scope: str = "global") -> np.ndarray:
    return np.zeros(shape, dtype)


IN_PYTHON: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(np, of) for name in _ELEMENTARY if (of := _NUMPY_NAMES.get(name))},
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    **{name: np.dtype(name).type for name in dtypes.DTYPES if name != "bfloat16"},
    **{name: range for name in LOOPS},
    "power": np.power,
    "fmod": np.fmod,
    "output_tensor": _array,
    "allocate": _array,
}
"""What a script calls, where it runs as Python; the rest is Python's own."""


class Expressions:
    """Evaluates expressions; `named` gives what a name stands for.

    A value is a Python number, string or tuple, where that is known now, a tensor as
    `BufferVar`, or an expression.
    """

    def __init__(self, named: Callable[[str], Any]):
        self._named = named

    def value(self, node: ast.expr) -> Any:
        """What an expression is; raises `teloom.Error` for what no script has."""
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
        value = self.value(node)
        if isinstance(value, BufferVar) and not value.shape:
            return value[()]
        if isinstance(value, int | float | Expr):
            return value
        raise Error(f"{ast.unparse(node)} is no scalar")

    def combined(self, op: ast.AST, *values: Any) -> Any:
        """An operator, applied to scalars."""
        if type(op) not in _OPERATORS:
            raise Error(f"the operator {type(op).__name__} is not supported in a script")
        try:
            return _OPERATORS[type(op)](*values)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Error(f"{', '.join(map(str, values))}: {error}") from None

    def subscripts(self, node: ast.expr) -> tuple[Any, ...]:
        """What stands in brackets behind a tensor."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        if any(isinstance(part, ast.Slice) for part in parts):
            raise Error(f"[{ast.unparse(node)}] has a slice; give one position per axis")
        return tuple(self.scalar(part) for part in parts)

    def _subscript(self, base: Any, node: ast.expr) -> Any:
        if isinstance(base, BufferVar):
            return base[self.subscripts(node)]
        position = self.value(node)
        if not isinstance(base, tuple) or not isinstance(position, int):
            raise Error(f"{base} has no element [{ast.unparse(node)}]")
        if not -len(base) <= position < len(base):
            raise Error(f"[{position}] of {len(base)} elements")
        return base[position]

    def _comparison(self, node: ast.Compare) -> Any:
        values = [self.scalar(part) for part in (node.left, *node.comparators)]
        found = [
            self.combined(op, values[number], values[number + 1])
            for number, op in enumerate(node.ops)
        ]
        return _both(found, True)

    def _all_or_any(self, is_and: bool, parts: Sequence[ast.expr]) -> Any:
        return _both([self.scalar(part) for part in parts], is_and)

    def _choice(self, test: ast.expr, then_node: ast.expr, else_node: ast.expr) -> Any:
        condition = self.scalar(test)
        if not isinstance(condition, Expr):
            return self.value(then_node if condition else else_node)
        return if_then_else(condition, self.scalar(then_node), self.scalar(else_node))

    def _call(self, node: ast.Call) -> Any:
        name = self.callee(node)
        if name == "len" and len(node.args) == 1:
            value = self.value(node.args[0])
            is_tensor = isinstance(value, BufferVar)
            sides = _attribute(value, "shape") if is_tensor else value
            if not isinstance(sides, tuple) or not sides:
                raise Error(f"{ast.unparse(node)}: it has no axis")
            return sides[0] if is_tensor else len(sides)
        if name not in FUNCTIONS:
            known = ["len", *FUNCTIONS]
            raise Error(
                f"{ast.unparse(node.func)} cannot be called here{did_you_mean(name, known)}; "
                f"functions are {', '.join(known)}"
            )
        if node.keywords:
            raise Error(f"{name} takes no {node.keywords[0].arg}=")
        values = [self.scalar(argument) for argument in node.args]
        if name in _OF_NUMBERS and not any(isinstance(value, Expr) for value in values):
            return _called(_OF_NUMBERS[name], name, values)
        return _called(FUNCTIONS[name], name, values)

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

    def made(self, node: ast.Call, maker: Callable[..., BufferVar]) -> BufferVar:
        """What `maker` gives for the arguments of a call."""
        given = [self.value(argument) for argument in node.args]
        named = {one.arg or "**": self.value(one.value) for one in node.keywords}
        try:
            bound = signature(maker).bind(*given, **named)
        except TypeError as error:
            raise Error(f"{ast.unparse(node.func)}: {error}") from None
        return maker(*bound.args, **bound.kwargs)


def described(node: ast.AST) -> str:
    """What kind of syntax it is, and how it is written."""
    text = ast.unparse(node).splitlines()[0]
    return f"`{text}` ({type(node).__name__})"


def captured(name: str, value: Any) -> Any:
    """What a script gets from around it, as a value of the script."""
    if isinstance(value, np.generic):
        return const(value.item(), value.dtype)
    if isinstance(value, list | tuple):
        return tuple(captured(name, part) for part in value)
    if isinstance(value, ModuleType) and value.__name__ in _MODULES:
        return value
    if isinstance(value, int | float | str | Expr | BufferVar):
        return value
    raise Error(
        f"{name} is {type(value).__name__}, which a script cannot use; it uses numbers, tuples of "
        "these, te.vars, and tensors that it gets as arguments"
    )


def _attribute(base: Any, name: str) -> Any:
    if isinstance(base, ModuleType):
        return captured(name, getattr(base, name, None))
    if not isinstance(base, BufferVar) or name not in ("shape", "dtype", "ndim"):
        raise Error(f"{base} has no {name} in a script; a tensor has shape, dtype and ndim")
    found = getattr(base.buffer, name)
    if name != "shape":
        return found
    return tuple(side.value if isinstance(side, Extent) else side for side in found)


def _negated(value: Any) -> Any:
    return ~as_condition(value) if isinstance(value, Expr) else not value


def _both(values: Sequence[Any], is_and: bool) -> Any:
    """`and`, or `or`, from left to right: what is loaded behind a decision is not loaded."""
    *others, found = values
    for value in reversed(others):
        if not isinstance(value, Expr):
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


def _called(function: Callable[..., Any], name: str, values: Sequence[Any]) -> Any:
    try:
        return function(*values)
    except TypeError:
        raise Error(f"{name} does not take {len(values)} arguments") from None
