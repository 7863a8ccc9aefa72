"""Python's operators: what each calls, its name in NumPy, and its spelling in Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

Result = TypeVar("Result")


class Operator(NamedTuple):
    """A function of numbers and expressions.

    `ufunc` is its name in NumPy, and `syntax` is None if it is written as a call.
    """

    function: Callable[..., Any]
    ufunc: str
    syntax: type[ast.AST] | None


OPERATORS = (
    Operator(operator.add, "add", ast.Add),
    Operator(operator.sub, "subtract", ast.Sub),
    Operator(operator.mul, "multiply", ast.Mult),
    Operator(operator.truediv, "divide", ast.Div),
    Operator(operator.floordiv, "floor_divide", ast.FloorDiv),
    Operator(operator.mod, "remainder", ast.Mod),
    Operator(operator.pow, "power", ast.Pow),
    Operator(operator.neg, "negative", ast.USub),
    Operator(operator.pos, "positive", ast.UAdd),
    Operator(operator.abs, "absolute", None),
    Operator(operator.and_, "bitwise_and", ast.BitAnd),
    Operator(operator.or_, "bitwise_or", ast.BitOr),
    Operator(operator.xor, "bitwise_xor", ast.BitXor),
    Operator(operator.invert, "invert", ast.Invert),
    Operator(operator.lshift, "left_shift", ast.LShift),
    Operator(operator.rshift, "right_shift", ast.RShift),
    Operator(operator.lt, "less", ast.Lt),
    Operator(operator.le, "less_equal", ast.LtE),
    Operator(operator.gt, "greater", ast.Gt),
    Operator(operator.ge, "greater_equal", ast.GtE),
    Operator(operator.eq, "equal", ast.Eq),
    Operator(operator.ne, "not_equal", ast.NotEq),
)


class Operators(Generic[Result]):
    """Base of values with Python's operators, each of which calls `operate` by name."""

    def operate(self, function: str, *operands: object) -> Result:
        """What an operator gives; one of the operands is `self`."""
        raise NotImplementedError

    def __add__(self, other: object) -> Result:
        return self.operate("add", self, other)

    def __radd__(self, other: object) -> Result:
        return self.operate("add", other, self)

    def __sub__(self, other: object) -> Result:
        return self.operate("sub", self, other)

    def __rsub__(self, other: object) -> Result:
        return self.operate("sub", other, self)

    def __mul__(self, other: object) -> Result:
        return self.operate("mul", self, other)

    def __rmul__(self, other: object) -> Result:
        return self.operate("mul", other, self)

    def __truediv__(self, other: object) -> Result:
        return self.operate("true_divide", self, other)

    def __rtruediv__(self, other: object) -> Result:
        return self.operate("true_divide", other, self)

    def __floordiv__(self, other: object) -> Result:
        return self.operate("floordiv", self, other)

    def __rfloordiv__(self, other: object) -> Result:
        return self.operate("floordiv", other, self)

    def __mod__(self, other: object) -> Result:
        return self.operate("floormod", self, other)

    def __rmod__(self, other: object) -> Result:
        return self.operate("floormod", other, self)

    def __pow__(self, other: object) -> Result:
        return self.operate("power", self, other)

    def __rpow__(self, other: object) -> Result:
        return self.operate("power", other, self)

    def __and__(self, other: object) -> Result:
        return self.operate("bitwise_and", self, other)

    def __rand__(self, other: object) -> Result:
        return self.operate("bitwise_and", other, self)

    def __or__(self, other: object) -> Result:
        return self.operate("bitwise_or", self, other)

    def __ror__(self, other: object) -> Result:
        return self.operate("bitwise_or", other, self)

    def __xor__(self, other: object) -> Result:
        return self.operate("bitwise_xor", self, other)

    def __rxor__(self, other: object) -> Result:
        return self.operate("bitwise_xor", other, self)

    def __lshift__(self, other: object) -> Result:
        return self.operate("left_shift", self, other)

    def __rlshift__(self, other: object) -> Result:
        return self.operate("left_shift", other, self)

    def __rshift__(self, other: object) -> Result:
        return self.operate("right_shift", self, other)

    def __rrshift__(self, other: object) -> Result:
        return self.operate("right_shift", other, self)

    def __neg__(self) -> Result:
        return self.operate("negative", self)

    def __abs__(self) -> Result:
        return self.operate("abs", self)

    def __invert__(self) -> Result:
        return self.operate("bitwise_not", self)

    def __lt__(self, other: object) -> Result:
        return self.operate("less", self, other)

    def __le__(self, other: object) -> Result:
        return self.operate("less_equal", self, other)

    def __gt__(self, other: object) -> Result:
        return self.operate("greater", self, other)

    def __ge__(self, other: object) -> Result:
        return self.operate("greater_equal", self, other)

    def __eq__(self, other: object) -> Result:  # type: ignore[override]
        return self.operate("equal", self, other)

    def __ne__(self, other: object) -> Result:  # type: ignore[override]
        return self.operate("not_equal", self, other)

    __hash__ = object.__hash__
