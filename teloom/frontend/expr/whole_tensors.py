"""Tensors as operands: one without axes is its element; others make a tensor of the results.

That tensor is one of `topi`'s, whose operators are programs in this language. They are loaded when
the first of them is used.
"""

from __future__ import annotations

from typing import Any

from teloom.errors import Error
from teloom.frontend.expr.expressions import Expr, is_number
from teloom.frontend.expr.operators import Operators
from teloom.lazy import loaded

_TOPI_NAMES = {
    "sub": "subtract",
    "mul": "multiply",
    "floordiv": "floor_divide",
    "floormod": "floor_mod",
}
"""Where `topi` has another name for an operator."""


def whole_tensor(name: str, ndim: int) -> Error:
    """The refusal of a tensor with axes where an element is wanted."""
    axes = ", ".join(f"i{axis}" for axis in range(ndim)) if ndim > 4 else ", ".join("ijkl"[:ndim])
    return Error(
        f"{name} is a whole tensor where an element is wanted; elements are read in an equation, "
        f"as in te.compute({name}.shape, lambda {axes}: {name}[{axes}] + 1)"
    )


class TensorOperators(Operators[Any]):
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

    def operate(self, function: str, *operands: object) -> Any:
        """The operator of elements, or topi's function if there is a tensor with axes."""
        if any(isinstance(one, TensorOperators) and one.is_whole for one in operands):
            return _of_topi(_TOPI_NAMES.get(function, function), *operands)
        return self.as_scalar().operate(function, *operands)

    def __matmul__(self, other: object) -> Any:
        return _of_topi("matmul", self, other)

    def __rmatmul__(self, other: object) -> Any:
        return _of_topi("matmul", other, self)

    def __eq__(self, other: object) -> Any:
        if not _is_scalar(other):
            return self is other
        return super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        if not _is_scalar(other):
            return self is not other
        return super().__ne__(other)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise Error(
            f"{self.name} is a tensor, not a truth value; ask `is None`, or choose between "
            "elements by topi.where"
        )


def _of_topi(name: str, *operands: object) -> Any:
    return loaded("teloom.topi", name)(*operands)


def _is_scalar(value: object) -> bool:
    return isinstance(value, Expr) or is_number(value)
