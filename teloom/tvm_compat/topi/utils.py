"""`tvm.topi.utils`: numbers, shapes and places in them, and walks over stages of operators."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from teloom import te
from teloom.errors import Error
from teloom.frontend.expr.expressions import Const, as_expr
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Operation, PlaceholderOp, Tensor
from teloom.topi import tag
from teloom.topi.extents import ravelled
from teloom.topi.transform.layouts import layout_sides


class InvalidShapeError(Error, ValueError):
    """A shape that an operator refuses, in programs that raise TVM's class."""


def get_const_int(expr: Any) -> int:
    """The integer of a constant; raises `teloom.Error` for what is known at the call only.

    >>> from teloom import te
    >>> get_const_int(te.const(3) + 1)
    4
    """
    value = as_expr(expr)
    if not isinstance(value, Const) or not isinstance(value.value, int):
        raise Error(f"{expr} is no constant integer")
    return value.value


def get_const_tuple(in_tuple: Sequence[Any]) -> tuple[Any, ...]:
    """The integers of constants, such as those of a shape; sizes stay as they are.

    >>> from teloom import te
    >>> get_const_tuple(te.placeholder((te.var("n"), 4)).shape)
    (n, 4)
    """
    values = [as_expr(one) for one in in_tuple]
    return tuple(get_const_int(one) if isinstance(one, Const) else one for one in values)


def traverse_inline(s: Schedule, final_op: Operation, callback: Callable[[Operation], Any]) -> None:
    """Inlines the elementwise stages that an operation reads, and calls back for all, once each.

    Source: TVM's topi.utils.traverse_inline.
    """
    visited: set[Operation] = set()
    pending = [final_op]
    while pending:
        op = pending.pop()
        if op in visited:
            continue
        visited.add(op)
        if tag.is_broadcast(op.tag):
            if op not in s.outputs:
                s[op].compute_inline()
            pending += [
                tensor.op for tensor in op.input_tensors if not isinstance(tensor.op, PlaceholderOp)
            ]
        callback(op)


def get_const_float(expr: Any) -> float:
    """The number of a constant; raises `teloom.Error` for what is known at the call only.

    >>> from teloom import te
    >>> get_const_float(te.const(1.5, "float32"))
    1.5
    """
    value = as_expr(expr)
    if not isinstance(value, Const):
        raise Error(f"{expr} is no constant number")
    return float(value.value)


def equal_const_int(expr: Any, value: int) -> bool:
    """Whether an expression is the constant `value`.

    >>> equal_const_int(4, 4)
    True
    """
    found = as_expr(expr)
    return isinstance(found, Const) and found.value == value


def simplify(expr: Any) -> Any:
    """The expression, as an integer if it is a constant one: arithmetic folds where it is written.

    >>> from teloom import te
    >>> simplify(te.const(3) + 1)
    4
    """
    value = as_expr(expr)
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else expr


def prod(extents: Sequence[Any]) -> Any:
    """The product of extents, 1 of none.

    >>> from teloom import te
    >>> prod((te.var("n"), 4))
    (n * 4)
    """
    return reduce(mul, extents, 1)


def ceil_div(a: Any, b: Any) -> Any:
    """The quotient, rounded up, of numbers that are not negative.

    >>> ceil_div(7, 4)
    2
    """
    return (a + b - 1) // b


def ravel_index(indices: Sequence[Any], shape: Sequence[Any]) -> Any:
    """The place of an element in a row-major array of this shape.

    >>> ravel_index((1, 2), (3, 4))
    6
    """
    return ravelled(indices, shape)


def unravel_index(idx: Any, shape: Sequence[Any]) -> list[Any]:
    """The position of the element at a place of a row-major array of this shape.

    >>> unravel_index(6, (3, 4))
    [1, 2]
    """
    position: list[Any] = []
    for extent in reversed(shape):
        position.insert(0, idx % extent)
        idx //= extent
    return position


def is_empty_shape(shape: Sequence[Any]) -> bool:
    """Whether an extent is known to be 0.

    >>> is_empty_shape((3, 0))
    True
    """
    return any(equal_const_int(extent, 0) for extent in shape)


def swap(arr: Sequence[Any], axis: int) -> list[Any]:
    """A list with the element at `axis` and the last one in each other's place.

    >>> swap([1, 2, 3], 0)
    [3, 2, 1]
    """
    swapped = [*arr]
    swapped[axis], swapped[-1] = swapped[-1], swapped[axis]
    return swapped


def get_max_power2_factor(n: int, max_value: int | None = None) -> int:
    """The largest power of 2 that divides `n`, up to `max_value`.

    >>> get_max_power2_factor(48), get_max_power2_factor(48, 8)
    (16, 8)
    """
    factor = n & -n
    return factor if max_value is None else min(factor, 1 << (max_value.bit_length() - 1))


def get_float_tuple(in_tuple: Sequence[Any]) -> tuple[float, ...]:
    """The numbers of constants; raises `teloom.Error` for what is known at the call only.

    >>> get_float_tuple((1, te.const(2.5, "float32")))
    (1.0, 2.5)
    """
    return tuple(map(get_const_float, in_tuple))


def is_dynamic_shape(shape: Sequence[Any]) -> bool:
    """Whether an extent is known at the call only.

    >>> is_dynamic_shape((te.var("n"), 4))
    True
    """
    return not all(isinstance(as_expr(extent), Const) for extent in shape)


def nchw_pack_layout(layout_info: str) -> bool:
    """Whether a layout has images and channels in blocks, as NCHW4n8c.

    >>> nchw_pack_layout("NCHW4n8c"), nchw_pack_layout("NCHW8c")
    (True, False)
    """
    return re.fullmatch(r"NCHW\d+n\d+c", layout_info) is not None


def nchw_xc_layout(layout_info: str) -> bool:
    """Whether a layout has channels in blocks, as NCHW8c.

    >>> nchw_xc_layout("NCHW8c"), nchw_xc_layout("NCHW")
    (True, False)
    """
    return re.fullmatch(r"NCHW\d+c", layout_info) is not None


def get_shape(src_shape: Sequence[Any], src_layout: str, dst_layout: str) -> tuple[Any, ...]:
    """The shape in another layout of the same axes and blocks.

    >>> get_shape((3, 2, 32, 48, 16), "NCHW16c", "NC16cWH")
    (3, 2, 16, 48, 32)
    """
    source, target = (
        layout_sides("utils.get_shape", argument, layout)
        for argument, layout in (("src_layout", src_layout), ("dst_layout", dst_layout))
    )
    if {*source} != {*target} or len(source) != len(src_shape):
        raise Error(f"{src_layout} and {dst_layout} are no layouts of the axes of {src_shape}")
    return tuple(src_shape[source.index(side)] for side in target)


def const_vector(vector: Any, name: str = "const_vector") -> Tensor:
    """A tensor of the numbers of a NumPy array of one axis.

    >>> import numpy as np
    >>> const_vector(np.array([1, 2], "float32")).shape
    (2,)
    """
    return _constants(np.asarray(vector), 1, name)


def const_matrix(matrix: Any, name: str = "const_matrix") -> Tensor:
    """A tensor of the numbers of a NumPy array of two axes, as those of a transform.

    >>> import numpy as np
    >>> const_matrix(np.eye(3, dtype="float32")).shape
    (3, 3)
    """
    return _constants(np.asarray(matrix), 2, name)


def _constants(array: np.ndarray, axes: int, name: str) -> Tensor:
    """A tensor that chooses among the numbers of an array by its indices."""
    if array.ndim != axes:
        raise Error(f"{name} needs an array of {axes} axes, got shape {array.shape}")
    dtype = array.dtype.name

    def chosen(*indices: Any) -> Any:
        found = te.const(0, dtype)
        for position in zip(*np.nonzero(array), strict=True):
            places = [index == int(at) for index, at in zip(indices, position, strict=True)]
            number = te.const(array[position].item(), dtype)
            found = te.select(te.all(*places), number, found)
        return found

    return te.compute(array.shape, chosen, name=name)
