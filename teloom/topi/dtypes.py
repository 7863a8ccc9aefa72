"""Questions about dtypes, by their names. Where two meet, te says in which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from teloom import te
from teloom.topi.arguments import a_dtype, shown, wrong


def is_float(dtype: str) -> bool:
    """Whether it is a float.

    >>> is_float("bfloat16"), is_float("uint8")
    (True, False)
    """
    return "float" in dtype


def is_integer(dtype: str) -> bool:
    """Whether it is an integer, with a sign or without one; bool is none."""
    return "int" in dtype


def bits_of(dtype: str) -> int:
    """The bits that an element takes in memory.

    >>> bits_of("bfloat16"), bits_of("bool")
    (16, 8)
    """
    return 8 if dtype == "bool" else int(dtype.lstrip("abcdefghijklmnopqrstuvwxyz"))


def precise(dtype: str) -> str:
    """The float in which numbers of a float are computed: float32 for those of 16 bits.

    >>> precise("bfloat16"), precise("float64")
    ('float32', 'float64')
    """
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def of_means(dtype: str) -> str:
    """The dtype in which a mean is computed: its sum, and the number of elements.

    >>> of_means("uint8"), of_means("bfloat16"), of_means("float64")
    ('int64', 'float32', 'float64')
    """
    return precise(dtype) if is_float(dtype) or dtype == "uint64" else "int64"


def of_kind(operator: str, argument: str, tensor: te.Tensor, kind: str) -> te.Tensor:
    """`tensor`, if its dtype is a `kind`: float, integer or bool."""
    fits = {"float": is_float, "integer": is_integer, "bool": lambda name: name == "bool"}
    if not fits[kind](tensor.dtype):
        raise wrong(operator, argument, f"is {shown(tensor)}, but must be {kind}")
    return tensor


def common(dtypes: Iterable[str]) -> str:
    """The dtype in which values of these meet, as in expressions of te.

    >>> common(["int8", "float16", "bool"])
    'float16'
    """
    found, *others = dict.fromkeys(dtypes)
    for other in others:
        found = te.add(te.const(0, found), te.const(0, other)).dtype
    return found


def of_results(operator: str, out_dtype: Any, dtypes: Iterable[str]) -> Any:
    """`out_dtype`, or where it is None the dtype in which values of these meet."""
    return common(dtypes) if out_dtype is None else a_dtype(operator, out_dtype, "out_dtype")


def of_numbers(operator: str, value: Any, argument: str = "dtype") -> Any:
    """`value`, if it is a dtype of numbers: any but bool."""
    if te.const(0, a_dtype(operator, value, argument)).dtype == "bool":
        raise wrong(operator, argument, "is 'bool', but must be a dtype of numbers")
    return value


def as_bool(value: Any) -> Any:
    """Whether an element, or a number, is not 0."""
    if not hasattr(value, "dtype"):
        return te.const(bool(value), "bool")
    return value if value.dtype == "bool" else value != 0


def lowest(dtype: str) -> Any:
    """The identity of the maximum: minus infinity for floats, else the least value."""
    return te.const(float("-inf"), dtype) if is_float(dtype) else te.min_value(dtype)


def highest(dtype: str) -> Any:
    """The identity of the minimum: infinity for floats, else the greatest value."""
    return te.const(float("inf"), dtype) if is_float(dtype) else te.max_value(dtype)
