"""`te.hybrid`: functions of Python that become bodies of externs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FunctionType
from typing import Any

from teloom.errors import Error, depth_checked
from teloom.frontend.extern.externs import buffers_for, checked_region, extern
from teloom.frontend.extern.hybrid_functions import IN_PYTHON
from teloom.frontend.extern.hybrid_script import Script, Source
from teloom.frontend.tensor.tensors import Tensor, TensorRegion


def script(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose loops and assignments, as they are written, make a stage.

    Called with tensors, or slices of them, it gives the tensors that it returns, as te.extern
    does; called with arrays it runs as Python. It makes what it returns by
    `output_tensor(shape, dtype)`.
    Raises `teloom.Error`, with file and line, for what a script cannot have. Source: TVM's
    te.hybrid.script.

    >>> import numpy as np
    >>> from teloom import te
    >>> @te.hybrid.script
    ... def outer(a, b):
    ...     c = output_tensor((len(a), len(b)), a.dtype)
    ...     for i in range(len(a)):
    ...         for j in range(len(b)):
    ...             c[i, j] = a[i] * b[j]
    ...     return c
    >>> outer(te.placeholder((3,), name="A"), te.placeholder((4,), name="B"))
    Tensor(shape=[3, 4], dtype=float32, name=outer)
    >>> outer(np.ones(2), np.arange(3.0))[1]
    array([0., 1., 2.])
    """
    if not isinstance(function, FunctionType):
        raise Error(f"hybrid.script wants a function of Python, got {function!r}")
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            bound = signature.bind(*arguments)
        except TypeError as error:
            raise Error(f"{function.__name__}: {error}") from None
        bound.apply_defaults()
        if any(isinstance(argument, Tensor | TensorRegion) for argument in arguments):
            return _stage(function, bound.arguments)
        return _in_python(function)(*arguments)

    return call


@depth_checked()
def _stage(function: FunctionType, arguments: Mapping[str, Any]) -> Any:
    name = function.__name__
    tensors = {
        parameter: checked_region(argument, name)
        for parameter, argument in arguments.items()
        if isinstance(argument, Tensor | TensorRegion)
    }
    buffers = buffers_for([*tensors.values()], [*tensors])
    given = {**arguments, **dict(zip(tensors, buffers, strict=True))}
    made = Script(Source.of(function), given, _around(function))
    body = made.body()
    found = extern(
        [buffer.extents for buffer in made.outputs],
        [*tensors.values()],
        lambda ins, outs: body,
        name,
        [buffer.dtype for buffer in made.outputs],
        buffers,
        made.outputs,
    )
    return found[0] if len(found) == 1 else found


def _around(function: FunctionType) -> Mapping[str, Any]:
    """What the names stand for that a function does not bind itself."""
    found = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # a cell that nothing has filled yet
            found[name] = cell.cell_contents
    return found


def _in_python(function: FunctionType) -> FunctionType:
    """The function with what scripts call."""
    return FunctionType(
        function.__code__,
        {**function.__globals__, **IN_PYTHON},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
