"""What operators accept: tensors, axes, numbers; what is refused is named with its values."""

from __future__ import annotations

import operator as python
import sys
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

from teloom import te
from teloom.errors import Error

_SPELLINGS = {
    "data": ("Input", "input", "inp", "A"),
    "kernel": ("Filter", "filter", "filt", "W"),
    "strides": ("stride",),
}
"""Arguments that some of TVM's operators have by other names."""


def wrong(operator: str, argument: str, problem: str) -> Error:
    """The refusal of an argument of an operator, by the name that the operator has for it.

    >>> wrong("sum", "axis", "is 3"), wrong("nn.conv2d_nchw", "strides", "is 0")
    (Error('topi.sum: axis is 3'), Error('topi.nn.conv2d_nchw: stride is 0'))
    """
    return Error(f"topi.{operator}: {_spelling(operator, argument)} {problem}")


def _spelling(operator: str, argument: str) -> str:
    if argument not in _SPELLINGS:
        return argument
    function: Any = sys.modules["teloom.topi"]
    for name in operator.split("."):
        function = getattr(function, name, None)
    known = signature(function).parameters if function else ()
    return next((name for name in (argument, *_SPELLINGS[argument]) if name in known), argument)


def shown(tensor: te.Tensor) -> str:
    """A tensor in a message.

    >>> shown(te.placeholder((8, te.var("n")), name="A"))
    'A of shape (8, n) and dtype float32'
    """
    extents = ", ".join(map(str, tensor.shape)) + "," * (tensor.ndim == 1)
    return f"{tensor.name} of shape ({extents}) and dtype {tensor.dtype}"


def a_tensor(operator: str, argument: str, value: object, ndim: int | None = None) -> te.Tensor:
    """`value`, if it is a tensor whose axes begin at 0; `ndim` asks for so many.

    Raises `teloom.Error` for anything else.
    """
    if not isinstance(value, te.Tensor):
        raise wrong(operator, argument, f"is {value!r}, not a tensor")
    for axis, side in enumerate(value.domain):
        if not te.same_extents([side.min], [0]):
            raise wrong(operator, argument, f"is {shown(value)}, whose axis {axis} has no begin 0")
    if ndim is not None and value.ndim != ndim:
        raise wrong(operator, argument, f"is {shown(value)}, but must have {ndim} axes")
    return value


def listed(value: object) -> list[Any]:
    """What a user gives as a list or tuple, or alone, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def tensors(operator: str, argument: str, values: object) -> list[te.Tensor]:
    """A tensor, or a list of at least one, as a list; raises `teloom.Error` for anything else."""
    given = listed(values)
    if not given:
        raise wrong(operator, argument, "is empty; at least one tensor is wanted")
    return [a_tensor(operator, f"{argument}[{k}]", one) for k, one in enumerate(given)]


def an_integer(operator: str, argument: str, value: object, least: int | None = None) -> int:
    """`value`, if it is an integer that is known now, at least `least`."""
    try:
        number = python.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise wrong(operator, argument, f"is {value!r}, not an integer that is known") from None
    if least is not None and number < least:
        raise wrong(operator, argument, f"is {number}, but must be at least {least}")
    return number


def a_flag(operator: str, argument: str, value: object) -> bool:
    """Whether `value` is true; raises `teloom.Error` for what is neither, as texts."""
    try:
        if not isinstance(value, str):
            return bool(value)
    except (ValueError, TypeError, Error):
        pass
    raise wrong(operator, argument, f"is {value!r}, neither True nor False")


def a_place(operator: str, argument: str, value: Any) -> Any:
    """An integer, also of a constant, or an expression of sizes as it is."""
    if not hasattr(value, "operands") or isinstance(value, te.Tensor):
        return an_integer(operator, argument, value)
    try:
        return python.index(value)
    except TypeError:
        return value


def a_number(operator: str, argument: str, value: Any, dtype: object) -> Any:
    """A number that is one of `dtype`, or an expression of sizes, as a value of that dtype.

    A tensor without axes is its element.
    """
    if isinstance(value, te.Tensor) and not value.ndim:
        value = value()
    try:
        return value.astype(dtype) if hasattr(value, "operands") else te.const(value, dtype)
    except Error as error:
        raise wrong(operator, argument, f"is {value!r}: {error}") from error


def a_dtype(operator: str, value: Any, argument: str = "dtype") -> Any:
    """`value`, if it is a dtype."""
    if value is None:
        raise wrong(operator, argument, "is None, which is no dtype")
    try:
        te.const(0, value)
    except Error as error:
        raise wrong(operator, argument, f"is {value!r}: {error}") from error
    return value


def check_defined(
    operator: str, data: te.Tensor, function: Callable[[Any, Any], Any], dtype: Any = None
) -> None:
    """Raises `teloom.Error` unless two elements of `data`, or of `dtype`, can be combined."""
    try:
        function(*(te.var(name, data.dtype if dtype is None else dtype) for name in "xy"))
    except Error as error:
        raise wrong(operator, "data", f"is {shown(data)}: {error}") from error


def integers(
    operator: str, argument: str, value: object, count: int, least: int | None = None
) -> list[int]:
    """`count` integers that are known now; one stands for `count` equal ones."""
    listed = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(listed) != count:
        raise wrong(operator, argument, f"is {listed}, but must be one integer or {count}")
    return [an_integer(operator, argument, one, least) for one in listed]


def an_axis(operator: str, axis: object, ndim: int, argument: str = "axis") -> int:
    """An axis of a tensor with `ndim` axes, from 0 on; a negative one counts from the end.

    >>> an_axis("sum", -1, 3)
    2
    """
    number = an_integer(operator, argument, axis)
    if not -ndim <= number < ndim:
        known = f"{-ndim}..{ndim - 1}" if ndim else "none, there are no axes"
        raise wrong(operator, argument, f"is {number}, outside of {known}")
    return number % ndim


def axes_of(operator: str, axes: object, ndim: int, argument: str = "axis") -> list[int]:
    """Axes in the order of a tensor's; one may stand alone, None are all.

    >>> axes_of("sum", (-1, 0), 3), axes_of("sum", None, 2)
    ([0, 2], [0, 1])
    """
    if axes is None:
        return list(range(ndim))
    return sorted(distinct_axes(operator, listed(axes), ndim, argument))


def distinct_axes(operator: str, axes: Sequence[object], ndim: int, argument: str) -> list[int]:
    """Axes from 0 on, in this order; raises `teloom.Error` if one is there twice."""
    found = [an_axis(operator, axis, ndim, argument) for axis in axes]
    if len({*found}) < len(found):
        raise wrong(operator, argument, f"is {[*axes]}, which has an axis twice")
    return found


def a_text(operator: str, argument: str, value: object) -> str:
    """`value`, if it is a text."""
    if not isinstance(value, str):
        raise wrong(operator, argument, f"is {value!r}, not a text")
    return value


def a_list(operator: str, argument: str, value: object) -> list[Any]:
    """The values of a list or tuple."""
    if not isinstance(value, list | tuple | range):
        raise wrong(operator, argument, f"is {value!r}, not a list")
    return list(value)


def one_of(operator: str, argument: str, value: object, known: Sequence[str]) -> str:
    """`value`, if it is one of the texts known."""
    text = a_text(operator, argument, value)
    if text not in known:
        raise wrong(operator, argument, f"is {value!r}; known are {', '.join(map(repr, known))}")
    return text
