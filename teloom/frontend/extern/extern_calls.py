"""What the body of an extern does: calls of C functions and of Python functions."""

from __future__ import annotations

from _ctypes import CFuncPtr
from collections.abc import Callable
from dataclasses import dataclass

from teloom.backend.call.callbacks import CFunction
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, as_expr, walk
from teloom.frontend.expr.names import function_name
from teloom.frontend.tensor.buffers import Buffer, Pointer
from teloom.frontend.tensor.tensors import IterVar, TensorRegion, TensorSlice

Argument = Buffer | Pointer | Expr


@dataclass(frozen=True, eq=False)
class ExternCall:
    """A call of a C function, by its name in this process or as ctypes has it.

    What it returns is of `dtype`, or nothing, and is dropped.
    """

    dtype: str | None
    function: str | CFunction
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        if isinstance(self.function, str):
            return self.function
        return getattr(self.function.function, "__name__", "function")


@dataclass(frozen=True, eq=False)
class PackedCall:
    """A call of a Python function with arrays and numbers; what it returns is dropped."""

    function: Callable[..., object]
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


Call = ExternCall | PackedCall


def call_extern(dtype: str, func_name: object, *args: object) -> ExternCall:
    """A call of a C function: its name, or a function of ctypes; it returns `dtype` or "void".

    An argument is a pointer, `buffer.access_ptr("r")`, a buffer, of which the address of
    the first element is passed, or a number, which is passed as its dtype says. The result
    is dropped. The function reads and writes nothing but what it gets pointers to.
    Raises `teloom.Error` for other arguments. Source: TVM's tir.call_extern.

    >>> call_extern("float64", "hypot", 3.0, 4.0).name
    'hypot'
    """
    known = None if dtype in ("", "void") else dtypes.checked_name(dtype)
    if isinstance(func_name, str):
        name = function_name(func_name)
        return ExternCall(known, name, _arguments(args, name))
    if not isinstance(func_name, CFuncPtr):
        raise Error(f"call_extern wants a name or a function of ctypes, got {func_name!r}")
    name = getattr(func_name, "__name__", "the function")
    return ExternCall(known, CFunction(func_name), _arguments(args, name))


def call_packed(function: Callable[..., object], *args: object) -> PackedCall:
    """A call of a Python function; a buffer comes as a NumPy array, a number as one.

    The arrays have the shape and strides of the buffers and use their memory; those of
    inputs are read-only. They are valid during the call only. If the function raises, the
    compiled function stops, and raises `teloom.KernelError` from that.
    Raises `teloom.Error` for other arguments. Source: TVM's tir.call_packed.

    >>> call_packed(print, 1).name
    'print'
    """
    if not callable(function):
        raise Error(f"call_packed wants a function of Python, got {function!r}")
    arguments = _arguments(args, getattr(function, "__name__", "the function"))
    for argument in arguments:
        if isinstance(argument, Pointer):
            raise Error(f"call_packed passes arrays, not pointers: pass {argument.buffer.name!r}")
    return PackedCall(function, arguments)


def _arguments(values: tuple[object, ...], name: str) -> tuple[Argument, ...]:
    return tuple(_argument(value, name) for value in values)


def _argument(value: object, name: str) -> Argument:
    if isinstance(value, Buffer | Pointer):
        return value
    expr = as_expr(value)
    for part in walk((expr,)):
        if isinstance(part, TensorSlice | TensorRegion | IterVar):
            raise Error(f"{name} gets {part}, which is no number in an extern; pass a buffer")
    return expr
