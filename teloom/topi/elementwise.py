"""Operators that make each element of elements at its place: what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from teloom import te
from teloom.errors import Error
from teloom.topi.arguments import a_number, a_tensor, wrong
from teloom.topi.extents import broadcast_shape, element
from teloom.topi.tag import BROADCAST, ELEMWISE


def applied(
    operator: str, function: Callable[..., Any], *operands: object, tag: str = ""
) -> te.Tensor:
    """The tensor of `function` of the elements of operands, repeated to one shape.

    An operand is a tensor, a number, or an expression of sizes. Without a `tag`, it follows from
    the shapes. Raises `teloom.Error` for shapes
    that do not fit, and for dtypes on which `function` is not defined.

    >>> A, b = te.placeholder((8, 4), name="A"), te.placeholder((4,), name="b")
    >>> applied("both", lambda x, y: x * y + 1, A, b)
    Tensor(shape=[8, 4], dtype=float32, name=both)
    """
    for operand in operands:
        _check_operand(operator, operand)
    given = [one for one in operands if isinstance(one, te.Tensor)]
    shape = broadcast_shape(operator, given)

    def value(*indices: Any) -> Any:
        return function(
            *(
                element(one, indices, shape) if isinstance(one, te.Tensor) else one
                for one in operands
            )
        )

    alike = all(te.same_extents(one.shape, shape) for one in given)
    return computed(operator, shape, value, tag or (ELEMWISE if alike else BROADCAST))


def computed(
    operator: str,
    shape: Any,
    value: Callable[..., Any],
    tag: str = "",
    name: str = "",
    attrs: dict[str, Any] | None = None,
) -> te.Tensor:
    """`te.compute` whose refusals name an operator, and so does the stage without a `name`."""
    try:
        return te.compute(shape, value, name or operator.rpartition(".")[2], tag, attrs)
    except Error as error:
        if str(error).startswith("topi."):
            raise
        raise Error(f"topi.{operator}: {error}") from error


def a_scalar(operator: str, value: Any) -> Any:
    """A number or an expression, as an expression; raises `teloom.Error` for anything else."""
    _check_operand(operator, value)
    if hasattr(value, "operands"):
        return value
    kind = np.asarray(value).dtype.kind
    dtype = {"b": "bool", "f": "float32"}.get(kind, "int32")
    return a_number(operator, "operand", value, dtype)


def _check_operand(operator: str, operand: object) -> None:
    if isinstance(operand, te.Tensor):
        a_tensor(operator, "operand", operand)
        return
    if not hasattr(operand, "operands"):
        if not isinstance(operand, int | float | np.number | np.bool_):
            raise wrong(operator, f"operand {operand!r}", "is neither a tensor nor a number")
        return
    axis = next((one for one in _leaves(operand) if isinstance(one, te.IterVar)), None)
    if axis is not None:
        raise wrong(
            operator,
            f"operand {operand}",
            f"is an element at the axis {axis} of an equation, but the other is a whole tensor "
            "where an element is wanted; give it subscripts",
        )


def _leaves(operand: Any) -> Iterator[Any]:
    pending, seen = [operand], set()
    while pending:
        one = pending.pop()
        inner = one.operands() if hasattr(one, "operands") else ()
        pending += [part for part in inner if id(part) not in seen]
        seen.update(map(id, inner))
        if not inner:
            yield one
