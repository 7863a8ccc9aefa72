"""Tensors as operands: one without axes is its element; others make a tensor of the results.

That tensor is one of `topi`'s, whose operators are programs in this language. They are loaded when
the first of them is used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from teloom.errors import Error
from teloom.frontend.expr.expressions import Expr, is_number
from teloom.lazy import loaded


def whole_tensor(name: str, ndim: int) -> Error:
    """The refusal of a tensor with axes where an element is wanted."""
    axes = ", ".join(f"i{axis}" for axis in range(ndim)) if ndim > 4 else ", ".join("ijkl"[:ndim])
    return Error(
        f"{name} is a whole tensor where an element is wanted; elements are read in an equation, "
        f"as in te.compute({name}.shape, lambda {axes}: {name}[{axes}] + 1)"
    )


class TensorOperators:
    """Python's operators of tensors: their elements meet as those of `topi`'s functions do.

    If no operand has axes, the result is an expression, else a tensor. `==` and `!=` between two
    tensors ask whether they are the same one, because tensors are keys; `topi.equal` compares
    their elements.
    """

    @property
    def name(self) -> str:
        """The name of its operation."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """The number of axes."""
        raise NotImplementedError

    @property
    def is_whole(self) -> bool:
        """Whether it has axes: as an operand, it is no element."""
        return self.ndim > 0

    def as_scalar(self) -> Expr:
        """The only element of a tensor without axes."""
        raise NotImplementedError

    def astype(self, dtype: object) -> Any:
        """All elements as `dtype`: `topi.cast`; of a tensor without axes, its element as that."""
        if not self.ndim:
            return self.as_scalar().astype(dtype)
        return _of_topi("cast", self, dtype)

    def __add__(self, other: object) -> Any:
        return _applied(operator.add, "add", self, other)

    def __radd__(self, other: object) -> Any:
        return _applied(operator.add, "add", other, self)

    def __sub__(self, other: object) -> Any:
        return _applied(operator.sub, "subtract", self, other)

    def __rsub__(self, other: object) -> Any:
        return _applied(operator.sub, "subtract", other, self)

    def __mul__(self, other: object) -> Any:
        return _applied(operator.mul, "multiply", self, other)

    def __rmul__(self, other: object) -> Any:
        return _applied(operator.mul, "multiply", other, self)

    def __truediv__(self, other: object) -> Any:
        return _applied(operator.truediv, "true_divide", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _applied(operator.truediv, "true_divide", other, self)

    def __floordiv__(self, other: object) -> Any:
        return _applied(operator.floordiv, "floor_divide", self, other)

    def __rfloordiv__(self, other: object) -> Any:
        return _applied(operator.floordiv, "floor_divide", other, self)

    def __mod__(self, other: object) -> Any:
        return _applied(operator.mod, "floor_mod", self, other)

    def __rmod__(self, other: object) -> Any:
        return _applied(operator.mod, "floor_mod", other, self)

    def __pow__(self, other: object) -> Any:
        return _applied(operator.pow, "power", self, other)

    def __rpow__(self, other: object) -> Any:
        return _applied(operator.pow, "power", other, self)

    def __and__(self, other: object) -> Any:
        return _applied(operator.and_, "bitwise_and", self, other)

    def __rand__(self, other: object) -> Any:
        return _applied(operator.and_, "bitwise_and", other, self)

    def __or__(self, other: object) -> Any:
        return _applied(operator.or_, "bitwise_or", self, other)

    def __ror__(self, other: object) -> Any:
        return _applied(operator.or_, "bitwise_or", other, self)

    def __xor__(self, other: object) -> Any:
        return _applied(operator.xor, "bitwise_xor", self, other)

    def __rxor__(self, other: object) -> Any:
        return _applied(operator.xor, "bitwise_xor", other, self)

    def __lshift__(self, other: object) -> Any:
        return _applied(operator.lshift, "left_shift", self, other)

    def __rlshift__(self, other: object) -> Any:
        return _applied(operator.lshift, "left_shift", other, self)

    def __rshift__(self, other: object) -> Any:
        return _applied(operator.rshift, "right_shift", self, other)

    def __rrshift__(self, other: object) -> Any:
        return _applied(operator.rshift, "right_shift", other, self)

    def __matmul__(self, other: object) -> Any:
        return _of_topi("matmul", self, other)

    def __rmatmul__(self, other: object) -> Any:
        return _of_topi("matmul", other, self)

    def __lt__(self, other: object) -> Any:
        return _applied(operator.lt, "less", self, other)

    def __le__(self, other: object) -> Any:
        return _applied(operator.le, "less_equal", self, other)

    def __gt__(self, other: object) -> Any:
        return _applied(operator.gt, "greater", self, other)

    def __ge__(self, other: object) -> Any:
        return _applied(operator.ge, "greater_equal", self, other)

    def __eq__(self, other: object) -> Any:
        if not _is_scalar(other):
            return self is other
        return _applied(operator.eq, "equal", self, other)

    def __ne__(self, other: object) -> Any:
        if not _is_scalar(other):
            return self is not other
        return _applied(operator.ne, "not_equal", self, other)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise Error(
            f"{self.name} is a tensor, not a truth value; ask `is None`, or choose between "
            "elements by topi.where"
        )

    def __neg__(self) -> Any:
        return _applied(operator.neg, "negative", self)

    def __invert__(self) -> Any:
        return _applied(operator.invert, "bitwise_not", self)

    def __abs__(self) -> Any:
        return _applied(operator.abs, "abs", self)


def _applied(function: Callable[..., Any], name: str, *operands: object) -> Any:
    """The operator of elements, or topi's function `name` if there is a tensor with axes."""
    if any(isinstance(one, TensorOperators) and one.is_whole for one in operands):
        return _of_topi(name, *operands)
    return function(
        *(one.as_scalar() if isinstance(one, TensorOperators) else one for one in operands)
    )


def _of_topi(name: str, *operands: object) -> Any:
    return loaded("teloom.topi", name)(*operands)


def _is_scalar(value: object) -> bool:
    return isinstance(value, Expr) or is_number(value)
