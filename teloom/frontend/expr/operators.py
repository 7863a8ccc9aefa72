"""Python's operators, with their names in NumPy and their spelling in Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, NamedTuple


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
