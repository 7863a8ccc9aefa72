"""`tvm.tir`: the functions of scalars that te has, and expressions by the names of their classes.

Any name of te that is a function of scalars is here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from teloom.errors import Error
from teloom.frontend import te
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import (
    Apply,
    Const,
    Expr,
    Extent,
    StringImm,
    apply,
    as_expr,
)
from teloom.frontend.expr.expressions import Cast as CastExpr
from teloom.frontend.expr.expressions import Var as Size
from teloom.frontend.expr.expressions import size_var as size_var
from teloom.frontend.extern import ir_builder
from teloom.frontend.extern.statements import call_extern
from teloom.frontend.tensor.buffers import Buffer, decl_buffer
from teloom.frontend.tensor.conditions import select as Select
from teloom.frontend.tensor.scalars import Scalar
from teloom.frontend.tensor.scalars import var as var
from teloom.frontend.tensor.tensors import IterVar
from teloom.tvm_compat.classes import TVMClass
from teloom.tvm_compat.ir import PrimFunc
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.runtime import const
from teloom.tvm_compat.runtime.registry import call_packed, trace
from teloom.tvm_compat.tir import stmt_functor

__all__ = [
    "Buffer",
    "Cast",
    "FloatImm",
    "IntImm",
    "IterVar",
    "PrimExpr",
    "PrimFunc",
    "Select",
    "SizeVar",
    "StringImm",
    "Var",
    "all",
    "any",
    "call_extern",
    "call_packed",
    "const",
    "decl_buffer",
    "ir_builder",
    "stmt_functor",
    "trace",
]


def _applied(function: str) -> Any:
    """The class of the expressions that apply a function of expressions."""
    return TVMClass(
        lambda *operands: apply(function, *operands),
        lambda one: isinstance(one, Apply) and one.function == function,
    )


def _immediate(kinds: Collection[str]) -> Any:
    """The class of the constants of some kinds of dtypes, made of a dtype and a number."""
    return TVMClass(
        lambda dtype, value: const(value, dtype),
        lambda one: isinstance(one, Const | Extent) and dtypes.of(one.dtype).kind in kinds,
    )


def _no_class(name: str) -> Callable[..., Any]:
    def make(*args: Any) -> Any:
        raise Error(f"tvm.tir.{name} is a class that makes no expression by itself")

    return make


class NoConditionError(Error, ValueError):
    """A conjunction, or a disjunction, of nothing."""


def all(*args: Any, **options: Any) -> Any:
    """As `te.all`; raises `NoConditionError`, a ValueError, if there is no condition.

    >>> n = te.var("n")
    >>> all(n > 1, n < 9)
    ((n > 1) & (n < 9))
    """
    return te.all(*_some("all", args), **options)


def any(*args: Any, **options: Any) -> Any:
    """As `te.any`; raises as `all` does."""
    return te.any(*_some("any", args), **options)


def _some(name: str, conditions: tuple[Any, ...]) -> tuple[Any, ...]:
    if not conditions:
        raise NoConditionError(f"tvm.tir.{name} wants at least one condition")
    return conditions


PrimExpr: Any = TVMClass(_no_class("PrimExpr"), lambda one: isinstance(one, Expr | Extent))
IntImm = _immediate((dtypes.INT, dtypes.UINT, dtypes.BOOL))
FloatImm = _immediate((dtypes.FLOAT,))
Cast: Any = TVMClass(
    lambda dtype, value: as_expr(value).astype(dtype), lambda one: isinstance(one, CastExpr)
)
Var: Any = TVMClass(
    lambda name="v", dtype="int32", span=None: var(name, dtype),
    lambda one: isinstance(one, Size | Scalar | IterVar),
)
SizeVar: Any = TVMClass(
    lambda name="size", dtype="int32", span=None: size_var(name, dtype),
    lambda one: isinstance(one, Size),
)

_NAMED = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Div": "divide",
    "Mod": "truncmod",
    "FloorDiv": "floordiv",
    "FloorMod": "floormod",
    "Min": "minimum",
    "Max": "maximum",
    "EQ": "equal",
    "NE": "not_equal",
    "LT": "less",
    "LE": "less_equal",
    "GT": "greater",
    "GE": "greater_equal",
    "And": "bitwise_and",
    "Or": "bitwise_or",
    "Not": "bitwise_not",
}
"""TVM's classes of expressions, and the functions that these apply."""


def __getattr__(name: str) -> Any:
    if name in _NAMED:
        return _applied(_NAMED[name])
    if name in te.__all__ and not isinstance(getattr(te, name), type):
        return getattr(te, name)
    raise missing_part("tvm.tir", name)


def __dir__() -> list[str]:
    return [*__all__, *_NAMED, *te.__all__]
