"""Python's operators, with their names in NumPy and their spelling in Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Operator(NamedTuple):
    """A function of numbers and expressions; `syntax` is None if it is written as a call."""

    function: Callable[..., Any]
    ufunc: np.ufunc
    syntax: type[ast.AST] | None


OPERATORS = (
    Operator(operator.add, np.add, ast.Add),
    Operator(operator.sub, np.subtract, ast.Sub),
    Operator(operator.mul, np.multiply, ast.Mult),
    Operator(operator.truediv, np.divide, ast.Div),
    Operator(operator.floordiv, np.floor_divide, ast.FloorDiv),
    Operator(operator.mod, np.remainder, ast.Mod),
    Operator(operator.pow, np.power, ast.Pow),
    Operator(operator.neg, np.negative, ast.USub),
    Operator(operator.pos, np.positive, ast.UAdd),
    Operator(operator.abs, np.absolute, None),
    Operator(operator.and_, np.bitwise_and, ast.BitAnd),
    Operator(operator.or_, np.bitwise_or, ast.BitOr),
    Operator(operator.xor, np.bitwise_xor, ast.BitXor),
    Operator(operator.invert, np.invert, ast.Invert),
    Operator(operator.lshift, np.left_shift, ast.LShift),
    Operator(operator.rshift, np.right_shift, ast.RShift),
    Operator(operator.lt, np.less, ast.Lt),
    Operator(operator.le, np.less_equal, ast.LtE),
    Operator(operator.gt, np.greater, ast.Gt),
    Operator(operator.ge, np.greater_equal, ast.GtE),
    Operator(operator.eq, np.equal, ast.Eq),
    Operator(operator.ne, np.not_equal, ast.NotEq),
)
