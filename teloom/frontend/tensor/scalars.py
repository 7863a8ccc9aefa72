"""`te.var`: sizes, and scalar parameters of other dtypes, which are placeholders without axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, overload

from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import WIDE
from teloom.frontend.expr.expressions import Expr, Var, size_var
from teloom.frontend.expr.names import checked_text
from teloom.frontend.kinds import checked_kind
from teloom.frontend.tensor.tensors import Tensor, TensorSlice, placeholder


@dataclass(frozen=True, eq=False, repr=False)
class Scalar(TensorSlice):
    """A number that the caller passes: the element of a placeholder without axes."""

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self.tensor.name

    def text(self, depth: int) -> str:
        return self.name


@overload
def var(
    name: str = "tindex", dtype: Literal["int32", "int64", "int"] = "int32", span: object = None
) -> Var: ...


@overload
def var(name: str, dtype: object, span: object = None) -> Any: ...  # what dtype is decides


def var(name: str = "tindex", dtype: object = "int32", span: object = None) -> Expr:
    """A number that is given when the compiled function is called.

    An int32 or int64 is a size, at least 0. The call finds it in the shapes of the arrays, or
    gets it as an argument. Of any other dtype it is a scalar, which is an argument: the caller
    passes a number, or an array without axes. `span` is accepted as TVM's argument: it means
    nothing. Source: TVM's te.var.

    >>> var("n") // 2, var("alpha", "float32") * 2
    ((n // 2), (alpha * 2.0))
    """
    checked_text(name, "name of var")
    known = dtypes.checked_name(dtype)
    if known in WIDE:
        return size_var(name, known)
    return Scalar(placeholder((), known, name), ())


Argument = Tensor | Var | Scalar
"""What the caller of a compiled function passes."""


def as_argument(value: Any) -> Any:
    """The tensor of a scalar parameter; all else as it is."""
    return value.tensor if isinstance(value, Scalar) else value


def listed_arguments(values: Any, what: str) -> list[Any]:
    """`values` as a list, if they are several; else raises `teloom.Error`.

    `what` names them. Which of them are arguments of a program, the call says.
    """
    return list(checked_kind(values, Iterable, what, "a list of tensors and sizes, as [A, B]"))
