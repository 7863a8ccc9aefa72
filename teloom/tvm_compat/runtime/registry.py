"""Python's functions by names: what `tvm.tir.call_packed("name", ...)` calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from teloom.errors import Error, did_you_mean
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.expr.traces import trace as trace_by
from teloom.frontend.extern.statements import PackedCall
from teloom.frontend.extern.statements import call_packed as call_function
from teloom.tvm_compat.runtime.ndarray import NDArray

Function = Callable[..., Any]

_HERE = "teloom.tvm_compat."
"""In front of the names of modules, from which programs make those of functions."""

_DEFAULT_ACTION = "tvm.default_trace_action"

_FUNCTIONS: dict[str, Function] = {}
"""By its name, for the whole process: that is what a registration of TVM means."""


def register_func(func_name: Any, f: Function | None = None, override: bool = False) -> Any:
    """Gives a function a name, or, as a decorator, the function below it.

    Without a name it is that of the function. Raises `teloom.Error` for a name that is given
    already, unless `override` is True. Source: TVM's register_func.

    >>> @register_func("example.double", override=True)
    ... def double(x, y):
    ...     y[...] = 2 * x
    >>> get_global_func("example.double") is double
    True
    """
    if callable(func_name):
        return register_func(getattr(func_name, "__name__", "function"), func_name)

    def register(function: Function) -> Function:
        if func_name in _FUNCTIONS and not override:
            raise Error(
                f"a function {func_name!r} is registered already; override=True replaces it"
            )
        _FUNCTIONS[func_name] = function
        return function

    return register if f is None else register(f)


def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """The function with that name; None for an unknown one if `allow_missing`, else an Error.

    >>> get_global_func("example.none", allow_missing=True) is None
    True
    """
    known = f"tvm.{name.removeprefix(_HERE)}" if name.startswith(_HERE) else name
    if known in _FUNCTIONS or allow_missing:
        return _FUNCTIONS.get(known)
    raise Error(
        f"no function {name!r} is registered; tvm.register_func({name!r}, f) does it"
        f"{did_you_mean(name, _FUNCTIONS)}"
    )


def call_packed(func: Any, *args: object) -> PackedCall:
    """A call of a registered function, by its name, or of a function of Python.

    A name is looked up when the call runs. Arrays have the methods of TVM's, and truth values are
    0 and 1. Raises `teloom.Error` where te.call_packed does. Source: TVM's tir.call_packed.

    >>> call_packed("example.double", 1).name
    'example.double'
    """
    args = tuple(int(arg) if isinstance(arg, bool) else arg for arg in args)
    if not isinstance(func, str):
        return call_function(_with_arrays(func), *args) if callable(func) else call_function(func)
    return call_function(_by_name(func), *args)


def trace(args: Any, trace_action: Any = _DEFAULT_ACTION) -> Expr:
    """As `te.trace`, whose action may also be the name of a registered function.

    It is looked up when the value is computed. Raises `teloom.Error` where te.trace does.

    >>> from teloom import te
    >>> trace([te.var("n"), te.var("m")], "example.double").dtype
    'int32'
    """
    is_name = isinstance(trace_action, str) and trace_action != _DEFAULT_ACTION
    return trace_by(args, _by_name(trace_action) if is_name else trace_action)


def _by_name(name: str) -> Function:
    """A function that looks up the one of that name whenever it is called."""

    def called(*values: Any) -> Any:
        return _with_arrays(get_global_func(name))(*values)

    called.__name__ = name
    return called


def _with_arrays(function: Function) -> Function:
    @wraps(function)
    def called(*values: Any) -> Any:
        return function(*(v.view(NDArray) if isinstance(v, np.ndarray) else v for v in values))

    return called
