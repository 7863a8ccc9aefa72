"""The `math` dialect in C: functions of <math.h>, and helpers on integers."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import math, vector
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation

from teloom.backend.c.expressions import (
    CExpr,
    as_signed,
    as_unsigned,
    binary,
    call,
    cast,
    name,
)
from teloom.backend.c.lanewise import (
    Scalar,
    Whole,
    lanewise,
    scalar_part,
    vector_binary,
    vector_cast,
)
from teloom.backend.c.types import F32, F64, number_of
from teloom.backend.c.writer import FunctionWriter, Rule
from teloom.passes.llvm.conversions.arith import fastmath_of


def library(function: str) -> Scalar:
    """A function of <math.h>; on 16 bits it is computed in 32 bits, and rounded once."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        wide = [w.widen(one) for one in given]
        return w.narrow(library_call(function, wide, w), number_of(op.results[0].type))

    return compute


def library_call(function: str, wide: list[CExpr], w: FunctionWriter) -> CExpr:
    """A call of the form for the type of the operands."""
    w.parts.include("math.h")
    number = wide[0].type
    return call(function + "f" if number == F32 else function, wide, number)


def multiply_and_add(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    """`fma`; where it may also be two operations, those, which the compiler may contract."""
    if FastMathFlag.ALLOW_CONTRACT not in fastmath_of(op).data:
        return library("fma")(op, given, w)
    a, b, c = (w.widen(one) for one in given)
    found = binary("+", binary("*", a, b, a.type), c, a.type)
    return w.narrow(found, number_of(op.results[0].type))


def multiply_and_add_lanes(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    number = number_of(op.results[0].type)
    if FastMathFlag.ALLOW_CONTRACT not in fastmath_of(op).data or number.is_short:
        return None
    a, b, c = (scalar_part(one, w) for one in given)
    return vector_binary("+", vector_binary("*", a, b, number), c, number)


def absolute_lanes(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    """All bits but the sign."""
    number = number_of(op.results[0].type)
    if number.is_short:
        return None
    bits = number.of("u")
    most = name(f"UINT{bits.bits}_C(0x{2 ** (bits.bits - 1) - 1:x})", bits)
    kept = vector_binary("&", vector_cast(w.whole(given[0]), bits, w), most, bits)
    kept = replace(kept, lanes=given[0].lanes, form="whole")
    return vector_cast(kept, number, w)


def reciprocal_root(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    wide = [w.widen(given[0])]
    number = wide[0].type
    one = name("1.0f" if number == F32 else "1.0", number)
    found = binary("/", one, library_call("sqrt", wide, w), number)
    return w.narrow(found, number_of(op.results[0].type))


def integer_power_of_float(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    """By `pow` of doubles, which holds every exponent."""
    base, exponent = given
    wide = [w.narrow(w.widen(base), F64), cast(as_signed(exponent), F64)]
    return w.narrow(library_call("pow", wide, w), number_of(op.results[0].type))


def on_integers(kind: str, family: str = "u") -> Scalar:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type).of(family)
        convert = as_unsigned if family == "u" else as_signed
        return w.help(kind, number, [convert(one) for one in given])

    return compute


def of_floats(function: str, whole: Whole | None = None) -> Rule:
    return lanewise(library(function), whole)


_NAMES: dict[type[Operation], str] = {
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.Atan2Op: "atan2",
    math.AtanhOp: "atanh",
    math.CbrtOp: "cbrt",
    math.CeilOp: "ceil",
    math.CopySignOp: "copysign",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.FloorOp: "floor",
    math.LogOp: "log",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.Log2Op: "log2",
    math.PowFOp: "pow",
    math.RoundOp: "round",
    # In the mode of rounding that a program starts in.
    math.RoundEvenOp: "nearbyint",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.SqrtOp: "sqrt",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
    math.TruncOp: "trunc",
    vector.FMAOp: "fma",
}

RULES: dict[type[Operation], Rule] = {
    **{kind: of_floats(function) for kind, function in _NAMES.items()},
    math.AbsFOp: of_floats("fabs", absolute_lanes),
    math.FmaOp: lanewise(multiply_and_add, multiply_and_add_lanes),
    math.RsqrtOp: lanewise(reciprocal_root),
    math.FPowIOp: lanewise(integer_power_of_float),
    math.IPowIOp: lanewise(on_integers("power", "i")),
    math.AbsIOp: lanewise(on_integers("abs", "i")),
    math.CountLeadingZerosOp: lanewise(on_integers("leading_zeros")),
    math.CountTrailingZerosOp: lanewise(on_integers("trailing_zeros")),
    math.CtPopOp: lanewise(on_integers("ones")),
}
