"""`te.call_pure_extern`: what a C function gives, as an expression."""

from __future__ import annotations

from _ctypes import CFuncPtr
from dataclasses import dataclass

from teloom.backend.call.callbacks import CtypesFunction
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, as_expr, cast, texts
from teloom.frontend.expr.names import function_name

PASSED = ("float32", "float64", "int32", "uint32", "int64", "uint64")
"""The dtypes of numbers that C functions take and give as they are."""


@dataclass(frozen=True, eq=False, repr=False)
class PureCall(Expr):
    """The result of a C function of numbers, which depends on these alone."""

    function: str | CtypesFunction
    name: str
    arguments: tuple[Expr, ...]
    dtype: str

    def operands(self) -> tuple[Expr, ...]:
        return self.arguments

    def text(self, depth: int) -> str:
        return f"{self.name}({', '.join(texts(self.arguments, depth))})"


def call_pure_extern(dtype: object, func_name: object, *args: object) -> PureCall:
    """The result of a C function of numbers, as a value of `dtype`.

    It is a name of this process, or a function of ctypes. What it gives depends on its arguments
    alone, which are passed as their dtypes say, integers of less than 32 bits and bool as int32.
    Nothing checks what the function declares in C. It is called lane by lane, as often as the
    schedule computes the value. Raises `teloom.Error` for other arguments and dtypes.
    Source: TVM's tir.call_pure_extern.

    >>> from teloom import te
    >>> A = te.placeholder((8,), "float64", name="A")
    >>> te.compute((8,), lambda i: te.call_pure_extern("float64", "cbrt", A[i]), name="B").dtype
    'float64'
    """
    known = dtypes.checked_name(dtype)
    if isinstance(func_name, CFuncPtr):
        name = getattr(func_name, "__name__", "the function")
        function: str | CtypesFunction = CtypesFunction(func_name)
    elif isinstance(func_name, str):
        function = name = function_name(func_name)
    else:
        raise Error(f"call_pure_extern wants a name or a function of ctypes, got {func_name!r}")
    _check(known, f"what {name} gives")
    return PureCall(function, name, tuple(_argument(one, name) for one in args), known)


def _argument(value: object, name: str) -> Expr:
    expr = as_expr(value)
    info = dtypes.of(expr.dtype)
    if info.kind != dtypes.FLOAT and info.bits < 32:
        return cast(expr, "int32")
    _check(expr.dtype, f"{expr}, which {name} gets,")
    return expr


def _check(dtype: str, what: str) -> None:
    if dtype not in PASSED:
        raise Error(f"{what} is {dtype}; numbers of C are {', '.join(PASSED)}: cast it")
