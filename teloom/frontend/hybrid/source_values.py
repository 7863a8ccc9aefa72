"""From ops that compute values to expressions of Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, llvm
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from teloom.analysis.dtypes import dtype_of
from teloom.dialects.interfaces import Rules
from teloom.errors import PassError

Text = Callable[[Any, Sequence[str]], str]
"""The expression for an op, of those for its operands."""


def infix(symbol: str) -> Text:
    """An operator between two operands."""
    return lambda op, values: f"({values[0]} {symbol} {values[1]})"


def _logic(word: str, symbol: str) -> Text:
    """An operator of truth values, or of the bits of integers."""
    return lambda op, values: f"({values[0]} {word if _is_truth(op) else symbol} {values[1]})"


def _call(name: str) -> Text:
    return lambda op, values: f"{name}({', '.join(values)})"


def _cast(op: Operation, values: Sequence[str]) -> str:
    (result,) = op.results
    if isinstance(result.type, IndexType):
        return values[0]
    return f"{dtype_of(result.type)}({values[0]})"


def _constant(op: arith.ConstantOp, values: Sequence[str]) -> str:
    if not isinstance(op.value, IntegerAttr | FloatAttr):
        raise PassError("a hybrid script has no constant of several elements", op)
    return number(op.value.value.data, op.result.type)


def number(value: float, type: Attribute) -> str:
    """A number of a type, as it is written."""
    if type == IntegerType(1):
        return str(bool(value))
    is_float = not isinstance(type, IndexType | IntegerType)
    text = repr(float(value) if is_float else value)
    if math.isnan(value):
        text = "(1e999 - 1e999)"
    elif math.isinf(value):
        text = "1e999" if value > 0 else "-1e999"
    if value < 0:
        text = f"({text})"
    if isinstance(type, IndexType) or dtype_of(type) in ("int32", "float32"):
        return text
    return f"{dtype_of(type)}({text})"


_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _compared(op: arith.CmpiOp | arith.CmpfOp, values: Sequence[str]) -> str:
    names = _INTEGER_PREDICATES if isinstance(op, arith.CmpiOp) else _FLOAT_PREDICATES
    name = names.get(op.predicate.value.data)
    if name is None:
        raise PassError("a hybrid script has no such comparison", op)
    if name == "uno":
        return f"({values[0]} != {values[0]} or {values[1]} != {values[1]})"
    return f"({values[0]} {_COMPARED[name]} {values[1]})"


_INTEGER_PREDICATES = dict(enumerate(("eq", "ne", "lt", "le", "gt", "ge")))
_FLOAT_PREDICATES = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne", 14: "uno"}


def _is_truth(op: Operation) -> bool:
    return op.results[0].type == IntegerType(1)


VALUES: Rules[Text] = Rules(
    {
        arith.ConstantOp: _constant,
        arith.AddfOp: infix("+"),
        arith.AddiOp: infix("+"),
        arith.SubfOp: infix("-"),
        arith.SubiOp: infix("-"),
        arith.MulfOp: infix("*"),
        arith.MuliOp: infix("*"),
        arith.DivfOp: infix("/"),
        arith.FloorDivSIOp: infix("//"),
        arith.CeilDivSIOp: lambda op, values: f"(-({values[0]} // -{values[1]}))",
        arith.DivSIOp: _call("truncdiv"),
        arith.RemSIOp: _call("truncmod"),
        arith.MinSIOp: _call("min"),
        arith.MaxSIOp: _call("max"),
        arith.MinimumfOp: _call("minimum"),
        arith.MaximumfOp: _call("maximum"),
        arith.AndIOp: _logic("and", "&"),
        arith.OrIOp: _logic("or", "|"),
        arith.XOrIOp: _logic("!=", "^"),
        arith.ShLIOp: infix("<<"),
        arith.ShRSIOp: infix(">>"),
        arith.NegfOp: lambda op, values: f"(-{values[0]})",
        arith.SelectOp: _call("select"),
        arith.CmpiOp: _compared,
        arith.CmpfOp: _compared,
        **dict.fromkeys((arith.IndexCastOp, arith.ExtSIOp, arith.TruncIOp), _cast),
        **dict.fromkeys((arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.FPToSIOp), _cast),
        math_dialect.AbsFOp: _call("abs"),
        math_dialect.AbsIOp: _call("abs"),
        math_dialect.PowFOp: _call("power"),
        math_dialect.IPowIOp: _call("power"),
        llvm.FRemOp: _call("fmod"),
        math_dialect.Atan2Op: _call("atan2"),
        math_dialect.CopySignOp: _call("copysign"),
        math_dialect.CtPopOp: _call("popcount"),
        math_dialect.RoundEvenOp: _call("nearbyint"),
        **{
            getattr(math_dialect, f"{name.capitalize()}Op"): _call(name)
            for name in "exp log log2 log10 log1p erf sqrt rsqrt sin cos tan asin acos atan sinh "
            "cosh tanh asinh acosh atanh floor ceil trunc".split()
        },
    }
)
"""How each op is written; a conversion from or to unsigned integers has no rule."""
